// A test that stands in the configuration: a call, and what must come of it. Checked names, in base units.

import type { Position } from '../read/position.js'

export interface CallTest {
  method: string
  /** The request target as it would stand on the wire. */
  target: string
  bodyBytes: number | undefined
  /** What a message to an MCP server asks for; `name` of a resource is its URI. Undefined: no more than connecting. */
  operation: { kind: 'tool' | 'prompt' | 'resource'; name: string } | undefined
  /** What the token holds; undefined: none is sent. */
  token:
    | {
        kind: 'application' | 'delegated'
        /** Undefined: the API of the route. */
        resource: string | undefined
        permissions: readonly string[]
      }
    | undefined
  /** Without a status and a permission that is needed, the call must reach its service. */
  expect: {
    status: number | undefined
    /** The permission that a refusal names. */
    needs: string | undefined
    upstream: string | undefined
    route: string | undefined
    limits: readonly string[] | undefined
  }
  position: Position
}

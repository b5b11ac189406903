// The question that an explanation answers, and what was found before it is put into words. Types only.

import type { TokenPrincipal } from '../../access/principal.js'
import type { SimulatedCaller, SimulatedToken } from '../../access/simulated-caller.js'
import type { Verdict } from '../admit.js'
import type { NamedOperation } from '../mcp/named-operation.js'
import type { RoutePlan } from '../routes/snapshot.js'
import type { SimulatedRequest } from './dry-run.js'
import type { About } from './facts.js'

/** Who would call: nobody, the holder of this token, or an application with what it could get now. */
export type CallQuestion = Omit<SimulatedRequest, 'token' | 'operation'> & {
  /** Of an MCP server; absent: no more than connecting. */
  operation?: NamedOperation | undefined
  caller:
    | { kind: 'nobody' }
    | { kind: 'token'; token: string }
    | ({ kind: 'simulated' } & Omit<SimulatedCaller, 'resource'>)
}

export interface Found {
  question: CallQuestion
  verdict: Verdict
  simulated: SimulatedToken | undefined
  /** Whose token it is, as far as that is proved or simulated. */
  principal: TokenPrincipal | undefined
  about: About | undefined
  path: string | undefined
  routeId: string | undefined
  /** Of the operation of an MCP server; undefined: the route's own counts. */
  plan: RoutePlan | undefined
}

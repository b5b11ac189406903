// A service behind the gateway as the other rooms see it: checked, in base units.

import type { ServiceDescription } from '../../openapi/service-description.js'
import type { Position } from '../read/position.js'
import type { SecretValue } from '../read/secret-value.js'

/** Where one of the machines of a service is. */
export type TargetPlace =
  | { kind: 'builtin'; service: 'backend' }
  | { kind: 'url'; origin: string; basePath: string }
  | { kind: 'unix'; socketPath: string; basePath: string }

/** One of them, and its share of the requests beside the others. */
export type TargetSettings = TargetPlace & { weight: number }

/** What a request may be sent again for, when nothing of an answer was received. */
export type RetryReason = 'connect' | 'reset' | '502' | '503' | '504'

/** How a service proves itself, and how the gate does. Certificates are always verified. */
export interface UpstreamTls {
  /** PEM of the certificate authorities to trust instead of the system's. */
  ca: string | undefined
  /** PEM of the certificate that the gate shows, and of its key. */
  cert: string | undefined
  key: SecretValue | undefined
  /** The name that its certificate must have, where that is not the one in its URL. */
  serverName: string | undefined
}

export interface UpstreamSettings {
  name: string
  /** At least one; their base path is the same. */
  targets: readonly TargetSettings[]
  balance: 'round-robin' | 'least-requests' | { hash: 'application' | 'tenant' | 'user' | 'address' }
  /**
   * `jwt`: Authorization carries our signed assertion. `headers`: X-Portcullis-* fields say who calls, and one of them
   * carries the assertion. `none`: no identity is sent.
   */
  identity: 'jwt' | 'headers' | 'none'
  connectMs: number
  headersMs: number
  idleMs: number
  /** Until a request finds a free connection. */
  queueMs: number
  /** All of a request with its answer, but on routes that stream. */
  overallMs: number
  /** To each target at most; streams have further ones. */
  connections: number
  /** Requests that may be under way at once, over all targets; streams are not among them. */
  maxInFlight: number
  /** Streams that may be open at once, over all targets. */
  maxStreams: number
  /** What one caller may have of connections and of streams; 100: no shares. */
  sharePercent: number
  tls: UpstreamTls
  /** Undefined: targets are not checked. `status` undefined: any 2xx is well. */
  health:
    | {
        path: string
        everyMs: number
        timeoutMs: number
        healthy: number
        unhealthy: number
        status: number | undefined
      }
    | undefined
  /**
   * After so many failures in a row a target is left out for a while; 0: never. `maxPercent` of the targets at most.
   */
  eject: { failures: number; forMs: number; maxPercent: number }
  /** How often one request may be sent again, and how many retries there may be for a hundred requests. */
  retry: { attempts: number; when: readonly RetryReason[]; budgetPercent: number }
  /** How often the names of targets are resolved anew. */
  resolveEveryMs: number
  /** What its OpenAPI document says; absent: there is none. */
  description?: ServiceDescription
  /** Who reads it in the API reference: anybody, members of tenants at the portal, nobody. */
  documentation: 'everybody' | 'members' | 'nobody'
  position: Position
}

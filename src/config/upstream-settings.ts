// A service behind the gateway as the rest of the house sees it: checked, in base units.

import type { Position } from './position.js'

export interface UpstreamSettings {
  name: string
  target: { kind: 'builtin'; service: 'backend' } | { kind: 'url'; origin: string; basePath: string }
  /** `jwt`: Authorization carries our signed assertion. `none`: no identity is sent. */
  identity: 'jwt' | 'none'
  connectMs: number
  headersMs: number
  idleMs: number
  connections: number
  /** PEM of the certificate authorities to trust instead of the system's. Certificates are always verified. */
  ca: string | undefined
  position: Position
}

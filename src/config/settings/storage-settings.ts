// Where the state is kept, in the settings.

import type { SecretValue } from '../read/secret-value.js'

/** Where the Store is. */
export type StoreSettings =
  | { kind: 'sqlite'; file: string; busyTimeoutMs: number }
  | {
      kind: 'postgresql'
      url: SecretValue
      /** PEM of the authorities to trust instead of the system's. */
      ca: string | undefined
      /** `other`: one that is not known, and is tried at each start. */
      engine: 'postgresql' | 'other'
      connections: number
      connectMs: number
      statementMs: number
      /** For a free connection. */
      waitMs: number
    }

/** The Redis that instances share. */
export interface RedisSettings {
  url: SecretValue
  ca: string | undefined
  /** How Sentinels are spoken to; means something for a `redis+sentinel://` URL only. */
  sentinel: {
    user: string | undefined
    /** Undefined: that of the URL. */
    password: SecretValue | undefined
    tls: 'as-redis' | 'on' | 'off'
  }
  prefix: string
  commandMs: number
  connectMs: number
}

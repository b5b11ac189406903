// What those who mean harm know: where the gate is, what they registered themselves, and what everybody can see.

import type { At } from '../asking.js'

export interface HostileWorld extends At {
  /** Of their own application, which may call the service and the own API. */
  token: string
  clientId: string
  clientSecret: string
  /** The identifier of the honest page; it stands in every browser's address bar. */
  publicClientId: string
  redirectUri: string
  /** Of a person whose account they would like. */
  email: string
}

/** What one of them does until the signal. */
export interface Hostile {
  /** Finding or story. */
  name: string
  does: string
  run(world: HostileWorld, act: Act): Promise<void>
}

export interface Act {
  signal: AbortSignal
  /** Counts an answer's status, or a word. */
  count(what: string | number): void
  /** How strongly, 0.5 to 2; 1 is as it was found. */
  force: number
}

// Where a person's tokens are kept between calls, and between processes when the program gives a store of its own.

import type { Tokens } from './tokens.js'

/** What a store holds: secrets, for this person alone. */
export type HeldTokens = Pick<Tokens, 'accessToken' | 'expiresAt' | 'scope' | 'refreshToken'>

export interface TokenStore {
  read(): Promise<HeldTokens | undefined>
  /** Replaces what is held, in one step; undefined: nothing is held any more. */
  write(held: HeldTokens | undefined): Promise<void>
  /**
   * Runs `work` while nobody else does, in this process or another that shares the store: a refresh token is used once,
   * and two that use it at the same time look like theft (RFC 9700 §4.14). Absent: this process is alone with it.
   */
  exclusively?<T>(work: () => Promise<T>): Promise<T>
}

/** A store that forgets with the process. */
export function createMemoryStore(held?: HeldTokens): TokenStore {
  let current = held
  return {
    read: async () => current,
    write: async (next) => {
      current = next
    },
  }
}

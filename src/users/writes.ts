// What every write of this room has in common with those of the directory, and what it needs beside them.

import type { Settings } from '../config/settings/settings.js'
import type { DirectoryWrites, Writing } from '../directory/writes.js'
import type { Activity } from '../ledger/ledger.js'
import { createSignInThrottle, type SignInThrottle } from '../limits/sign-in-throttle.js'
import { parseGuid } from '../oauth/secrets/guid.js'
import type { Counters } from '../storage/counters/counters.js'
import { readUser, type UserRow } from '../storage/sql/people/users.js'
import type { Store } from '../storage/sql/store.js'
import { createPasswords, type Passwords } from './credentials/password.js'
import { UserRefusal } from './refusal.js'

export interface UserWrites extends DirectoryWrites {
  store: Store
  /** Keys derived from the master keys for one purpose, newest first. */
  derive: (purpose: string) => readonly Uint8Array[]
  settings: Settings['signIn']
  activity: Activity
  passwords: Passwords
  throttle: SignInThrottle
  /** True once a day for each person: nobody gets the same notice again and again. */
  mayTell: (userId: string) => Promise<boolean>
  /** Why a mail that nobody waits for did not go. */
  onMailError: (error: unknown) => void
  /** Where links lead. */
  baseUrl: string
  /** What this server is called in mails, and its links; `current` is put in anew where a reload may change them. */
  serverBrand: { current: () => Settings['brand'] }
  /** Undefined: no mail is sent, and links are shown to their creator. */
  mail: Settings['mail']
}

/** The collaborators of this room from those of the instance. `counters` are those that the instances share. */
export function createUserWrites(
  writes: DirectoryWrites,
  options: {
    store: Store
    derive: UserWrites['derive']
    settings: Pick<Settings, 'signIn' | 'mail' | 'brand'> & { server: Pick<Settings['server'], 'baseUrl'> }
    activity: Activity
    counters: Counters
    monotonic: () => number
    onMailError?: (error: unknown) => void
  },
): UserWrites {
  const { store, derive, settings, activity, counters, monotonic } = options
  return {
    ...writes,
    store,
    derive,
    activity,
    settings: settings.signIn,
    passwords: createPasswords(),
    throttle: createSignInThrottle({ counters, monotonic, settings: settings.signIn }),
    mayTell: onceADay(counters, monotonic),
    onMailError: options.onMailError ?? (() => {}),
    baseUrl: settings.server.baseUrl,
    serverBrand: { current: () => settings.brand },
    mail: settings.mail,
  }
}

function onceADay(counters: Counters, monotonic: () => number): UserWrites['mayTell'] {
  const algorithm = { kind: 'quota', limit: 1, periodMs: 86_400_000 } as const
  return async (userId) => {
    const key = `sign-in-told;s${userId.length}:${userId}`
    const [state] = await counters.take([{ key, algorithm, cost: 1, mode: 'strict', onDown: 'local' }], monotonic())
    return state?.allowed === true && state.shared !== true
  }
}

/** The user's row inside the transaction. Throws UserRefusal when there is none. */
export async function requireUser({ tx }: Pick<Writing, 'tx'>, userId: string): Promise<UserRow> {
  const id = parseGuid(userId)
  const row = id === undefined ? undefined : await readUser(tx, 'id', id)
  if (row === undefined) throw new UserRefusal('UserNotFound', 'There is no such user.')
  return row
}

// What the pages of identity and portal need from the rooms below, in either room.

import type { Settings } from '../config/settings/settings.js'
import type { DirectoryWrites } from '../directory/writes.js'
import type { Activity } from '../ledger/ledger.js'
import type { UserWrites } from '../users/writes.js'

export interface PageDependencies {
  settings: Pick<Settings, 'server'>
  users: UserWrites
  writes: DirectoryWrites
  activity: Activity
  /** Keys derived from the master keys for one purpose, newest first; never written anywhere. */
  derive: (purpose: string) => readonly Uint8Array[]
  /** Epoch milliseconds. */
  now: () => number
}

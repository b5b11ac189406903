// What every write of this room has in common with those of the directory, and what it needs beside them.

import type { Settings } from '../config/settings.js'
import type { DirectoryWrites } from '../directory/writes.js'
import type { Store } from '../memory/store/store.js'

export interface UserWrites extends DirectoryWrites {
  store: Store
  /** Keys derived from the master keys for one purpose, newest first. */
  derive: (purpose: string) => readonly Uint8Array[]
  settings: Settings['signIn']
}

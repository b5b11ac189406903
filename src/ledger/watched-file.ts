// The files beside the database in which this instance keeps what it saw of the chain.

import { readFile } from 'node:fs/promises'
import type { Store } from '../storage/sql/store.js'
import type { LedgerKeys } from './ledger-keys.js'

/** `file`: made with mode 0600 when there is none; its folder must exist. `now`: epoch milliseconds. */
export interface WatchedFile {
  file: string
  store: Pick<Store, 'reader'>
  keys: LedgerKeys
  now: () => number
}

/** The text of the file; empty when there is none. Throws other file system errors. */
export async function readWatchedFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

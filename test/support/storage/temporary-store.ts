// A Store in a temporary folder, closed with the test, and the file it is in.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import type { Store } from '../../../src/storage/sql/store.js'
import { quickFolder } from './quick-folder.js'

/** What `t` of tap offers and the builders in this folder need. */
export interface TestScope {
  testdir(): string
  teardown(work: () => unknown): void
}

export interface TemporaryStore {
  file: string
  store: Store
  /** Another Store on the same data, as another process would have; closed with the test too. */
  another(): Promise<Store>
}

/** Opens a new Store. `busyTimeoutMs` is 30 seconds unless given: longer than a slow disk and a pause take. */
export async function openTemporaryStore(t: TestScope, busyTimeoutMs = 30_000): Promise<TemporaryStore> {
  const file = join(quickFolder(t), 'portcullis.db')
  const open = async (): Promise<Store> => {
    const store = await openSqliteStore({ file, busyTimeoutMs })
    t.teardown(() => store.close())
    return store
  }
  return { file, store: await open(), another: open }
}

/** What a new Store's file holds, once one was made: to copy it is quicker than all migrations for each test. */
let newFile: Buffer | undefined

/** A new Store in this file, which must not exist; the caller closes it. */
export async function openNewStore(file: string): Promise<Store> {
  const options = { file, busyTimeoutMs: 30_000 }
  if (newFile === undefined) {
    const first = await openSqliteStore(options)
    await first.close()
    newFile = readFileSync(file)
  } else writeFileSync(file, newFile, { flag: 'wx', mode: 0o600 })
  return openSqliteStore(options)
}

/** A tenant's row; `at` (epoch ms) is when it was created and last changed. */
export function tenantRow(id: string, name = id, at = 1_700_000_000_000) {
  return {
    id,
    name,
    state: 'enabled',
    user_consent: 'allowed',
    foreign_consent: 'verified',
    device_codes: 'allowed',
    administrators: 'any',
    second_factor: 'none',
    own_sign_in: 'allowed',
    sign_in_providers: null,
    client_hosts: null,
    created_at: at,
    updated_at: at,
  }
}

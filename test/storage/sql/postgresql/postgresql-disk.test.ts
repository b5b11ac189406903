// A disk that is full under PostgreSQL's tables: writes are refused whole, reading goes on, and with room again so does
// all.
// run: apart

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Store } from '../../../../src/storage/sql/store.js'
import { startPostgres } from '../../../support/databases/postgresql.js'
import { openPostgresTestStore } from '../../../support/databases/postgresql-store.js'
import { tenantRow } from '../../../support/storage/temporary-store.js'

const canMount =
  process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

/** Two rows that must be there together. They do not compress. */
async function write(store: Store, number: number): Promise<void> {
  const text = randomBytes(300_000).toString('base64')
  await store.transaction(async (tx) => {
    await tx
      .insertInto('tenants')
      .values(tenantRow(`a${number}`, text))
      .execute()
    await tx
      .insertInto('tenants')
      .values(tenantRow(`b${number}`, text))
      .execute()
  })
}

const count = async (store: Store): Promise<number> =>
  (await store.reader.selectFrom('tenants').select('id').execute()).length

t.test('F11 a full disk is StoreUnavailable, nothing is half written, and with room it goes on', async (t) => {
  if (!canMount) {
    t.pass('this machine mounts nothing')
    return
  }
  // Room for the write-ahead log beside the tables: without that PostgreSQL itself ends.
  const server = await startPostgres(t, { diskBytes: 80_000_000 })
  const { store } = await openPostgresTestStore(t, server)
  const ballast = join(server.disk(), 'ballast')
  writeFileSync(ballast, Buffer.alloc(8_000_000))
  let acknowledged = 0
  let refusal: unknown
  while (refusal === undefined && acknowledged < 5_000) {
    await write(store, acknowledged).then(
      () => {
        acknowledged += 1
      },
      (error: unknown) => {
        refusal = error
      },
    )
  }
  t.match(refusal, { code: 'store_unavailable', cause: { code: '53100' } })
  t.ok(acknowledged > 0, `${acknowledged} writes were acknowledged before it was full`)
  t.equal(await count(store), acknowledged * 2, 'they are all there, and none is half there')
  for (let again = 0; again < 3; again += 1) {
    await t.rejects(write(store, acknowledged), { code: 'store_unavailable' })
  }
  rmSync(ballast)
  for (let more = 0; more < 5; more += 1, acknowledged += 1) await write(store, acknowledged)
  t.equal(await count(store), acknowledged * 2)
})

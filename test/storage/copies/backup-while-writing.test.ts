// A copy that is made while another process writes is the state between two of its commits.

import { join } from 'node:path'
import t from 'tap'
import { backupDatabase, checkDatabase } from '../../../src/storage/sql/copies/backup-database.js'
import { openExclusively } from '../../../src/storage/sql/copies/exclusive.js'
import { createConnection } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { quickFolder } from '../../support/storage/quick-folder.js'
import { startStorageChild } from '../../support/storage/storage-child.js'

t.test('copies beside a writer have all that was acknowledged before, and nothing half', async (t) => {
  const folder = quickFolder(t)
  const file = join(folder, 'portcullis.db')
  const child = startStorageChild(t, 'writer-child', [file, 'w'])
  await child.waitFor('ready')
  child.go()
  await child.waitFor('ack ', 20)
  for (let copy = 1; copy <= 3; copy += 1) {
    const before = child.lines.filter((line) => line.startsWith('ack ')).length
    const target = join(folder, `copy-${copy}.db`)
    const { rows } = await backupDatabase(file, target)
    const { tenants = 0, revocations, changes } = rows
    t.ok(tenants >= before, `copy ${copy}: ${before} writes were acknowledged before, ${tenants} are in it`)
    t.equal(revocations, tenants, 'each with its revocation')
    t.ok(Number(changes) >= tenants, 'and its change')
    const connection = createConnection(await openSqliteDatabase(target))
    const half = connection.all(
      `select t.id from tenants t left join revocations r on r.what = 'tenant' and r.id = t.id
         left join changes c on c.seq = r.seq where c.seq is null`,
      [],
    )
    connection.close()
    t.same(half, [])
    await child.waitFor('ack ', before + 20)
  }
})

t.test('a file is for one process alone only while no other has it open', async (t) => {
  const file = join(quickFolder(t), 'portcullis.db')
  const child = startStorageChild(t, 'writer-child', [file, 'w'])
  await child.waitFor('ready')
  child.go()
  await child.waitFor('ack ', 80)
  await t.rejects(openExclusively(file), { code: 'database_in_use' }, 'while it writes')
  await child.kill()
  const held = await openExclusively(file)
  t.teardown(() => held.close())
  const [{ n }] = held.all('select count(*) as n from tenants', []) as [{ n: number }]
  t.ok(n >= 80, 'afterwards it can be had, with what was in its log')
})

t.test('a copy never takes the place of a file, and what is no database is said to be none', async (t) => {
  const folder = t.testdir({ 'text.db': 'text '.repeat(1_000), there: '' })
  const file = join(folder, 'text.db')
  await t.rejects(backupDatabase(join(folder, 'missing.db'), join(folder, 'copy')), { code: 'ENOENT' })
  await t.rejects(backupDatabase(file, join(folder, 'there')), { code: 'EEXIST' })
  await t.rejects(checkDatabase(file), { code: 'damaged_copy' })
  await t.rejects(checkDatabase(folder), /is not a file/)
})

// One cluster of PostgreSQL for all processes of a run: its files, and who may read them.
// run: apart

import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { makeRunFolder, ownedFolder, password } from '../support/databases/postgresql-folder.js'

t.test('a run has a cluster with its password, and a place for the data of its servers', async (t) => {
  const folder = makeRunFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  t.ok(existsSync(join(folder, 'data', 'PG_VERSION')), 'initdb has made it')
  t.equal(readFileSync(join(folder, 'password'), 'utf8').trim(), password)
  t.equal(statSync(folder).mode & 0o077, 0, 'nobody else may read it')
  const own = ownedFolder(folder)
  t.equal(dirname(own), folder)
  t.equal(statSync(own).uid, statSync(join(folder, 'data')).uid, 'the user that may read the one may write the other')
})

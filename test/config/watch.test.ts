// When a change of the files counts, on files that go on changing.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readDisk } from '../../src/config/read/file-reader.js'
import { watchConfiguration } from '../../src/process/configuration-watch.js'
import { until } from '../support/traffic/until.js'

t.test('gateway H2: a program that rewrites an included file all the time keeps nobody’s change waiting', async (t) => {
  const folder = t.testdir({ 'main.yaml': 'version: 1', 'team.yaml': 'routes: {}' })
  const reader = readDisk()
  for (const name of ['main.yaml', 'team.yaml']) reader.file(join(folder, name), 1_024)
  let reloads = 0
  const changed = async () => {
    reloads += 1
  }
  const times = { everyMs: 20, quietMs: 40, patienceMs: 300 }
  const end = watchConfiguration({ lastSnapshot: () => reader.snapshot, changed, ...times })
  let size = 0
  const rewriting = setInterval(() => {
    size += 1
    writeFileSync(join(folder, 'team.yaml'), '#'.repeat(size))
  }, 5)
  try {
    await until('a change counts though the file never rests', () => reloads > 0)
  } finally {
    clearInterval(rewriting)
    end()
  }
  t.ok(reloads > 0)
})

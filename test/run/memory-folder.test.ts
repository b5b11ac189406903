// Folders in memory: a killed run leaves them, and the next one removes them.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { makeMemoryFolder, sweepMemoryFolders } from '../support/storage/memory-folder.js'

t.test('what a process that is no more left in memory is removed, and nothing of anybody else', async (t) => {
  const own = makeMemoryFolder(1)
  if (own === undefined) {
    t.pass('this machine keeps no folder in memory')
    return
  }
  const memory = dirname(own)
  const left = join(memory, `portcullis-${spawnSync(process.execPath, ['--version']).pid}-left`)
  const another = join(memory, `portcullis-of-another-${process.pid}`)
  t.teardown(() => {
    for (const folder of [own, left, another]) rmSync(folder, { recursive: true, force: true })
  })
  for (const folder of [left, another]) mkdirSync(folder)
  writeFileSync(join(left, 'file'), 'x')
  sweepMemoryFolders()
  t.same([own, left, another].map(existsSync), [true, false, true])
  t.equal(makeMemoryFolder(Number.MAX_SAFE_INTEGER), undefined, 'where there is no room there is none')
})

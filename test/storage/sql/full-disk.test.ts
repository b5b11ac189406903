// A disk that is full, in two ways: a small file system (where one can be mounted), and a limit on the size of files.

import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type StorageChild, startStorageChild } from '../../support/storage/storage-child.js'

/** `full` says how many writes were acknowledged and how many rows there are: two for each. */
function numbers(child: StorageChild, word: string): number[] {
  const line = child.lines.find((each) => each.startsWith(`${word} `)) ?? ''
  return line.split(' ').slice(1).map(Number)
}

async function checkStory(t: Test, child: StorageChild): Promise<void> {
  await child.waitFor('ready')
  child.go()
  t.equal(await child.ended, 0)
  const [written = 0, rows] = numbers(child, 'full')
  t.ok(written > 0, `${written} writes were acknowledged before it was full`)
  t.equal(rows, written * 2, 'they are all there, none is half there, and reading goes on')
  t.same(
    child.lines.filter((line) => line.startsWith('again')),
    Array(3).fill('again not writable'),
    'each further write is refused, none is half done',
  )
  if (!child.lines.includes('making room')) return
  const [later = 0, laterRows] = numbers(child, 'recovered')
  t.ok(later >= written + 5, 'with room again it writes again, without a restart')
  t.equal(laterRows, later * 2)
  t.same(numbers(child, 'reopened'), [later * 2])
}

/** How this machine lets us mount: as root in a namespace of our own, or in a user namespace too, or not. */
function ownNamespace(): readonly string[] | undefined {
  const ways = [['-m'], ['-rm']]
  const way = ways.find(
    (options) => spawnSync('unshare', [...options, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0,
  )
  return way === undefined ? undefined : ['unshare', ...way]
}

t.test('a full file system is NotWritable, and nothing is half written (F11)', async (t) => {
  const folder = join(t.testdir(), 'disk')
  mkdirSync(folder)
  const namespace = ownNamespace()
  if (namespace === undefined) {
    t.pass('this machine mounts nothing: the limited file below shows the same')
    return
  }
  const ballast = join(folder, 'ballast')
  const script = `mount -t tmpfs -o size=2m tmpfs "$0" && head -c 400000 /dev/zero > "$0/ballast" && exec "$@"`
  const wrap = (command: readonly string[]): string[] => [...namespace, 'sh', '-c', script, folder, ...command]
  await checkStory(t, startStorageChild(t, 'disks/disk-filler', [join(folder, 'portcullis.db'), 'rm', ballast], wrap))
})

t.test('a file that may not grow is NotWritable, and nothing is half written', async (t) => {
  const file = join(t.testdir(), 'portcullis.db')
  const wrap = (command: readonly string[]): string[] => [
    'sh',
    '-c',
    'ulimit -S -f 3072 && exec "$@"',
    'sh',
    ...command,
  ]
  const canLift = spawnSync('prlimit', ['--version']).status === 0
  const lift = canLift ? ['prlimit', '--pid', '{pid}', '--fsize=unlimited'] : []
  await checkStory(t, startStorageChild(t, 'disks/disk-filler', [file, ...lift], wrap))
})

t.test('a disk that is full when a lost sync is to be repaired refuses as a full one does (F11)', async (t) => {
  const child = startStorageChild(t, 'disks/disk-repair', [join(t.testdir(), 'portcullis.db')])
  await child.waitFor('ready')
  child.go()
  t.equal(await child.ended, 0)
  const full = child.lines.includes('limited') ? Array(3).fill('full: not writable') : []
  const said = child.lines.filter((line) => line.includes(': '))
  t.same(said, ['first: written', 'unsynced: not writable', ...full, 'with room: written'])
})

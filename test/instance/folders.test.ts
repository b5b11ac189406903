// Folders are made level by level: Node's own way never ends below /proc.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { makeFolder, makeFolderSync } from '../../src/observability/folders.js'
import { runCommand } from '../support/rooms/cli.js'

const ways = [
  ['sync', async (folder: string, mode?: number) => makeFolderSync(folder, mode)],
  ['async', makeFolder],
] as const

for (const [name, make] of ways) {
  t.test(`${name}: what is missing is made, and the first of it is said`, async (t) => {
    const root = t.testdir({ file: '' })
    t.equal(await make(join(root, 'a', 'b', 'c'), 0o700), join(root, 'a'))
    t.equal(statSync(join(root, 'a', 'b', 'c')).mode & 0o777, 0o700)
    t.equal(await make(join(root, 'a', 'b', 'c')), undefined, 'what is there stays')
    t.equal(await make(join(root, 'a', 'd')), join(root, 'a', 'd'))
    mkdirSync(join(root, 'target'))
    symlinkSync(join(root, 'target'), join(root, 'link'))
    t.equal(await make(join(root, 'link')), undefined, 'a link to a folder is one')
    t.same(
      await Promise.all([1, 2, 3].map(() => make(join(root, 'many', 'x')))).then(
        (made) => made.filter(Boolean).length > 0,
      ),
      true,
      'of several at once none fails',
    )
  })

  t.test(`${name}: where none can be made, the error is mkdir's`, async (t) => {
    const root = t.testdir({ file: '' })
    await t.rejects(make(join(root, 'file')), { code: 'EEXIST', syscall: 'mkdir' })
    await t.rejects(make(join(root, 'file', 'below')), { code: 'ENOTDIR', syscall: 'mkdir' })
    symlinkSync(join(root, 'nowhere'), join(root, 'dangling'))
    await t.rejects(make(join(root, 'dangling', 'below')), { code: 'EEXIST', path: join(root, 'dangling') })
    if (existsSync('/proc/self')) {
      await t.rejects(make('/proc/nothing'), { code: 'ENOENT', path: '/proc/nothing' })
      await t.rejects(make('/proc/nothing/below/it'), { code: 'ENOENT', path: '/proc/nothing' })
    }
  })
}

t.test('commands say so instead of never ending', { skip: !existsSync('/proc/self') }, async (t) => {
  const cwd = t.testdir({ data: {} })
  writeFileSync(join(cwd, 'data', 'portcullis.db'), '')
  const env = { PORTCULLIS_DATA: './data' }
  const said = {
    code: 1,
    err: /\/proc\/\S*: it cannot be made here; is its parent there, and writable\? \(ENOENT, mkdir\)/,
  }
  t.match(await runCommand(['backup', '/proc/x'], { cwd, env }), said)
})

t.test('no source file makes folders any other way', async (t) => {
  const root = join(String(packageRoot()), 'src')
  const wrong = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    // Of the project itself, in a folder that it knows.
    .filter((path) => !path.includes(join('observability', 'monitoring')))
    .filter((path) => /\bmkdir(?:Sync)?\([^\n]*recursive/.test(readFileSync(path, 'utf8')))
  t.same(wrong, [], 'makeFolder of src/observability/folders.ts')
})

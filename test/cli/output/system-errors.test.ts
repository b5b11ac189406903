// What the system refuses is said in words, with the path that it is about, by whatever command.

import { mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runCommandLine } from '../../../src/cli/program.js'
import { StoreUnavailable } from '../../../src/storage/sql/store.js'

/** What `portcullis serve` says when it ends with this, and its exit code. */
async function said(failure: () => unknown): Promise<{ code: number; text: string }> {
  const messages: string[] = []
  const terminal = {
    ...{ out: () => undefined, say: (message: string) => void messages.push(message), env: {}, cwd: '/' },
    ...{ interactive: false, colours: false, input: async () => '' },
  }
  const serve = async () => void (await failure())
  const code = await runCommandLine({ version: '1', serve, backend: serve, terminal }, ['serve'])
  return { code, text: messages.join('\n') }
}

t.test('an error of the file system is its path, what it means, and the code', async (t) => {
  const folder = t.testdir()
  const at = (name: string) => join(folder, name)
  writeFileSync(at('file'), '')
  mkdirSync(at('full/inner'), { recursive: true })
  symlinkSync(at('round'), at('round'))
  for (const [failure, text] of [
    [() => readFileSync(at('missing')), `${at('missing')}: there is no such file or folder (ENOENT, open)`],
    [() => mkdirSync(at('file/below')), `${at('file/below')}: a part of this path is a file, where a folder is needed`],
    [() => mkdirSync(at('file')), `${at('file')}: this exists already`],
    [() => writeFileSync(at('full'), ''), `${at('full')}: this is a folder, where a file is needed`],
    [() => rmdirSync(at('full')), `${at('full')}: the folder is not empty`],
    [() => readFileSync(at('round')), `${at('round')}: the symbolic links of this path lead in a circle`],
    [() => readFileSync(at('x'.repeat(300))), 'the name is too long'],
  ] as const) {
    const { code, text: all } = await said(failure)
    t.equal(code, 1)
    t.ok(all.includes(text), all)
    t.notMatch(all, /no such file or directory|not a directory, /)
  }
  const { text } = await said(() => readFileSync(at('esc\u001b[31m')))
  t.notOk(text.includes('\u001b'), 'a path cannot write to the terminal')
})

t.test('any other error is what it says, and a database that cannot be used says why', async (t) => {
  const plain = Object.assign(new Error('as it is'), { code: 'ENOENT' })
  t.same(await said(() => Promise.reject(plain)), { code: 1, text: 'portcullis: as it is' })
  const cause = new Error('unable to open database file')
  const away = new StoreUnavailable('the database cannot be used', { cause })
  const why = 'portcullis: the database cannot be used: unable to open database file'
  t.same(await said(() => Promise.reject(away)), { code: 5, text: why })
  const whole = new StoreUnavailable('/x.db: unable to open database file. Look there', { cause })
  t.equal((await said(() => Promise.reject(whole))).text, `portcullis: ${whole.message}`, 'and once')
})

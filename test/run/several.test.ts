// A process of the run that has several files: what it does to the tests in them.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { plainEnvironment } from '../support/settings/plain-environment.js'

const fromSource = import.meta.url.endsWith('.ts')
const several = fileURLToPath(new URL(fromSource ? './several.ts' : './several.js', import.meta.url))
const loader = fromSource ? ['--import', import.meta.resolve('tsx')] : []

t.test('what a test wants done at its end is done before its folder is removed', async (t) => {
  const folder = t.testdir({
    'first.mjs': `
      import { existsSync } from 'node:fs'
      import t from 'tap'
      const tell = (t, name) => {
        const folder = t.testdir({ file: '' })
        t.teardown(async () => t.comment(name + ': ' + existsSync(folder + '/file')))
      }
      t.test('outer', async (t) => {
        tell(t, 'outer')
        await t.test('inner', { skip: false }, async (t) => tell(t, 'inner'))
      })`,
  })
  const { stdout, status } = spawnSync(process.execPath, [...loader, several, '1'], {
    env: { ...plainEnvironment(), PORTCULLIS_TEST_FILES: join(folder, 'first.mjs') },
    encoding: 'utf8',
  })
  t.equal(status, 0, stdout)
  t.match(stdout, /# outer: true/)
  t.match(stdout, /# inner: true/)
})

t.test('each file has the whole time, however many came before it in its process', async (t) => {
  const file = `
    import t from 'tap'
    const timer = t.timer
    t.test('one', async (t) => {
      t.comment('anew: ' + (timer !== globalThis.before && !timer.hasRef()))
      globalThis.before = timer
    })`
  const folder = t.testdir({ 'first.mjs': file, 'second.mjs': file })
  const { stdout, status } = spawnSync(process.execPath, [...loader, several, '2'], {
    env: {
      ...plainEnvironment(),
      PORTCULLIS_TEST_FILES: ['first', 'second'].map((name) => join(folder, `${name}.mjs`)).join('\n'),
      TAP_TIMEOUT: '1000',
    },
    encoding: 'utf8',
  })
  t.equal(status, 0, stdout)
  t.same(stdout.match(/# anew: \w+/g), ['# anew: true', '# anew: true'])
})

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

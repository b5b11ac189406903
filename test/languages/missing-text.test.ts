// A text that one of the languages lacks, or that takes other parameters, ends the build: the catalogues are compiled
// here as `npm test` compiles them, once as they are and once with a text taken out of each.

import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const compiler = 'node_modules/@typescript/native/bin/tsc'
const options = [
  '--ignoreConfig',
  '--noEmit',
  '--strict',
  '--module',
  'NodeNext',
  '--target',
  'ES2023',
  '--types',
  'node',
  '--typeRoots',
  'node_modules/@types',
]

const spoilt = [
  { file: 'german/frame.ts', text: /^ {2}signOut: .*\n/m, says: /german\/frame\.ts.*Property 'signOut' is missing/ },
  { file: 'french/device.ts', text: /^ {2}allow: .*\n/m, says: /french\/device\.ts.*Property 'allow' is missing/ },
  {
    file: 'spanish/refusals.ts',
    text: /^ {4}leaked: .*\n/m,
    says: /spanish\/refusals\.ts.*Property 'leaked' is missing/,
  },
  {
    file: 'japanese/texts.ts',
    text: / {2}mails,\n/,
    instead: '',
    says: /japanese\/texts\.ts.*Property 'mails' is missing/,
  },
]

t.test('a catalogue without one of the texts does not compile, and the error names the text', async (t) => {
  const folder = t.testdir({})
  cpSync('src/languages', join(folder, 'languages'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const compile = () => {
    const { status, stdout } = spawnSync(process.execPath, [compiler, ...options, join(folder, 'languages/texts.ts')], {
      encoding: 'utf8',
      timeout: 60_000,
    })
    return { status, stdout }
  }
  t.same(compile(), { status: 0, stdout: '' }, 'as they are')
  for (const { file, text, instead = '' } of spoilt) {
    const path = join(folder, 'languages', file)
    const whole = readFileSync(path, 'utf8')
    t.match(whole, text, file)
    writeFileSync(path, whole.replace(text, instead))
  }
  const { status, stdout } = compile()
  t.not(status, 0)
  for (const { says } of spoilt) t.match(stdout, says)
})

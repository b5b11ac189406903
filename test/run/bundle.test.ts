// The bundle of a program does what the program does: packages of both kinds, those that are imported on demand, and
// what a file says of its own place.

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { bundleProgram } from '../../src/process/build/bundle.js'
import { programWords } from '../support/programs/program.js'

const main = `
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import whole, { place } from 'common'
import { shout } from 'modern'
const require = createRequire(import.meta.url)
const late: { quiet(text: string): string } = await import('late')
const { own } = await import('./own.js')
const said: string[] = [shout('a'), late.quiet('B'), own, typeof whole.place, String(place().endsWith('/'))]
console.log(said.join(), require('late').quiet('C'), process.argv.slice(2).join())
`

t.test('a bundle says what its sources say, and does not hold what is imported on demand', async (t) => {
  const root = t.testdir({
    'package.json': '{ "type": "module" }',
    src: {
      'main.ts': main,
      'own.ts': "export const own: string = 'own'",
      process: { 'load-thread.ts': '' },
      ledger: { ranges: { 'range-thread.ts': '' } },
    },
    node_modules: {
      common: {
        'package.json': '{ "main": "index.js" }',
        'index.js': "exports.place = () => __dirname + require('path').sep",
      },
      late: { 'package.json': '{ "main": "index.js" }', 'index.js': 'exports.quiet = (text) => text.toLowerCase()' },
      modern: {
        'package.json': '{ "type": "module", "exports": "./index.js" }',
        'index.js': 'export const shout = (text) => text.toUpperCase()',
      },
    },
  })
  const bundle = await bundleProgram(root, 'program/main.js')
  t.equal(bundle, join(root, 'dist/program/main.js'))
  const said = () => execFileSync(process.execPath, [bundle, 'x'], { encoding: 'utf8' })
  t.equal(said(), 'A,b,own,function,true c x\n')
  await t.rejects(bundleProgram(t.testdirName.concat('/nowhere'), 'program/main.js'), /nowhere/)
})

t.test('in a run the programs are started from the bundle, without one from their own files', async (t) => {
  const before = process.env['PORTCULLIS_TEST_PROGRAM']
  t.teardown(() => {
    if (before === undefined) delete process.env['PORTCULLIS_TEST_PROGRAM']
    else process.env['PORTCULLIS_TEST_PROGRAM'] = before
  })
  process.env['PORTCULLIS_TEST_PROGRAM'] = '/a/bundle/main.js'
  t.same(programWords(), [process.execPath, '/a/bundle/main.js'])
  delete process.env['PORTCULLIS_TEST_PROGRAM']
  t.match(programWords().at(-1), /\/src\/main\.[jt]s$/)
})

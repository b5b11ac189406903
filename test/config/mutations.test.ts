// The file that ships, damaged at random: whatever comes of it is either settings or a list of mistakes, never a crash
// and never a secret. The seed is fixed by FC_SEED, or printed when it fails.

import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { loadSettings } from '../../src/config/read/load.js'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { ConfigurationErrors } from '../../src/config/report/problem.js'

const text = readFileSync(defaultConfigFile(), 'utf8')
const secret = randomBytes(32).toString('base64url')
const scrap = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\t',
    '\n',
    ':',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '#',
    '&a',
    '*a',
    '!x',
    '- ',
    '$',
    '${',
    '%',
    '|',
    '>',
    '? ',
    '<<: ',
    '---\n',
    '\0',
    '\uFEFF',
    'null',
    '0',
  ),
  fc.string({ maxLength: 8 }),
)
const cut = fc.record({ at: fc.nat(text.length), length: fc.nat(40), put: scrap })

t.test('damage of any kind ends in settings or in mistakes with positions, and shows no secret', async (t) => {
  const file = join(t.testdir({}), 'p.yaml')
  const env = { PORTCULLIS_MASTER_KEYS: secret }
  const seed = process.env['FC_SEED'] === undefined ? {} : { seed: Number(process.env['FC_SEED']) }
  let refused = 0
  const property = fc.property(fc.array(cut, { minLength: 1, maxLength: 3 }), (cuts) => {
    const damaged = cuts.reduce((left, { at, length, put }) => left.slice(0, at) + put + left.slice(at + length), text)
    writeFileSync(file, damaged)
    try {
      loadSettings({ file, env })
    } catch (error) {
      if (!(error instanceof ConfigurationErrors)) throw error
      refused += 1
      if (error.message.includes(secret)) throw new Error('a secret is in a message')
      for (const { line, column } of error.problems) {
        if (!(line >= 1 && column >= 1 && line <= damaged.split('\n').length))
          throw new Error(`no such place: ${line}:${column}`)
      }
    }
  })
  const run = fc.check(property, { numRuns: 200, ...seed })
  t.equal(run.failed, false, run.failed ? `seed ${run.seed}: ${fc.defaultReportMessage(run)}` : 'no crash, no secret')
  t.ok(refused > 50, `${refused} of 200 were refused`)
})

// The validator that is written down for the bundle says the same of every file as the one that is compiled at a start.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ValidateFunction } from 'ajv'
import { build } from 'esbuild'
import t from 'tap'
import { parse } from 'yaml'
import { fileCheck } from '../../src/config/check/file-check.js'
import { fileCheckModule } from '../../src/config/check/standalone.js'
import { defaultConfigFile, packageRoot } from '../../src/config/read/package-root.js'

const folder = join(String(packageRoot()), 'src/config/check')
const wrong = [null, [], ['x'], {}, { strange: 1 }, '', 'strange', '7', '5 s', '9999d', -1, 7.5, true]

/** One validator's word on `data`, and what became of it. */
function judge(check: ValidateFunction, data: unknown) {
  const copy = structuredClone(data)
  const passes = check(copy)
  return { passes, copy, errors: check.errors?.map(({ parentSchema, schema, data: _, ...error }) => error) ?? [] }
}

/** The file with one value after another replaced by what should not be there. */
function* mistakes(file: unknown, at: unknown = file): Generator<unknown> {
  if (typeof at !== 'object' || at === null) return
  const values = at as Record<string, unknown>
  for (const [turn, name] of Object.keys(values).entries()) {
    const before = values[name]
    for (const value of [wrong[turn % wrong.length], wrong[(turn * 5 + 3) % wrong.length]]) {
      values[name] = value
      yield file
    }
    values[name] = before
    yield* mistakes(file, before)
  }
  values['unheard_of'] = 1
  yield file
  delete values['unheard_of']
}

t.test('the file that ships, nothing at all, and one mistake after another', async (t) => {
  const outfile = join(t.testdir(), 'check.mjs')
  const stdin = { contents: fileCheckModule(), resolveDir: folder, loader: 'js' } as const
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
  const written: { fileCheck: typeof fileCheck } = await import(String(pathToFileURL(outfile)))
  const same = (data: unknown) => {
    const [here, there] = [judge(fileCheck(), data), judge(written.fileCheck(), data)]
    if (JSON.stringify(here) !== JSON.stringify(there)) t.same(there, here, JSON.stringify(data).slice(0, 200))
    return here.errors.length
  }
  const text = readFileSync(defaultConfigFile(), 'utf8').replaceAll(/\$\{\w+(?::-([^}]*))?\}/g, '$1')
  const shipped: unknown = parse(text)
  t.equal(same(shipped), 0)
  same({})
  let seen = 0
  let found = 0
  for (const data of mistakes(shipped)) {
    seen++
    if (same(data) > 0) found++
  }
  t.ok(seen > 200 && found > seen / 2, `${found} of ${seen} are refused`)
  same({ server: { limits: { perAddress: '1/min', body: '900GB' } }, tokens: { code: '11min', lifetime: '1ms' } })
  t.equal(judge(written.fileCheck(), { tokens: { code: '11min' } }).errors[0]?.keyword, 'between')
})

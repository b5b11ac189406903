// Path templates of OpenAPI documents: which one a path is, and at what cost.

import fc from 'fast-check'
import t from 'tap'
import { compileTemplates } from '../../src/openapi/path-templates.js'

t.test('gateway M2: several parameters in a segment take their texts as a regular expression would', async () => {
  const piece = fc.array(fc.constantFrom('a', 'b', '-', '.'), { maxLength: 2 }).map((letters) => letters.join(''))
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 3, maxLength: 4 }),
      fc.array(fc.constantFrom('a', 'b', '-', '.', 'c'), { minLength: 1, maxLength: 12 }),
      (texts, letters) => {
        const names = texts.slice(1).map((_, index) => `p${index}`)
        const template = `/x/${texts.map((text, index) => (index === 0 ? text : `{p${index - 1}}${text}`)).join('')}`
        const expression = new RegExp(`^${texts.map((text) => text.replaceAll('.', '\\.')).join('(.+)')}$`, 's')
        const segment = letters.join('')
        const expected = expression.exec(segment)?.slice(1)
        const found = compileTemplates([[template, 1]])(`/x/${segment}`)
        return (
          JSON.stringify(names.map((name) => found?.values.get(name))) ===
          JSON.stringify(names.map((_, index) => expected?.[index]))
        )
      },
    ),
    { numRuns: 5_000 },
  )
})

t.test('gateway M2: a long segment is compared in a moment, however many parameters the template has', async (t) => {
  const find = compileTemplates([
    ['/compare/{a}-{b}-{c}.json', 1],
    ['/all/{a}-{b}-{c}-{d}-{e}-{f}-{g}', 2],
    ['/next/{a}{b}{c}{d}', 3],
  ])
  for (const [path, item] of [
    [`/compare/${'-'.repeat(8_000)}`, undefined],
    [`/compare/${'-'.repeat(8_000)}.json`, 1],
    [`/all/${'a-'.repeat(4_000)}`, 2],
    [`/all/${'-a'.repeat(6)}`, undefined],
    [`/next/${'a'.repeat(8_000)}`, 3],
  ] as const) {
    const times = [0, 1, 2].map(() => {
      const started = performance.now()
      t.equal(find(path)?.item, item)
      return performance.now() - started
    })
    t.ok(Math.min(...times) < 50, `${path.slice(0, 12)}: ${Math.min(...times).toFixed(2)} ms`)
  }
})

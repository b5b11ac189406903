// What changed of a definition, line by line.

import t from 'tap'
import { definitionDifference } from '../../src/mcp/definition-difference.js'

const shown = (before: object, after: object) =>
  definitionDifference(JSON.stringify(before), JSON.stringify(after)).map(
    ({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]} ${text}`,
  )

t.test('issue 16: texts are compared by their lines, schemas as JSON', async (t) => {
  const before = { description: 'One.\nTwo.\nThree.', inputSchema: { type: 'object' } }
  const after = { description: 'One.\nOther.\nThree.', inputSchema: { type: 'object', required: ['a'] } }
  t.same(shown(before, after), [
    ...['  description:', '    One.', '-   Two.', '+   Other.', '    Three.', '  inputSchema:', '    {'],
    ...['-     "type": "object"', '+     "type": "object",', '+     "required": [', '+       "a"', '+     ]', '    }'],
  ])
  t.same(
    shown(before, before).filter((line) => !line.startsWith(' ')),
    [],
  )
})

t.test('G2 issue 16: what a reader would not see is written out', async (t) => {
  const hidden = `a\u200b\u202eb${String.fromCodePoint(0xe0049)}\u00ad\ufe0f`
  t.same(shown({}, { description: hidden }), ['+ description:', '+   a\\u{200b}\\u{202e}b\\u{e0049}\\u{ad}\\u{fe0f}'])
})

t.test('issue 16: large definitions that have little in common are shown as replaced, at once', async (t) => {
  const many = (what: string) => ({ description: Array.from({ length: 5_000 }, (_, at) => `${what} ${at}`).join('\n') })
  const lines = shown(many('old'), many('new'))
  t.equal(lines.length, 10_001)
  t.equal(lines[1]?.startsWith('-'), true)
  t.equal(lines.at(-1)?.startsWith('+'), true)
})

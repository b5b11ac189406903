// A name that stands twice in one object is found wherever it hides, and nothing else is taken for one.

import t from 'tap'
import { readJson, readJsonText } from '../../../src/gateway/validation/json-text.js'

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

t.test('twice is refused', async (t) => {
  for (const text of [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"a" :1,"b":2,"a"\n:3}',
    '[{"x":[{"a":1,"a":2}]}]',
    '{"":1,"":2}',
    '{"a":{"b":1,"c":2},"a":3}',
    '{"a":{"b":1,"b":2},"a":3}',
    '{"a":{"__proto__":1},"a":3}',
    `{"a":${nested(200)},"a":3}`,
    '{"a\\\\":1,"a\\\\":2}',
    '{"1":1,"1":2}',
    `{${Array.from({ length: 50 }, (_, i) => `"k${i}":1`).join()},"k3":2}`,
  ])
    t.same(readJsonText(text), { wrong: 'says the same name twice in one object' }, text.slice(0, 60))
})

t.test('what only looks like it passes', async (t) => {
  for (const text of [
    '{"a":"a","b":"\\"a\\":1"}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}}}',
    '{"a":"\\\\","b":":"}',
    '["a:","\\":",":"]',
    '"a:"',
    '{"a":[],"A":{},"\\ud800":1,"\\ud801":2}',
    '{}',
    '3',
    nested(128),
  ])
    t.same(readJsonText(text), { value: JSON.parse(text) }, text.slice(0, 60))
})

t.test('too deep, a name that objects have by nature, one that is too long, and what is no JSON', async (t) => {
  t.same(readJsonText(nested(129)), { wrong: 'is nested too deeply' })
  t.same(readJsonText(`{"a":${nested(100_000)}}`), { wrong: 'is nested too deeply' })
  for (const name of ['__proto__', '__pro\\u0074o__'])
    t.same(readJsonText(`[{"${name}":{}}]`), { wrong: 'has a name that is not taken here' })
  t.same(readJsonText(`{"${'a'.repeat(4_097)}":1}`), { wrong: 'has a name that is too long' })
  for (const text of ['', '{"a":1', '\ufeff{}', "{'a':1}"])
    t.same(readJsonText(text), { wrong: 'is not JSON in UTF-8' })
  t.same(readJson(Buffer.from([0x22, 0xff, 0x22])), { wrong: 'is not JSON in UTF-8' })
})

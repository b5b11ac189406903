// One form for all texts that say the same, and the shape of a value without what it says.

import t from 'tap'
import { canonicalDigest, canonicalJson } from '../../src/mcp/canonical-json.js'
import { maskedJson } from '../../src/mcp/masked-json.js'

t.test('RFC 8785 §3.2: the samples of the standard', async (t) => {
  const numbers = {
    numbers: [JSON.parse('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    literals: [null, true, false],
  }
  t.equal(
    canonicalJson({ ...numbers, string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/' }),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  )
  const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']
  const value = Object.fromEntries([...sorted].reverse().map((name, i) => [name, i]))
  t.same(
    [...canonicalJson(value).matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(([, name]) => JSON.parse(`"${name}"`)),
    sorted,
  )
  t.equal(canonicalJson(-0), '0')
  t.equal(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":[]}}')), '{"__proto__":{"a":[],"b":1}}')
})

t.test('what says the same has the same digest, and nothing else', async (t) => {
  const digest = canonicalDigest(JSON.parse('{"a": 1.0, "b": ["\\u0041"]}'))
  t.equal(digest, canonicalDigest(JSON.parse('{"b":["A"],"a":1}')))
  t.match(digest, /^[\w-]{43}$/)
  for (const other of ['{"a":1,"b":"A"}', '{"a":"1","b":["A"]}', '{"a":1,"b":["A"],"c":null}'])
    t.not(digest, canonicalDigest(JSON.parse(other)), other)
})

t.test('a masked value has its names, and no value', async (t) => {
  t.equal(
    maskedJson({ ticket: 'T-1', note: { text: 'secret', tags: ['a', 7, true] }, none: null }),
    '{"ticket":"***","note":{"text":"***","tags":["***","***","***"]},"none":null}',
  )
  t.equal(maskedJson('secret'), '"***"')
  t.equal(maskedJson({ ['secret'.repeat(20)]: 1 }), '{"***":"***"}')
  t.equal(maskedJson({ a: { b: { c: { d: { secret: 1 } } } } }), '{"a":{"b":{"c":{"d":"***"}}}}')
  t.match(maskedJson(Array.from({ length: 40 }, () => 'secret')), /^\["\*\*\*",.*,"and 8 more"\]$/)
  const wide = Object.fromEntries(
    Array.from({ length: 500 }, (_, i) => [`name-${i}-${'x'.repeat(50)}`, { a: 1, b: 2 }]),
  )
  t.match(maskedJson(wide), /"…":"and 468 more"|…$/)
  t.ok(maskedJson({ wide, again: wide }).length <= 2_048)
})

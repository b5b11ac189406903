// JSON as `call` prints it for a person.

import t from 'tap'
import { prettyJson } from '../../../src/cli/output/pretty-json.js'

const plain = { colours: false }

t.test('what people read is what JSON.stringify would indent', async (t) => {
  for (const value of [{}, [], { a: [] }, [1, 'two', null, true, { b: { c: [{}] } }], 'text', 7, { 'a:b,{': '],"' }]) {
    t.equal(prettyJson(JSON.stringify(value), plain), `${JSON.stringify(value, undefined, 2)}\n`)
  }
})

t.test('numbers and repeated names stay as they were sent', async (t) => {
  t.equal(prettyJson('{"n":12345678901234567890,"n":1.10}', plain), '{\n  "n": 12345678901234567890,\n  "n": 1.10\n}\n')
})

t.test('what is no JSON is left as it is', async (t) => {
  t.equal(prettyJson('{"a":', plain), undefined)
  t.equal(prettyJson('', plain), undefined)
})

t.test('X4 nothing in it moves the cursor, and colours are for terminals that take them', async (t) => {
  t.notMatch(prettyJson('{"a":"\u009b31m\u202e"}', plain), /[\u009b\u202e]/)
  t.match(prettyJson('{"a":"b"}', { colours: true }), /\u001b\[36m"a"\u001b\[39m: \u001b\[32m"b"/)
})

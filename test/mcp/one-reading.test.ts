// Values of JSON that two programs read differently.

import t from 'tap'
import { differentlyRead } from '../../src/mcp/one-reading.js'

const read = (text: string) => differentlyRead(text, JSON.parse(text))

t.test('numbers that all count alike, in any spelling', async (t) => {
  for (const number of ['0', '-1', '1.0', '1.50', '0.1', '1e3', '1E+22', '-2.5e-7', '9007199254740992', '123456789.25'])
    t.equal(read(`{"a":[${number}]}`), undefined, number)
  t.equal(read('{"a":"1e400","b\\"9007199254740993":"\\\\","c":"9007199254740993"}'), undefined, 'texts are no numbers')
})

t.test('numbers that are another one to the next program', async (t) => {
  const numbers = ['9007199254740993', '-9007199254740993', '12345678901234567890', '1e400', '-1e999', '1e-400', '-0']
  for (const number of [
    ...numbers,
    '-0.0',
    '0.1000000000000000055',
    '100000000000000000000000.1',
    '1.00000000000000001',
  ])
    t.equal(read(`{"a":{"b":[1,${number}]}}`), 'number', number)
})

t.test('members that are one to a reader without case', async (t) => {
  for (const text of ['{"id":1,"ID":2}', '{"a":[{"s":1,"ſ":2}]}', '{"a\\u0000b":1,"a":2}']) t.equal(read(text), 'name')
  t.equal(read('{"id":1,"a":{"ID":2},"ids":[{"id":1},{"Id":2}]}'), undefined)
})

t.test('an object of very many members is looked at like any other', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 130_000 }, (_, at) => [`k${at}`, 1]))
  t.equal(differentlyRead('{}', many), undefined)
  t.equal(differentlyRead('{}', { ...many, K7: 1 }), 'name')
})

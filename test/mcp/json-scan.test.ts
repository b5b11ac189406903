// What a scan is sure of is JSON to every reader; what is unusual or wrong it leaves.

import fc from 'fast-check'
import t from 'tap'
import { readJson } from '../../src/gateway/validation/json-text.js'
import { JsonScan } from '../../src/mcp/json-scan.js'
import { textChanges } from '../support/changed-texts.js'
import { drawn } from '../support/effort.js'

function isSure(bytes: Buffer): boolean {
  // As bodies are: a piece of a larger buffer, at any place, that goes on with what would end it.
  const around = Buffer.concat([Buffer.from('"{['), bytes, Buffer.from('"}]}')])
  return [bytes, around.subarray(3, 3 + bytes.length)].every(isSureOf)
}

function isSureOf(bytes: Buffer): boolean {
  const scan = new JsonScan(bytes, undefined)
  scan.skipBlanks()
  return scan.readValue() && scan.isAtEnd()
}

const deep = (levels: number, [open, close] = ['[', ']']) => open.repeat(levels) + close.repeat(levels)
const wide = (members: number) => `{${Array.from({ length: members }, (_, i) => `"n${i}":${i}`).join(',')}}`

const usual = [
  ...['{}', '[]', ' {\n\t"a" :\r1 , "b": [ ] } ', '"a"', '""', 'true', 'false', 'null', '[true,false,null]'],
  ...['0', '-0', '10', '-1.5', '0.25', '1e5', '1E+5', '1.5e-10', '[0,1]', '123456789012345678901234567890', '1e999'],
  ...['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD800"', '"é 漢字 😀"', '{"é":1,"e":2}', `"${'long text '.repeat(50)}"`],
  ...[
    `"${'long text '.repeat(50)}é\\n${'and more '.repeat(50)}"`,
    '{"a":{"a":{"a":1}},"b":{"a":2}}',
    deep(64),
    wide(32),
  ],
  ...['{"constructor":1,"toString":2,"hasOwnProperty":3}', '[{"a":1},{"a":2}]', '{"a":[{"b":1},{"b":2}],"b":3}'],
]

t.test('what is usual', async (t) => {
  for (const text of usual) t.ok(isSure(Buffer.from(text)), text)
})

const left: Readonly<Record<string, string>> = {
  ...{ nothing: '', blanks: ' \n', 'an object that ends early': '{', 'a member alone': '{"a"}', 'no value': '{"a":}' },
  ...{ 'a comma at the end': '{"a":1,}', 'a comma at the beginning': '{,"a":1}', 'two commas': '{"a":1,,"b":2}' },
  ...{ 'no comma': '{"a":1 "b":2}', 'no colon': '{"a" 1}', 'two colons': '{"a"::1}', 'a name without quotes': '{a:1}' },
  ...{
    'other quotes': "{'a':1}",
    'a list with a comma at the end': '[1,]',
    'a list that ends early': '[1',
    crossed: '[{]}',
  },
  ...{
    'a list with a name': '["a":1]',
    'a word that ends early': 'tru',
    'a longer word': 'nulls',
    'another case': 'True',
  },
  ...{ 'no number': 'NaN', infinite: '-Infinity', 'a plus': '+1', 'a leading zero': '01', 'a minus alone': '-' },
  ...{
    'no digits before the point': '.5',
    'none after it': '1.',
    'no exponent': '1e',
    'a sign alone': '1e+',
    hexadecimal: '0x1',
  },
  ...{
    'two values': '1 2',
    'two objects': '{}{}',
    'a comment': '{"a":1/* */}',
    'another blank': '{\f"a":1}',
    'a no-break space': '\u00a01',
  },
  ...{
    'a byte order mark': '\ufeff{}',
    'a line end in a string': '"a\nb"',
    'a NUL in a string': '"a\0b"',
    'a string that goes on': '"abc',
  },
  ...{
    'an unknown escape': '"\\x41"',
    'an escape that ends early': '"\\u00e"',
    'an escape that is none': '"\\u00eg"',
    'an escape at the end': '"\\',
  },
  ...{
    'a line end in a long string': `"${'a'.repeat(200)}\n${'a'.repeat(200)}"`,
    'a long string that goes on': `"${'a'.repeat(400)}`,
  },
  ...{
    'a name twice': '{"a":1,"a":2}',
    'a name twice, far apart': '{"a":1,"b":{"a":2},"a":3}',
    'an escape in a name': '{"\\u0061":1}',
  },
  ...{
    'a name of all objects': '{"__proto__":1}',
    'the same deeper': '{"a":[{"__proto__":{}}]}',
    'deep lists': deep(65),
  },
  ...{
    'deep objects': `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
    'many members': wide(33),
    'a long name': `{"${'a'.repeat(257)}":1}`,
  },
}

t.test('what is left to a reader with more care', async (t) => {
  for (const [what, text] of Object.entries(left)) t.notOk(isSure(Buffer.from(text)), what)
  for (const bytes of [[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
    const text = Buffer.concat([Buffer.from('"a'), Buffer.from(bytes), Buffer.from('"')])
    t.notOk(isSure(text), `not UTF-8: ${bytes.map((byte) => byte.toString(16)).join(' ')}`)
  }
})

t.test('every byte, at every place of eight, beyond where bytes are read one by one', async (t) => {
  for (let place = 0; place < 8; place += 1) {
    for (let byte = 0; byte < 256; byte += 1) {
      const bytes = Buffer.from(`"${'a'.repeat(100)}"`)
      bytes[90 + place] = byte
      if (isSure(bytes) !== 'value' in readJson(bytes)) t.fail(`byte ${byte} at place ${place}`)
    }
  }
})

const special = [0x00, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0x80, 0xc3, 0xa9, 0xff]

t.test('the same behind an escape, wherever it stands', async (t) => {
  for (const before of [0, 1, 40, 47, 48, 49, 60]) {
    for (const escaped of ['\\n', '\\u00e9']) {
      for (let behind = 0; behind < 24; behind += 1) {
        for (const byte of special) {
          const bytes = Buffer.from(`"${'a'.repeat(before)}${escaped}${'a'.repeat(40)}"`)
          bytes[1 + before + escaped.length + behind] = byte
          if (isSure(bytes) !== 'value' in readJson(bytes))
            t.fail(`byte ${byte}, ${behind} behind ${escaped} at ${before}`)
        }
      }
    }
  }
})

t.test('bytes beside each other do not hide each other', async (t) => {
  for (const one of special) {
    for (const other of special) {
      for (let place = 88; place < 96; place += 1) {
        const bytes = Buffer.from(`"${'a'.repeat(110)}"`)
        bytes[place] = one
        bytes[place + 1] = other
        if (isSure(bytes) && !('value' in readJson(bytes))) t.fail(`bytes ${one} and ${other} at ${place}`)
      }
    }
  }
})

t.test('every beginning of a text, in a buffer that goes on', async (t) => {
  const text = `{"a":"${'long text '.repeat(12)}\\n","b":[1,2.5e3,true,{"c":null}],"d":"é"}`
  const bytes = Buffer.from(` ${text}`)
  for (let end = 1; end < bytes.length; end += 1) t.notOk(isSureOf(bytes.subarray(1, end)), `${end} bytes`)
  t.ok(isSureOf(bytes.subarray(1)))
})

t.test('as many names as there is room for', async (t) => {
  const nested = (levels: number, more: string) =>
    Array.from({ length: levels }).reduce<string>((inner) => `${wide(31).slice(0, -1)},"in":${inner}}`, more)
  t.ok(isSure(Buffer.from(nested(16, '0'))))
  t.notOk(isSure(Buffer.from(nested(16, '{"one":1}'))))
  t.notOk(isSure(Buffer.from(nested(15, '{"a":1,"b":2,"a":3}'))), 'the same name twice, deep inside')
  t.notOk(isSure(Buffer.from('[{"a":{"b":1},"b":2,"a":3}]')), 'behind another object')
  t.ok(isSure(Buffer.from('[{"a":{"b":1},"b":2,"c":3}]')), 'and nothing is left of the scans before')
})

const pieces = [...'"\\{}[],:0-.e \n\0é', '\\u0061', '"a":1,']

t.test('G3 what it is sure of is read by everybody, and alike', async (t) => {
  const text = fc.oneof(
    fc.constantFrom(...usual),
    fc.tuple(fc.jsonValue(), fc.constantFrom(0, 1, 2)).map(([value, blanks]) => JSON.stringify(value, null, blanks)),
    fc.string({ unit: 'grapheme', minLength: 45, maxLength: 120 }).map((long) => JSON.stringify([long])),
  )
  fc.assert(
    fc.property(text, textChanges(pieces, 3), (made, change) => {
      const bytes = Buffer.from(change(made))
      return !isSure(bytes) || 'value' in readJson(bytes)
    }),
    drawn(20_000),
  )
  t.pass()
})

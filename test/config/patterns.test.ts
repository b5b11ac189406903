// Regular expressions of OpenAPI documents: what they mean is what ECMA-262 says, and what they take is linear in a
// text.

import fc from 'fast-check'
import t from 'tap'
import { checkJsonBody } from '../../src/gateway/validation/validation.js'
import { describeService } from '../../src/openapi/describe-service.js'
import { UnsupportedPattern } from '../../src/openapi/pattern-translation.js'
import { createPatterns } from '../../src/openapi/patterns.js'
import { NoDescription } from '../../src/openapi/service-description.js'

const everyday = [
  ...[
    '^[a-z0-9-]{3,63}$',
    '^[A-Z]{2}$',
    '^[\\w\\-]+$',
    '^[\\w.\\-]+@[\\w\\-]+\\.\\w{2,}$',
    '^$',
    '',
    'a',
    'a|',
    '^a|b$',
    '^(a|b)$',
  ],
  ...[
    '^([a-zA-Z0-9]+[._-]?)+@example\\.com$',
    '^\\+?[1-9]\\d{1,14}$',
    '^\\d{4}-(0[1-9]|1[0-2])-\\d{2}$',
    '^[^\\s]+$',
    '^\\S.*\\S$',
  ],
  ...[
    '^(?=.*[A-Z])(?=.*\\d).{8,}$',
    '^(?!root$|admin)[a-z]+$',
    '^(?!-)[a-z0-9-]{1,63}(?<!-)$',
    '(?=a)^a',
    '^.*(?<=a|b)$',
    '^(?!.*--)',
  ],
  ...[
    '^.{1,2048}$',
    '^[\\s\\S]*$',
    '^[^]*$',
    '[]',
    '^[]$',
    '^\\p{L}+$',
    '^\\P{L}+$',
    '^[\\p{Lu}\\p{Nd}_]+$',
    '^\\p{Script=Greek}+$',
  ],
  ...[
    '\\bfoo\\b',
    '\\Bo',
    '^\\s*$',
    '^\\t\\n\\v\\f\\r\\0\\cA\\x41\\u0041$',
    '^\\u{1F600}$',
    '^😀{2}$',
    '^[😀-😂]$',
    '^[^a]$',
    '^.$',
    '^.{2}$',
  ],
  ...[
    '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$',
    '^(?<year>\\d{4})$',
    '^\\/v\\d+\\/',
    '^a{2,}$',
    '^(a{2}){3}$',
    '^a??b+?$',
  ],
  ...[
    '^[\\u0020-\\uD7FF\\u0009\\u000A\\u000D\\uE000-\\uFFFD]*$',
    '^[\\d.]+$',
    '^[a\\-z]$',
    '^[+\\-*/]$',
    '^[\\b]$',
    '^\\.$',
    '^\\$ref$',
    '^x-',
  ],
  // Without the flag only: kept by the grammar of their time.
  ...['^[\\w-.]+$', '^\\@\\-\\_$', '^{a}$', '^a]$', '^[\\d-x]$', '^\\-?\\d+$', '^[A-Z\\_]+$', '^\\8$', '^x{,3}$'],
]
const texts = [
  ...[
    '',
    'a',
    'b',
    'ab',
    'aa',
    'aaaaaa',
    'A',
    'Ab1',
    'Passw0rd',
    'password1',
    'root',
    'admin1',
    'rooty',
    '-a',
    'a-',
    'a-b',
    'a--b',
    'foo',
    'a foo b',
    'foot',
  ],
  ...[
    'user@example.com',
    'a.b_c-d@example.com',
    'a..b@example.com',
    '+4915112345',
    '2026-11-22',
    '2026-13-22',
    'example.com',
    'a.b.example',
    '.com',
  ],
  ...[
    ' ',
    '\u00a0',
    '\ufeff',
    '\u2028',
    '\n',
    '\r',
    'a\nb',
    'a\n',
    '\ta',
    '\v',
    'ä',
    'Ä',
    'ß',
    'Σίσυφος',
    '٣',
    '_',
    '😀',
    '😀😀',
    '😁',
    'a😀',
    '\ud83d',
    '\ude00',
  ],
  ...[
    '\t\n\v\f\r\0\u0001AA',
    '/v1/',
    '$ref',
    'x-a',
    'x',
    '12',
    '12.5',
    '-12',
    '+',
    '*',
    '\b',
    '.',
    '@-_',
    '{a}',
    'a]',
    '8',
    'x{,3}',
    '2026',
    'x'.repeat(2_048),
    'x'.repeat(2_049),
  ],
]

t.test('gateway H3: patterns mean what ECMA-262 says', async (t) => {
  const patterns = createPatterns()
  for (const source of everyday) {
    const native = nativeOf(source)
    // The language's own engine takes for ever for some.
    const comparable = texts.filter((text) => text.length < 64 || source.includes('2048'))
    const differ = comparable.filter((text) => patterns.of(source).test(text) !== native.test(text))
    t.same(native.unicode ? differ : differ.filter((text) => !/[\ud800-\udfff]/.test(text)), [], source)
  }
})

t.test('gateway H3: random patterns agree with the engine of the language on random texts', async () => {
  const { pattern } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 3 },
      tie('term'),
      fc.tuple(tie('term'), tie('pattern')).map((both) => both.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map((both) => `(?:${both.join('|')})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?'))
        .map(([of, many]) => `(${of})${many}`),
    ),
    // Not \\B: V8 finds it between the halves of a character, which ECMA-262 §22.2.7.2 does not.
    term: fc.constantFrom(
      'a',
      'b',
      '.',
      '\\w',
      '\\W',
      '\\s',
      '\\d',
      '[^a]',
      '[a-c😀]',
      '\\b',
      '^',
      '$',
      '',
      '\\p{Lu}',
      '\\n',
    ),
  }))
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'A', '1', ' ', '\n', '\u2028', '😀', '\ud83d', '_'), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, many) => {
      const compiled = createPatterns().of(source)
      const native = new RegExp(source, 'u')
      return many.every((one) => compiled.test(one.join('')) === native.test(one.join('')))
    }),
    { numRuns: 500 },
  )
})

t.test('gateway H3: what cannot be matched in linear time does not load, and says where', async (t) => {
  for (const [source, expected] of [
    ['^(\\w)\\1$', /^a back-reference cannot be matched in linear time, at character 6 of the pattern$/],
    ['^(?<q>["\'])x\\k<q>$', /back-reference.*character 13/],
    ['^a(?=b)b$', /look-ahead only next to the \^.*character 3/],
    ['(?=a)b', /look-ahead only next to the \^.*character 1/],
    ['^(a|(?!b)c)$', /look-ahead.*character 5/],
    ['(?<!a)b$', /look-behind only next to the \$.*character 1/],
    ['^(?:ab){2000}$', /multiply to more than 1000.*character 2/],
    ['^(?:a{40}){40}$', /multiply to more than 1000.*character 5/],
    ['^(?:(?:a{0,30}b){0,30}c)+(?:(?:a{0,30}b){0,30}d)+(?:(?:a{0,30}b){0,30}d)+$', /written out it has \d+ steps/],
    ['^[\\p{L}]+'.repeat(100), /too large to be written out/],
    ['(?:a{0,1000})'.repeat(310), /written out it has 310000 steps/],
    [`${'(?:'.repeat(101)}a${')?'.repeat(101)}`, /more than 100 groups within each other, at character 301/],
    ['a'.repeat(4_097), /longer than 4096 characters/],
    ['^\\-\\uD83D$', /valid with the flag u, at character 4/],
  ] as const) {
    t.match(
      messageOf(() => createPatterns().of(source)),
      expected,
      source,
    )
  }
  t.throws(() => createPatterns().of('('), SyntaxError)
  const document = (schema: unknown) => describeService(documentWith(schema))
  t.throws(() => document({ properties: { a: { pattern: '(a)\\1' } } }), {
    message:
      '#/paths/~1x/post/requestBody/content/application~1json/schema/properties/a/pattern: a back-reference cannot be matched in linear time, at character 4 of the pattern',
  })
  t.match(
    messageOf(() => document({ patternProperties: { '(?<=a)b': {} } })),
    /patternProperties\/\(\?<=a\)b: a look-behind/,
  )
  const many = Array.from({ length: 1_001 }, (_, index) => ({ pattern: `^${index}$` }))
  t.match(
    messageOf(() => document({ anyOf: many })),
    /anyOf\/1000\/pattern: this is one more than the 1000 patterns/,
  )
})

t.test('gateway H3: the everyday e-mail pattern answers within 50 ms, whatever the text', async (t) => {
  const email = '^([a-zA-Z0-9]+[._-]?)+@example\\.com$'
  for (const source of [email, '^(a|a)*$', '^(a+)+$', '^(a*)*b', '(.*)*x{0,30}!', '(a|b)*a(a|b){14}!']) {
    const check = bodyCheck({ pattern: source })
    for (const text of [`${'a'.repeat(60)}!`, `${'a'.repeat(4_095)}!`]) {
      const body = Buffer.from(JSON.stringify(text))
      const took = leastMs(() => t.equal(checkJsonBody(body, check) === undefined, source.endsWith('!'), source))
      t.ok(took < 50, `${source}: ${took.toFixed(2)} ms`)
    }
  }
})

t.test('gateway H3: all patterns of one body have one budget', async (t) => {
  // The engine meets a new state at nearly every character.
  const hard = '(a|b)*a(a|b){200}c'
  const check = bodyCheck({ items: { not: { pattern: hard } } })
  let state = 1
  const letter = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state < 2 ** 31 ? 'a' : 'b'
  }
  const body = JSON.stringify(Array.from({ length: 3_000 }, () => `${Array.from({ length: 300 }, letter).join('')} c`))
  const started = performance.now()
  const refused = checkJsonBody(Buffer.from(body), check)
  t.match(JSON.stringify(refused?.error.extras), /takes more work to check/)
  t.comment(`refused after ${(performance.now() - started).toFixed(0)} ms`)
})

/** Nothing but what a document is refused with. */
function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof UnsupportedPattern || error instanceof NoDescription) return error.message
  }
  return 'not refused as it should be'
}

function bodyCheck(schema: unknown) {
  const found = describeService(documentWith(schema)).find('POST', '/x')
  return found?.operation.body?.ofType('application/json') ?? (() => undefined)
}

function documentWith(schema: unknown): string {
  const requestBody = { content: { 'application/json': { schema } } }
  return JSON.stringify({ openapi: '3.1.0', paths: { '/x': { post: { requestBody } } } })
}

function nativeOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}

/** Of five tries: no matter what else the machine does. */
function leastMs(run: () => void): number {
  return Math.min(
    ...Array.from({ length: 5 }, () => {
      const started = performance.now()
      run()
      return performance.now() - started
    }),
  )
}

t.test(
  'gateway H3: what is too large is refused before it is made, and documents are bounded as a whole',
  async (t) => {
    // Unrolled, the first one took more than four seconds and half a gigabyte.
    const bombs = ['(?:a{0,1000})'.repeat(310), '(?:(?:a|b|c|dd|ee){1000})'.repeat(150), '[a-z]{1000}'.repeat(370)]
    for (const source of bombs) {
      const before = process.cpuUsage()
      t.match(
        messageOf(() => createPatterns().of(source)),
        /written out it has \d+ steps/,
      )
      const { user, system } = process.cpuUsage(before)
      t.ok((user + system) / 1000 < 500, `${(user + system) / 1000} ms`)
    }
    const patterns = createPatterns()
    const each = (n: number) => `^[a-z]{1,900}${n}$`
    const before = process.cpuUsage()
    t.match(
      messageOf(() => Array.from({ length: 900 }, (_, n) => patterns.of(each(n)))),
      /patterns of the document are too large together/,
    )
    const { user, system } = process.cpuUsage(before)
    t.ok((user + system) / 1000 < 15_000, `${(user + system) / 1000} ms`)
  },
)

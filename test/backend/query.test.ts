// The query options as pure functions: $filter, $orderby, $top, $skiptoken. What they may never do, over random input.

import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { parseFilter } from '../../src/backend/query/filter.js'
import { nextLink } from '../../src/backend/query/next-link.js'
import { readQueryOptions, readTop } from '../../src/backend/query/options.js'
import { parseOrderBy } from '../../src/backend/query/order-by.js'
import { createSkipToken, readSkipToken, type SkipTokenScope } from '../../src/backend/query/skip-token.js'
import { ApiError } from '../../src/http/answers/api-error.js'
import type { SubscriptionCondition } from '../../src/storage/sql/resources/subscription-lists.js'
import { tenantA, tenantB } from '../support/rooms/backend-app.js'

function refusal(work: () => unknown): ApiError | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

const enabled = { kind: 'compare', field: 'state', operator: 'eq', value: 'Enabled' } as const
const named = { kind: 'compare', field: 'displayName', operator: 'ne', value: "O'Neil" } as const
const starting = { kind: 'starts-with', field: 'displayName', value: 'Pro' } as const

t.test('$filter takes comparisons, startswith, and, or, not and parentheses with the usual precedence', async (t) => {
  const accepted: [string, SubscriptionCondition][] = [
    ["state eq 'Enabled'", enabled],
    ["  displayName  ne  'O''Neil' ", named],
    ["startswith(displayName,'Pro')", starting],
    ["startswith( displayName , 'Pro' )", starting],
    ["((state eq 'Enabled'))", enabled],
    [
      "state eq 'Enabled' or displayName ne 'O''Neil' and startswith(displayName,'Pro')",
      { kind: 'or', conditions: [enabled, { kind: 'and', conditions: [named, starting] }] },
    ],
    [
      "(state eq 'Enabled' or displayName ne 'O''Neil') and startswith(displayName,'Pro')",
      { kind: 'and', conditions: [{ kind: 'or', conditions: [enabled, named] }, starting] },
    ],
    ["not(state eq 'Enabled')", { kind: 'not', condition: enabled }],
    ["not not startswith(displayName,'Pro')", { kind: 'not', condition: { kind: 'not', condition: starting } }],
    ["state eq ''", { ...enabled, value: '' }],
    ["displayName eq 'eq or (and)'", { kind: 'compare', field: 'displayName', operator: 'eq', value: 'eq or (and)' }],
  ]
  for (const [text, expected] of accepted) t.same(parseFilter(text), expected, text)
})

t.test('$filter refuses everything else with 400 and the place where it stopped making sense', async (t) => {
  const refused: [string, RegExp][] = [
    ['', /character 1/],
    ['state', /expected eq or ne at character 6/],
    ["state gt 'A'", /character 7/],
    ['state eq Enabled', /single quotes at character 10/],
    ['state eq null', /single quotes/],
    ["'Enabled' eq state", /character 1/],
    ["id eq 'x'", /expected state or displayName at character 1/],
    ["tenant_id eq 'x'", /character 1/],
    ["State eq 'Enabled'", /character 1/],
    ["state eq 'Enabled", /character 10/],
    ["state eq 'Enabled' and", /character 23/],
    ["state eq 'Enabled' state eq 'Warned'", /end at character 20/],
    ["(state eq 'Enabled'", /expected \) at character 20/],
    ["state eq 'Enabled')", /character 19/],
    ["not state eq 'Enabled'", /after not at character 5/],
    ["contains(displayName,'x')", /character 1/],
    ["startswith('Pro',displayName)", /character 12/],
    ["state eq 'x'; drop table subscriptions", /character 13/],
    ["state eq 'x' -- ", /character 14/],
    ["startswith(displayName,'x') eq true", /end at character 29/],
    [`state eq '${'x'.repeat(1100)}'`, /1024/],
    [`displayName eq '${'€'.repeat(400)}'`, /1024/],
    [`${'('.repeat(17)}state eq 'x'${')'.repeat(17)}`, /16 deep/],
    [`${'not '.repeat(17)}startswith(state,'x')`, /16 deep/],
    [Array.from({ length: 33 }, () => "state eq 'x'").join(' or '), /32 comparisons/],
  ]
  for (const [text, message] of refused) {
    const error = refusal(() => parseFilter(text))
    t.equal(error?.status, 400, `refused: ${text.slice(0, 60)}`)
    t.match(error?.message, message)
    t.equal(error?.extras.target, '$filter')
  }
})

t.test(
  'the filter parser never throws anything but an ApiError, and reads what is written from a condition',
  async (t) => {
    const word = fc.constantFrom(
      'state',
      'displayName',
      'eq',
      'ne',
      'and',
      'or',
      'not',
      'startswith',
      '(',
      ')',
      ',',
      "'",
      "''",
      "'a'",
      ' ',
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
      fc.array(word).map((words) => words.join('')),
    )
    const answers = fc.check(
      fc.property(texts, (text) => {
        const error = refusal(() => parseFilter(text))
        return error === undefined || error.status === 400
      }),
      { numRuns: 3000 },
    )
    const same = fc.check(
      fc.property(conditions, (condition) =>
        isDeepStrictEqual(parseFilter(written(condition)), structuredClone(condition)),
      ),
      { numRuns: 200 },
    )
    t.equal(answers.failed, false, fc.defaultReportMessage(answers) ?? 'the property holds')
    t.equal(same.failed, false, fc.defaultReportMessage(same) ?? 'the property holds')
  },
)

const value = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/\p{Cs}/u.test(text))
const field = fc.constantFrom('state' as const, 'displayName' as const)
const leaf = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    field,
    operator: fc.constantFrom('eq' as const, 'ne' as const),
    value,
  }),
  fc.record({ kind: fc.constant('starts-with' as const), field, value }),
)
const conditions: fc.Arbitrary<SubscriptionCondition> = fc.letrec<{ any: SubscriptionCondition }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 2 },
    leaf,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      conditions: fc.array(tie('any'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), condition: tie('any') }),
  ),
})).any

function written(condition: SubscriptionCondition): string {
  switch (condition.kind) {
    case 'compare':
      return `${condition.field} ${condition.operator} ${quoted(condition.value)}`
    case 'starts-with':
      return `startswith(${condition.field},${quoted(condition.value)})`
    case 'not':
      return `not (${written(condition.condition)})`
    default:
      return condition.conditions.map((part) => `(${written(part)})`).join(` ${condition.kind} `)
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

t.test('$orderby always ends in the unique id', async (t) => {
  const id = { field: 'id', direction: 'asc' }
  t.same(parseOrderBy(undefined), [{ field: 'createdAt', direction: 'asc' }, id])
  t.same(parseOrderBy('displayName'), [{ field: 'displayName', direction: 'asc' }, id])
  t.same(parseOrderBy(' state desc , displayName asc '), [
    { field: 'state', direction: 'desc' },
    { field: 'displayName', direction: 'asc' },
    id,
  ])
  const refused = [
    '',
    ',',
    'id',
    'tenant_id',
    'displayName DESC',
    'displayName up',
    'state,state desc',
    'state;',
    'displayName desc,',
    'state desc asc',
    '(select 1)',
  ]
  for (const text of refused) t.equal(refusal(() => parseOrderBy(text))?.status, 400, text)
})

t.test('$top is a whole number from 1 to 200, 100 when absent', async (t) => {
  t.equal(readTop(undefined), 100)
  t.equal(readTop('1'), 1)
  t.equal(readTop('200'), 200)
  for (const text of ['0', '201', '-1', '+5', '1.5', '1e2', '0x10', ' 5', '٣', '', '9999']) {
    t.equal(refusal(() => readTop(text))?.status, 400, text)
  }
})

t.test('query options are read strictly', async (t) => {
  const all = ['$top', '$filter', '$orderby', '$skiptoken'] as const
  t.same(readQueryOptions('/x', all), {})
  t.same(readQueryOptions("/x?%24top=5&$filter=state%20eq+'A'&other=1&$orderby=state", all), {
    $top: '5',
    $filter: "state eq 'A'",
    $orderby: 'state',
  })
  const refused: [string, string][] = [
    ['/x?$top=1&%24top=2', 'InvalidQueryOption'],
    ['/x?$top', 'InvalidQueryOption'],
    ['/x?$top=', 'InvalidQueryOption'],
    ['/x?$Top=1', 'UnsupportedQueryOption'],
    ['/x?$select=state', 'UnsupportedQueryOption'],
    ['/x?$filter=%', 'InvalidQueryOption'],
    ['/x?$filter=%ff', 'InvalidQueryOption'],
    ["/x?$filter=state eq 'a%00'", 'InvalidQueryOption'],
    ['/x?$filter=a%0d%0ab', 'InvalidQueryOption'],
    ['/x?other=%00', 'InvalidQueryOption'],
  ]
  for (const [url, code] of refused) {
    t.equal(refusal(() => readQueryOptions(url, all))?.code, url.includes('other') ? undefined : code, url)
  }
  t.equal(refusal(() => readQueryOptions('/x?$top=1', []))?.code, 'UnsupportedQueryOption', 'nothing is allowed')
})

t.test('U3 a $skiptoken is good for exactly the query that it was made for', async (t) => {
  const key = new Uint8Array(32).fill(1)
  const scope: SkipTokenScope = { list: 'subscriptions', tenantId: tenantA, filter: undefined, orderBy: 'state' }
  const token = createSkipToken(key, scope, ['Enabled', 'a-id'])
  t.same(readSkipToken(key, scope, token), ['Enabled', 'a-id'])
  const [payload = '', mac = ''] = token.split('.')
  const last = mac.at(-1) ?? ''
  const otherSpelling = `${mac.slice(0, -1)}${String.fromCharCode(last.charCodeAt(0) + 1)}`
  const forged = Buffer.from('["\' or 1=1 --","x"]').toString('base64url')
  const refused: [string, SkipTokenScope, Uint8Array, string][] = [
    ['another tenant', { ...scope, tenantId: tenantB }, key, token],
    ['another list', { ...scope, list: 'resourceGroups' }, key, token],
    ['another filter', { ...scope, filter: '' }, key, token],
    ['another order', { ...scope, orderBy: undefined }, key, token],
    ['another key', scope, new Uint8Array(32), token],
    ['a changed payload', scope, key, `${forged}.${mac}`],
    ['no signature', scope, key, payload],
    ['an empty signature', scope, key, `${payload}.`],
    ['a third part', scope, key, `${token}.x`],
    ['another spelling of the signature', scope, key, `${payload}.${otherSpelling}`],
    ['padding', scope, key, `${token}=`],
    ['nothing', scope, key, ''],
  ]
  for (const [title, itsScope, itsKey, text] of refused) {
    const error = refusal(() => readSkipToken(itsKey, itsScope, text))
    t.equal(error?.status, 400, title)
    t.equal(error?.message, '$skiptoken was not issued for this query.', `${title}: the one text`)
  }
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => refusal(() => readSkipToken(key, scope, text))?.status === 400,
    ),
    { numRuns: 500 },
  )
})

t.test('the next link keeps to the public address and encodes its options (RFC 8288 §3)', async (t) => {
  const link = nextLink('https://api.example.com/x', { $filter: "displayName eq 'a>;\"&b'", $skiptoken: 'a.b' })
  t.equal(link, '<https://api.example.com/x?$filter=displayName%20eq%20\'a%3E%3B%22%26b\'&$skiptoken=a.b>; rel="next"')
})

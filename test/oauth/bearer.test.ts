// Where a bearer token is looked for, and where it must not be.

import t from 'tap'
import { BearerError } from '../../src/oauth/errors/errors.js'
import { checkTokenSyntax, readBearer } from '../../src/oauth/requests/bearer.js'

function refusal(headers: readonly string[], query?: string): [code: string, reason: string] {
  try {
    const token = readBearer(headers, query)
    checkTokenSyntax(token)
    return ['accepted', token]
  } catch (error) {
    if (error instanceof BearerError) return [error.code, error.reason]
    throw error
  }
}

t.test('a token is read from the Authorization header, its scheme in any letter case (RFC 6750 §2.1)', async (t) => {
  t.equal(readBearer(['Host', 'x', 'Authorization', 'Bearer abc.def.ghi'], undefined), 'abc.def.ghi')
  t.equal(readBearer(['AUTHORIZATION', 'bEARER  abc'], 'a=b&c=%20'), 'abc')
})

t.test('J14 no bearer token at all is no_token, never invalid_token (RFC 6750 §3.1)', async (t) => {
  for (const value of ['Basic YTpi', 'Bearerabc', 'Bearer', 'Bearer ', '']) {
    t.same(refusal(['Authorization', value]), ['no_token', 'no_token'], JSON.stringify(value))
  }
  t.same(refusal([]), ['no_token', 'no_token'])
})

t.test('J15 two Authorization headers are invalid_request, equal or not', async (t) => {
  const refused = ['invalid_request', 'two_authorization_headers']
  t.same(refusal(['Authorization', 'Bearer a', 'authorization', 'Bearer a']), refused)
  t.same(refusal(['Authorization', 'Bearer a', 'Authorization', 'Basic YTpi']), refused)
})

t.test('J15 a token in the query is invalid_request, with or without a header', async (t) => {
  const refused = ['invalid_request', 'token_in_query']
  for (const query of [
    'access_token=x',
    'a=b&access_token=',
    'access%5Ftoken=x',
    'ACCESS_TOKEN=x',
    '%61ccess_token=x',
  ]) {
    t.same(refusal(['Authorization', 'Bearer a'], query), refused, query)
    t.same(refusal([], query), refused)
  }
  t.same(refusal(['Authorization', 'Bearer a'], 'my_access_token_id=1&x=access_token'), ['accepted', 'a'])
})

t.test('J9 J10 what cannot be a token is refused before anybody decodes it', async (t) => {
  for (const token of ['a b', 'a,b', 'ä', 'a"b', 'a=b', 'Bearer a']) {
    t.same(refusal(['Authorization', `Bearer ${token}`]), ['invalid_token', 'token_malformed'], token)
  }
  t.same(refusal(['Authorization', `Bearer ${'.'.repeat(8193)}`]), ['invalid_token', 'token_too_long'])
})

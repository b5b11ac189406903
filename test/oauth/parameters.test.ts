// The parameters of a form-encoded body, what must not be in a URL, and the numbers that refusals carry.

import t from 'tap'
import { errorNumber, explainError, explainedNumbers } from '../../src/oauth/errors/error-numbers.js'
import { OAuthError } from '../../src/oauth/errors/errors.js'
import { adminConsentUri } from '../../src/oauth/requests/admin-consent-uri.js'
import { checkNoSecretsInQuery, readParameters, requireParameter } from '../../src/oauth/requests/parameters.js'
import { encodeBase62 } from '../../src/oauth/secrets/base62.js'

const repeated = { code: 'invalid_request', number: 90100 }
const malformed = { code: 'invalid_request', number: 9002313 }

t.test('T4 an empty value counts as absent and unknown parameters are ignored (RFC 6749 §3.2)', async (t) => {
  const parameters = readParameters('grant_type=client_credentials&scope=&tenant&unknown=1&unknown=2&&x[y][z]=1')
  t.equal(parameters.get('grant_type'), 'client_credentials')
  for (const name of ['scope', 'tenant', 'client_id', 'unknown', 'x', 'constructor', '__proto__']) {
    t.equal(parameters.get(name), undefined, name)
  }
  t.same(parameters.resources, [])
})

t.test(
  'T2 a known parameter that comes twice is invalid_request, equal, empty or encoded (RFC 6749 §3.2)',
  async (t) => {
    const names = [
      'grant_type',
      'scope',
      'requested_scopes',
      'client_id',
      'client_secret',
      'requested_enrollment',
      'tenant',
    ]
    for (const name of [
      ...names,
      'code',
      'code_verifier',
      'redirect_uri',
      'refresh_token',
      'token',
      'token_type_hint',
    ]) {
      t.throws(() => readParameters(`${name}=a&x=1&${name}=a`), repeated, name)
    }
    t.throws(() => readParameters('scope=&scope=a'), repeated)
    t.throws(() => readParameters('scope=a&scop%65=b'), repeated)
  },
)

t.test('resource alone may come more than once; equal values are one (RFC 8707 §2)', async (t) => {
  t.same(readParameters('resource=a&resource=a&resource=').resources, ['a'])
  t.same(readParameters('resource=a&resource=b').resources, ['a', 'b'])
})

t.test('values are percent-decoded UTF-8; broken encodings and NUL are invalid_request', async (t) => {
  t.equal(readParameters('scope=a%2Cb+c%20%C3%A9').get('scope'), 'a,b c é')
  for (const body of ['scope=%', 'scope=%zz', 'scope=%ff', '%ff=1', 'scope=a%00', 'scope=\0', 'unknown=%']) {
    t.throws(() => readParameters(body), malformed, JSON.stringify(body))
  }
})

t.test('T27 ten thousand parameters are refused without much work, and nested names are plain strings', async (t) => {
  const body = Array.from({ length: 10_000 }, (_, i) => `p${i}=1`).join('&')
  const costs = [1, 2, 3, 4, 5].map(() => {
    const before = process.cpuUsage().user
    t.throws(() => readParameters(body), malformed)
    return process.cpuUsage().user - before
  })
  // The least of some: other threads of the process may collect garbage meanwhile.
  t.ok(Math.min(...costs) < 50_000, 'less than 50 ms of CPU')
  t.equal(readParameters('client_id[x]=1&client_id=a').get('client_id'), 'a')
})

t.test('T3 a secret, code, verifier or token in the query is invalid_request, whatever it says', async (t) => {
  for (const name of [
    'client_secret',
    'code',
    'code_verifier',
    'token',
    'access_token',
    'refresh_token',
    'client_assertion',
  ]) {
    t.throws(() => checkNoSecretsInQuery(`${name}=x`), repeated, name)
    t.throws(() => checkNoSecretsInQuery(`a=b&${name}`), repeated, `${name}, empty`)
  }
  t.throws(() => checkNoSecretsInQuery('client%5Fsecret=x'), repeated, 'encoded')
  t.throws(() => checkNoSecretsInQuery('CLIENT_SECRET=x'), repeated, 'in another letter case')
  for (const query of [undefined, '', 'client-request-id=1&client_id=x&scope=code']) checkNoSecretsInQuery(query)
})

t.test('a missing parameter is named with 900144', async (t) => {
  const parameters = readParameters('grant_type=')
  t.throws(() => requireParameter(parameters, 'grant_type'), {
    code: 'invalid_request',
    number: 900144,
    message: /grant_type/,
  })
  t.equal(requireParameter(readParameters('grant_type=x'), 'grant_type'), 'x')
})

t.test('T24 an error description has only the characters that RFC 6749 §5.2 allows', async (t) => {
  const { description } = new OAuthError('invalid_scope', 'a"b\\c\r\nd\u2028é~!', { number: 1 })
  t.equal(description, 'a?b?c??d??~!')
})

t.test('every number that is sent has an explanation', async (t) => {
  t.same(
    explainedNumbers(),
    Object.values(errorNumber).sort((a, b) => a - b),
  )
  for (const number of explainedNumbers()) {
    const explanation = explainError(number)
    t.ok(explanation?.title && explanation.meaning && explanation.remedy, String(number))
  }
  t.equal(explainError(1), undefined)
})

t.test('the admin consent address carries its parameters encoded', async (t) => {
  const uri = adminConsentUri('https://id.example', {
    applicationId: 'a',
    tenantId: 't',
    scope: 'https://api.example/.default',
  })
  t.equal(
    uri,
    'https://id.example/api/v2/oauth2/v2.0/adminconsent?client_id=a&tenant=t&scope=https%3A%2F%2Fapi.example%2F.default',
  )
})

t.test('base62 is padded, and refuses what does not fit', async (t) => {
  t.equal(encodeBase62(new Uint8Array(0), 2), '00')
  t.equal(encodeBase62(Uint8Array.of(61), 2), '0z')
  t.equal(encodeBase62(Uint8Array.of(62), 2), '10')
  t.throws(() => encodeBase62(Uint8Array.of(255, 255), 2), RangeError)
})

t.test('a form is read the same whether or not anything in it is encoded', async (t) => {
  const read = (body: string) => readParameters(body).get('scope')
  t.equal(read('scope=a_b-c.d~e'), 'a_b-c.d~e')
  t.equal(read('%73cope=a%5fb'), 'a_b')
  t.equal(read('scope=a+b'), 'a b')
  t.equal(read('scope=é=/:'), 'é=/:')
  for (const broken of ['scope=%', 'scope=%zz', 'scope=%c3', 'scope=a\0b', 'scope=a%00b', 'sc\0ope=a', '\0=a']) {
    t.throws(() => read(broken), { code: 'invalid_request' }, JSON.stringify(broken))
  }
})

// The caller of a request: found, verified, remembered, and checked at every request all the same.

import t from 'tap'
import { createAuthenticator } from '../../src/access/authenticate.js'
import type { TokenPrincipal } from '../../src/access/principal.js'
import { revocableToken, tokenPrincipal } from '../../src/access/token-principal.js'
import { BearerError } from '../../src/oauth/errors/errors.js'
import { createRevocationView } from '../../src/revocation/revocation-view.js'
import type { ChangeEntry } from '../../src/storage/changes/feed.js'
import {
  appClaims,
  applicationId,
  forge,
  issuer,
  nowSeconds,
  resource,
  tenantId,
  testKey,
  testKeyring,
  userClaims,
  userId,
} from '../support/tokens/tokens-forge.js'

const key = await testKey('es-key', 'ES256')

/** An authenticator on a clock, a keyring and a view that a test moves. */
function gate(options: { cacheEntries?: number; connection?: object } = {}) {
  const clock = { ms: nowSeconds * 1000, seq: 100 }
  const keyring = testKeyring(key)
  const view = createRevocationView({
    feed: {
      get seq() {
        return clock.seq
      },
      ageMs: () => 0,
    },
    staleAfterMs: 5_000,
    horizonMs: 0,
    now: () => clock.ms,
  })
  const cacheEntries = options.cacheEntries ?? 100
  const authenticator = createAuthenticator({
    keyring,
    view,
    issuer,
    leewaySeconds: 60,
    cacheEntries,
    now: () => clock.ms,
  })
  const ask = (rawHeaders: readonly string[], query?: string, wanted = resource): TokenPrincipal | string => {
    try {
      return authenticator.authenticate(rawHeaders, query, wanted, options.connection)
    } catch (error) {
      return error instanceof BearerError ? `${error.code} ${error.reason}` : `threw ${String(error)}`
    }
  }
  const call = (token: string, wanted = resource) =>
    ask(['Host', 'localhost', 'Authorization', `Bearer ${token}`], undefined, wanted)
  const change = (entry: ChangeEntry) => {
    clock.seq += 1
    void view.apply({ seq: clock.seq, at: clock.ms, entry })
  }
  /** Whether the call is allowed, else why not. */
  const outcome = (token: string, wanted = resource) => {
    const answer = call(token, wanted)
    return typeof answer === 'string' ? answer : 'allowed'
  }
  return { clock, keyring, ask, call, outcome, change }
}

t.test(
  'an app token becomes an application, a user token a delegated caller, each with the permissions of its kind',
  async (t) => {
    const { call } = gate()
    const common = {
      applicationId,
      tenantId,
      resource,
      issuedAt: nowSeconds,
      expiresAt: nowSeconds + 3600,
      credentialId: 'k1',
      seq: 7,
    }
    const roles = ['A.Read', 'B.Read']
    const app = call(forge(key, appClaims({ roles, scope: 'C.Read D.Read' })))
    t.match(app, { kind: 'application', ...common })
    t.same([...(app as TokenPrincipal).permissions], roles, 'roles, never the scope')
    const user = call(forge(key, userClaims({ scope: 'E.Read  F.Read' })))
    t.match(user, { kind: 'delegated', ...common, userId, grantId: 'grant-1' })
    t.same([...(user as TokenPrincipal).permissions], ['E.Read', 'F.Read'])
    t.same([...(call(forge(key, userClaims({ scope: '' }))) as TokenPrincipal).permissions], [])
  },
)

t.test('what the view checks is what the token claims', async (t) => {
  const app = { jti: appClaims().jti, credentialId: 'k1', applicationId, tenantId, seq: 7 }
  t.same(revocableToken(tokenPrincipal(appClaims(), 'kid')), app)
  t.same(revocableToken(tokenPrincipal(userClaims(), 'kid')), { ...app, userId, grantId: 'grant-1' })
})

t.test('J14 no token, or another scheme, is distinguished from a bad token (RFC 6750 §3.1)', async (t) => {
  const { ask } = gate()
  for (const headers of [
    [],
    ['Authorization', 'Basic YTpi'],
    ['Authorization', ''],
    ['Authorization', 'Bearer'],
    ['X-Authorization', 'Bearer a'],
  ]) {
    t.match(ask(headers), /^no_token /, JSON.stringify(headers))
  }
  for (const value of [
    'Bearer a',
    'Bearer a.b.c',
    'bearer a.b.c',
    'BEARER ...',
    `Bearer ${forge(key)}x`,
    'Bearer null',
  ]) {
    t.match(ask(['Authorization', value]), /^invalid_token /, value.slice(0, 20))
  }
  t.equal(typeof ask(['authorization', `bearer ${forge(key)}`]), 'object', 'names and scheme in any case')
})

t.test('J15 a token in the query, and two credentials, are an invalid request (RFC 6750 §2, §3.1)', async (t) => {
  const { ask } = gate()
  const token = forge(key)
  const header = ['Authorization', `Bearer ${token}`]
  for (const query of [`access_token=${token}`, `a=b&access_token=${token}`, 'access_token=', 'access%5Ftoken=x']) {
    t.match(ask([], query), /^invalid_request /, `alone: ${query.slice(0, 20)}`)
    t.match(ask(header, query), /^invalid_request /, `beside the header: ${query.slice(0, 20)}`)
  }
  t.match(ask([...header, ...header]), /^invalid_request /, 'twice the same')
  t.match(ask([...header, 'authorization', 'Basic YTpi']), /^invalid_request /)
  t.match(ask(['AUTHORIZATION', '', ...header]), /^invalid_request /)
  t.match(ask(['Cookie', `access_token=${token}`]), /^no_token /, 'a cookie is no credential here')
  t.equal(typeof ask(header, 'access=1&token=2'), 'object')
})

t.test('J6 a token is good for the resource that it names and for no other, on a hit too', async (t) => {
  const { outcome } = gate()
  const token = forge(key)
  const others = ['https://other.example', `${resource}/`, resource.toUpperCase(), issuer, '', `${resource}\u0000`]
  for (const other of others) t.equal(outcome(token, other), 'invalid_token wrong_audience')
  t.equal(outcome(token), 'allowed')
  for (const other of others) t.equal(outcome(token, other), 'invalid_token wrong_audience', 'remembered')
})

t.test('J12 what is remembered is this token under these keys: nothing else is taken for it', async (t) => {
  const { outcome, keyring } = gate()
  const token = forge(key)
  t.equal(outcome(token), 'allowed')
  const { lookups } = keyring
  t.equal(outcome(token), 'allowed')
  t.equal(keyring.lookups, lookups, 'the second time no signature is checked')
  t.equal(outcome(forge(key, appClaims({ jti: 'another' }))), 'allowed')
  t.ok(keyring.lookups > lookups, 'another token is another question')
  for (const near of [
    `${token}A`,
    token.slice(0, -1),
    token.toLowerCase(),
    `${token.slice(0, -2)}${token.endsWith('AA') ? 'BA' : 'AA'}`,
  ]) {
    t.not(outcome(near), 'allowed', near.slice(-6))
  }
})

t.test('J12 J16 a new generation of keys asks again: a removed key is not believed, a kept one is', async (t) => {
  const { outcome, keyring } = gate()
  const other = await testKey('es-2', 'ES256')
  keyring.keys.set('es-2', other)
  const [removed, kept] = [forge(key), forge(other)]
  t.equal(outcome(removed), 'allowed')
  t.equal(outcome(kept), 'allowed')
  keyring.keys.delete('es-key')
  keyring.generation += 1
  t.equal(outcome(removed), 'invalid_token unknown_key')
  t.equal(outcome(kept), 'allowed')
})

t.test('J12 a hit is still checked for its end, its beginning and its revocation', async (t) => {
  const { outcome, clock, change } = gate()
  const token = forge(key)
  t.equal(outcome(token), 'allowed')
  clock.ms += 3_659_999
  t.equal(outcome(token), 'allowed', 'the last millisecond of the leeway')
  clock.ms += 1
  t.equal(outcome(token), 'invalid_token expired')
  clock.ms = (nowSeconds - 60) * 1000
  t.equal(outcome(token), 'allowed')
  clock.ms -= 1
  t.equal(outcome(token), 'invalid_token not_yet_valid', 'a clock that was set back')
  clock.ms = nowSeconds * 1000
  change({ kind: 'revoked', what: 'token', id: appClaims().jti, expiresAt: clock.ms + 3_600_000 })
  t.equal(outcome(token), 'invalid_token token_revoked')
})

t.test('J12 J16 V9 on one connection too, every request is judged by itself', async (t) => {
  const other = await testKey('es-2', 'ES256')
  const { outcome, ask, keyring, clock, change } = gate({ connection: {} })
  keyring.keys.set('es-2', other)
  const token = forge(key)
  const near = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BA' : 'AA'}`
  const second = forge(other, appClaims({ jti: 'second' }))
  t.equal(outcome(token), 'allowed')
  const { lookups } = keyring
  t.equal(outcome(token), 'allowed')
  t.equal(keyring.lookups, lookups, 'the second time no signature is checked')
  t.equal(outcome(near), 'invalid_token bad_signature', 'another token')
  t.equal(ask(['Host', 'localhost']), 'no_token no_token', 'and none at all')
  t.equal(outcome(token, 'https://other.example'), 'invalid_token wrong_audience')
  t.equal(outcome(second), 'allowed')
  t.equal(outcome(token), 'allowed')
  clock.ms += 3_660_000
  t.equal(outcome(token), 'invalid_token expired')
  clock.ms -= 3_660_000
  t.equal(outcome(token), 'allowed')
  change({ kind: 'revoked', what: 'token', id: appClaims().jti, expiresAt: clock.ms + 3_600_000 })
  t.equal(outcome(token), 'invalid_token token_revoked')
  t.equal(outcome(second), 'allowed')
  keyring.keys.delete('es-2')
  keyring.generation += 1
  t.equal(outcome(second), 'invalid_token unknown_key')
})

t.test('V9 a remembered token is refused by the very next call after any revocation that concerns it', async (t) => {
  const expiresAt = nowSeconds * 1000 + 86_400_000
  const app = forge(key)
  const user = forge(key, userClaims())
  const changes: [ChangeEntry, string, string][] = [
    [{ kind: 'revoked', what: 'credential', id: 'k1', expiresAt }, app, 'credential_revoked'],
    [{ kind: 'revoked', what: 'application', id: applicationId, expiresAt }, app, 'application_revoked'],
    [{ kind: 'revoked', what: 'tenant', id: tenantId, expiresAt }, app, 'tenant_revoked'],
    [{ kind: 'revoked', what: 'user', id: userId, expiresAt }, user, 'user_revoked'],
    [{ kind: 'revoked', what: 'grant', id: 'grant-1', expiresAt }, user, 'grant_revoked'],
    [{ kind: 'application', applicationId, state: 'disabled' }, app, 'application_disabled'],
    [{ kind: 'tenant', tenantId, state: 'disabled' }, user, 'tenant_disabled'],
    [{ kind: 'user', userId, state: 'disabled' }, user, 'user_disabled'],
    [{ kind: 'credential-end', keyId: 'k1', endsAt: nowSeconds * 1000 }, user, 'credential_expired'],
  ]
  for (const [entry, token, reason] of changes) {
    const { outcome, change } = gate()
    t.equal(outcome(token), 'allowed')
    change(entry)
    t.equal(outcome(token), `invalid_token ${reason}`)
    t.equal(outcome(token), `invalid_token ${reason}`, 'and ever after')
  }
})

t.test('a revocation of somebody else, or one that the issuer knew of, does not concern a token', async (t) => {
  const { outcome, change } = gate()
  const expiresAt = nowSeconds * 1000 + 86_400_000
  const late = forge(key, appClaims({ seq: 101 }))
  change({ kind: 'revoked', what: 'application', id: applicationId, expiresAt })
  change({ kind: 'revoked', what: 'application', id: userId, expiresAt })
  change({ kind: 'revoked', what: 'token', id: 'another', expiresAt })
  t.equal(outcome(late), 'allowed')
  t.equal(outcome(forge(key)), 'invalid_token application_revoked')
})

t.test('gateway M4: a token that names a change which is not known here is refused', async (t) => {
  const { outcome, change } = gate()
  const ahead = forge(key, appClaims({ seq: 102 }))
  t.equal(outcome(ahead), 'invalid_token unknown_change')
  change({ kind: 'keys' })
  t.equal(outcome(ahead), 'invalid_token unknown_change')
  change({ kind: 'keys' })
  t.equal(outcome(ahead), 'allowed', 'as soon as it is')
})

t.test('refused tokens are not remembered, and a full memory forgets the least used', async (t) => {
  const { outcome, keyring } = gate({ cacheEntries: 2 })
  const tokens = ['a', 'b', 'c'].map((jti) => forge(key, appClaims({ jti })))
  for (const token of tokens) t.equal(outcome(token), 'allowed')
  const { lookups } = keyring
  for (let again = 0; again < 10; again += 1) outcome(forge(key, appClaims({ iss: 'x' })))
  t.equal(keyring.lookups, lookups + 10)
  t.equal(outcome(tokens[2] ?? ''), 'allowed')
  t.equal(keyring.lookups, lookups + 10, 'the last two are still there')
  t.equal(outcome(tokens[0] ?? ''), 'allowed')
  t.equal(keyring.lookups, lookups + 11, 'the first one was verified again')
})

t.test('nothing that a caller gets contains its token or says why exactly', async (t) => {
  const { keyring } = gate()
  const view = { refusal: () => 'application_disabled' as const }
  const authenticator = createAuthenticator({
    keyring,
    view,
    issuer,
    leewaySeconds: 60,
    cacheEntries: 9,
    now: () => nowSeconds * 1000,
  })
  for (const token of [forge(key), `${forge(key)}x`, forge(await testKey('es-key', 'ES256'))]) {
    let refusal: unknown
    try {
      authenticator.authenticate(['Authorization', `Bearer ${token}`], undefined, resource)
    } catch (error) {
      refusal = error
    }
    t.ok(refusal instanceof BearerError && refusal.code === 'invalid_token')
    t.ok(!String(refusal).includes(token.slice(0, 30)))
    t.notMatch(String(refusal), /disabled|signature|kid/)
  }
})

// The caller of a request: found, verified, remembered, and checked at every request all the same.

import t from 'tap'
import { createAuthenticator } from '../../src/access/authenticate.js'
import type { TokenPrincipal } from '../../src/access/principal.js'
import { revocableToken, tokenPrincipal } from '../../src/access/token-principal.js'
import { createForgedTokens, type ForgedTokens } from '../../src/limits/forged-tokens.js'
import { BearerError } from '../../src/oauth/errors/errors.js'
import { createRevocationView } from '../../src/revocation/revocation-view.js'
import type { ChangeEntry } from '../../src/storage/changes/feed.js'
import { createInProcessCounters } from '../../src/storage/counters/in-process.js'
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
function gate(options: { cacheEntries?: number; connection?: object; forgedTokens?: ForgedTokens } = {}) {
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
    ...(options.forgedTokens === undefined ? {} : { forgedTokens: options.forgedTokens }),
    now: () => clock.ms,
  })
  const origin = options.connection && { raw: { socket: options.connection }, facts: { address: '192.0.2.1' } }
  const ask = (rawHeaders: readonly string[], query?: string, wanted = resource): TokenPrincipal | string => {
    try {
      return authenticator.authenticate(rawHeaders, query, wanted, origin)
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
  return { clock, keyring, authenticator, ask, call, outcome, change }
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

t.test(
  'J2 forged tokens from one address: after a thousand no signature is looked at, and remembered tokens go on',
  async (t) => {
    const clock = { ms: 1_000_000 }
    const counters = createInProcessCounters()
    const forgedTokens = createForgedTokens({ counters, monotonic: () => clock.ms })
    const { outcome, keyring } = gate({ connection: {}, forgedTokens })
    const known = forge(key, appClaims({ jti: 'known' }))
    t.equal(outcome(known), 'allowed')
    const forged = forge(await testKey('es-key', 'ES256'))
    for (let i = 0; i < 1_000; i += 1) if (outcome(forged) !== 'invalid_token bad_signature') t.fail(`${i}`)
    const { lookups } = keyring
    t.equal(outcome(forged), 'invalid_token forged_too_often')
    t.equal(
      outcome(forge(key, appClaims({ jti: 'new' }))),
      'invalid_token forged_too_often',
      'a new one cannot be told apart',
    )
    t.equal(keyring.lookups, lookups, 'not even its key was looked up')
    t.equal(outcome(known), 'allowed', 'a token that was verified before needs no signature')
    const elsewhere = gate({
      connection: {},
      forgedTokens: { ...forgedTokens, waitSeconds: () => forgedTokens.waitSeconds('192.0.2.2') },
    })
    t.equal(elsewhere.outcome(forge(key)), 'allowed', 'other addresses notice nothing')
    const wait = forgedTokens.waitSeconds('192.0.2.1')
    t.ok(wait >= 1 && wait <= 60, `${wait} s`)
    clock.ms += 63_000
    t.equal(outcome(forge(key, appClaims({ jti: 'new' }))), 'allowed', 'the wait ends')
  },
)

t.test(
  'J2 forged tokens from many addresses of one IPv6 network: its holder has four times as many, and no more',
  async (t) => {
    const forgedTokens = createForgedTokens({ counters: createInProcessCounters(), monotonic: () => 1_000_000 })
    const addressOf = (i: number) => `2001:db8:1:${i.toString(16)}::1`
    let counted = 0
    while (counted < 5_000 && forgedTokens.waitSeconds(addressOf(counted)) === 0) {
      forgedTokens.record(addressOf(counted))
      counted += 1
    }
    t.equal(counted, 4_000)
    t.ok(forgedTokens.waitSeconds('2001:db8:1:ffff::9') > 0, 'one that has sent none')
    t.equal(forgedTokens.waitSeconds('2001:db8:2::1'), 0, 'another network')
  },
)

t.test('what is wrong with a token otherwise counts for nothing', async (t) => {
  let recorded = 0
  const forgedTokens = {
    waitSeconds: () => 0,
    record: () => {
      recorded += 1
    },
  }
  const { outcome } = gate({ connection: {}, forgedTokens })
  const expired = appClaims({ iat: nowSeconds - 9_000, nbf: nowSeconds - 9_000, exp: nowSeconds - 8_000 })
  for (const token of [forge(key, expired), 'x', forge(await testKey('unknown', 'ES256'))]) outcome(token)
  t.equal(recorded, 0)
  outcome(forge(await testKey('es-key', 'ES256')))
  t.equal(recorded, 1)
})

t.test(
  'J12 a token that this process has just made is taken without its signature, and revoked as any other',
  async (t) => {
    const { authenticator, change, clock, keyring, outcome } = gate()
    // Under another key of the same name, so that its signature would be found wrong if it were looked at.
    const other = await testKey('es-key', 'ES256')
    const token = forge(other)
    t.equal(outcome(token), 'invalid_token bad_signature')
    authenticator.issued(applicationId, token)
    t.equal(outcome(token), 'allowed')
    t.equal(
      outcome(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`).startsWith('invalid_token'),
      true,
      'no other',
    )
    change({ kind: 'application', applicationId, state: 'disabled' } as unknown as ChangeEntry)
    t.match(outcome(token), /^invalid_token/, 'the revocation view is consulted all the same')
    const expiring = gate()
    expiring.authenticator.issued(applicationId, token)
    expiring.clock.ms += 4_000_000
    t.match(expiring.outcome(token), /expired/)
    const removed = gate()
    removed.authenticator.issued(applicationId, token)
    removed.keyring.keys.delete('es-key')
    t.match(removed.outcome(token), /unknown_key/, 'its key has to be there')
    t.ok(clock.seq > 0 && keyring.keys.size === 1)
  },
)

t.test('of one application the last eight are taken so, and none of another gives way to them', async (t) => {
  const { authenticator, outcome } = gate()
  const other = await testKey('es-key', 'ES256')
  const tokens = Array.from({ length: 9 }, (_, i) => forge(other, appClaims({ jti: `t${i}` })))
  const quiet = forge(other, appClaims({ jti: 'quiet' }))
  authenticator.issued('quiet', quiet)
  for (const token of tokens) authenticator.issued('busy', token)
  t.equal(outcome(tokens[0] ?? ''), 'invalid_token bad_signature', 'the oldest is verified as ever')
  t.equal(outcome(tokens[8] ?? ''), 'allowed')
  t.equal(outcome(quiet), 'allowed')
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

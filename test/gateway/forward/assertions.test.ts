// How often an identity is signed: once for all tokens of a caller, and anew whenever it would say something else.

import t from 'tap'
import type { TokenPrincipal } from '../../../src/access/principal.js'
import { tokenPrincipal } from '../../../src/access/token-principal.js'
import { createAssertions } from '../../../src/gateway/forward/assertions.js'
import type { Keyring } from '../../../src/tokens/keys/keys.js'
import { appClaims, issuer, nowSeconds, resource, testKey, userClaims } from '../../support/tokens/tokens-forge.js'

const keys = [await testKey('one', 'ES256'), await testKey('two', 'ES256')] as const
const slot = {}

function scene() {
  const keyring = {
    generation: 1,
    signed: 0,
    signingKey() {
      keyring.signed += 1
      return keys[keyring.generation - 1]
    },
  }
  const clock = { ms: nowSeconds * 1000 }
  const assertions = createAssertions({ keyring: keyring as unknown as Keyring, issuer, now: () => clock.ms })
  const tell = async (
    principal: TokenPrincipal,
    more: { permissions?: string[]; audience?: string; slot?: object; exchangeable?: boolean } = {},
  ) => {
    const about = { principal, audience: 'things', permissions: ['User.Read.All'], slot, ...more }
    const [, token = ''] = (await assertions.authorization(about)).split(' ')
    const [header, claims] = token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    return { token, header, claims }
  }
  return { keyring, clock, assertions, tell }
}

const app = (changes: Record<string, unknown> = {}) => tokenPrincipal(appClaims(changes), 'key')
const user = (changes: Record<string, unknown> = {}) => tokenPrincipal(userClaims(changes), 'key')

t.test('a hundred tokens of one caller take one signature, and it is at hand without waiting', async (t) => {
  const { keyring, tell, assertions } = scene()
  const { token, claims } = await tell(app())
  for (let i = 0; i < 99; i += 1) t.equal((await tell(app({ jti: `t${i}`, seq: i, cid: `k${i}` }))).token, token)
  t.equal(keyring.signed, 1)
  t.notMatch(claims, { cid: /./ }, 'it says nothing of the token')
  const about = { principal: app({ jti: 'last' }), audience: 'things', permissions: ['User.Read.All'], slot }
  t.type(assertions.authorization(about), 'string')
})

t.test('whatever it would say otherwise makes another one', async (t) => {
  const { keyring, tell } = scene()
  const seen = new Map([[(await tell(app())).token, 'the first']])
  const differs = async (what: string, made: ReturnType<typeof tell>, said: object) => {
    const { token, claims } = await made
    t.notOk(seen.has(token), `${what} is not told as ${seen.get(token)}`)
    t.match(claims, said, what)
    seen.set(token, what)
  }
  const [other, more] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
  await differs('another tenant', tell(app({ tid: other })), { tid: other })
  await differs('another application', tell(app({ client_id: other, sub: other })), { sub: other, client_id: other })
  await differs('a person', tell(user()), { idtyp: 'user', scope: 'User.Read.All' })
  await differs('another person', tell(user({ sub: more })), { sub: more })
  await differs('the person in another tenant', tell(user({ tid: other })), { tid: other })
  await differs('another permission', tell(app(), { permissions: ['User.Read'] }), { scope: 'User.Read' })
  await differs('two', tell(app(), { permissions: ['User.Read', 'b'] }), { scope: 'User.Read b' })
  await differs('another service', tell(app(), { audience: 'other', slot: {} }), { aud: 'other' })
  await differs('an issuer outside', tell({ ...app(), issuer: 'x', assertions: undefined }), { aud: 'things' })
  t.equal(keyring.signed, seen.size)
  for (const principal of [app(), app({ tid: other }), user({ sub: more })]) await tell(principal)
  t.equal(keyring.signed, seen.size, 'and each of them is kept')
})

t.test('a call on behalf of a person says who acts, and for whom that one does (RFC 8693 §4.1)', async (t) => {
  const { keyring, tell } = scene()
  const parent = (client_id: string) => ({ client_id, jti: `j-${client_id}`, cid: 'k', seq: 1, kid: 'one' })
  const client_id = user().applicationId
  t.same((await tell(app())).claims.act, undefined, 'an application that acts as itself is the subject')
  t.same((await tell(user())).claims.act, { sub: client_id })
  const chained = user({ via: [parent('desk'), parent('agent')] })
  t.same((await tell(chained)).claims.act, { sub: client_id, act: { sub: 'desk', act: { sub: 'agent' } } })
  const other = await tell(user({ via: [parent('desk'), parent('other')] }))
  t.match(other.claims.act, { act: { act: { sub: 'other' } } }, 'never the chain of another call')
  const before = keyring.signed
  await tell(user({ jti: 'b', via: [parent('desk'), parent('other')] }))
  t.equal(keyring.signed, before, 'and shared by the tokens of one chain')
})

t.test('where a service may exchange it, it says which token it was, and each token has one of its own', async (t) => {
  const { keyring, tell } = scene()
  const one = user({ jti: 'one', cid: 'c', seq: 5 })
  const first = await tell(one, { exchangeable: true })
  t.same(first.claims.token, {
    ...{ aud: resource, jti: 'one', cid: 'c', gid: 'grant-1', seq: 5, kid: 'key', exp: nowSeconds + 3600 },
  })
  t.equal((await tell(one, { exchangeable: true })).token, first.token, 'signed once')
  const second = await tell(user({ jti: 'two' }), { exchangeable: true })
  t.equal(second.claims.token.jti, 'two')
  t.same((await tell(one)).claims.token, undefined, 'and said nowhere else')
  t.same((await tell(app({ jti: 'three' }), { exchangeable: true })).claims.token, undefined)
  t.same(
    (await tell({ ...one, issuer: 'x', assertions: undefined }, { exchangeable: true })).claims.token,
    undefined,
    'of an issuer outside',
  )
  t.equal(keyring.signed, 5)
})

t.test('it is signed anew after three quarters of its life, and at once under other keys', async (t) => {
  const { keyring, clock, tell } = scene()
  const first = await tell(app())
  clock.ms += 44_999
  t.equal((await tell(app({ jti: 'b' }))).token, first.token)
  clock.ms += 1
  const second = await tell(app({ jti: 'c' }))
  t.not(second.token, first.token)
  t.equal(second.claims.exp, nowSeconds + 105)
  keyring.generation = 2
  const third = await tell(app({ jti: 'd' }))
  t.equal(third.header.kid, 'two', 'the key of before may be gone')
  t.equal(keyring.signed, 3)
})

t.test('no token is told for longer than it lasts because another one of its caller lasts longer', async (t) => {
  const { keyring, tell } = scene()
  t.equal((await tell(app())).claims.exp, nowSeconds + 60)
  const ending = await tell(app({ jti: 'b', exp: nowSeconds + 20 }))
  t.equal(ending.claims.exp, nowSeconds + 20)
  t.equal(
    (await tell(app({ jti: 'c', exp: nowSeconds - 5 }))).claims.exp,
    nowSeconds + 10,
    'the call itself needs some',
  )
  const before = keyring.signed
  await tell(app({ jti: 'd', exp: nowSeconds + 20 }))
  t.equal(keyring.signed, before)
})

t.test('what reloads leave behind is forgotten', async (t) => {
  const { clock, tell } = scene()
  const caller = app()
  for (let reload = 0; reload < 200; reload += 1) {
    await tell(caller, { slot: {} })
    clock.ms += 10_000
  }
  t.ok((caller.assertions?.size ?? 0) <= 16, `${caller.assertions?.size} slots`)
})

t.test('without a key to sign with nothing is told', async (t) => {
  const keyring = {
    generation: 1,
    signingKey() {
      throw new Error('no key')
    },
  }
  const assertions = createAssertions({ keyring: keyring as unknown as Keyring, issuer, now: Date.now })
  const about = { principal: app(), audience: 'things', permissions: [], slot }
  await t.rejects(async () => assertions.authorization(about), /no key/)
  await t.rejects(Promise.resolve(assertions.authorization(about)), /no key/, 'rejected, and not thrown')
})

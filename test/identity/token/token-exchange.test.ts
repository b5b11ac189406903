// Token exchange (RFC 8693, decision 154): a service behind the gate calls another one for its caller's person, with
// less than each of them may, for as long as the call's own token lasts.

import t from 'tap'
import { ownResource } from '../../support/rooms/directory.js'
import {
  accessTokenType,
  assertionType,
  billingResource,
  booksResource,
  deskResource,
  exchangeGrant,
  openExchange,
} from '../../support/rooms/exchange.js'
import { introspectPath, readToken, tokenPath } from '../../support/rooms/identity.js'

const forBilling = { resource: billingResource, scope: 'billing.read' }
const words = (scope: unknown) => String(scope).split(' ').sort()

t.test('an assertion becomes a token for another API: the person, both applications, never more time', async (t) => {
  const app = await openExchange(t)
  const { agent, desk, user, tenantId, exchange } = app
  const token = await app.agentToken()
  const { claims: before } = readToken(token)
  app.clock.nowMs += 30_000
  const { status, body, claims } = await exchange(desk, await app.assertion(token), forBilling)
  t.equal(status, 200)
  t.match(body, { issued_token_type: accessTokenType, token_type: 'Bearer', scope: 'billing.read' })
  t.notOk('refresh_token' in body || 'id_token' in body)
  t.match(claims, {
    aud: billingResource,
    sub: user.userId,
    client_id: desk.applicationId,
    tid: tenantId,
    idtyp: 'user',
    scope: 'billing.read',
    gid: before['gid'],
    cid: desk.keyId,
    acr: '1',
    act: { sub: desk.applicationId, act: { sub: agent.applicationId } },
  })
  t.equal(claims.exp, before['exp'], 'it ends with the call’s own token, half a minute sooner than a new one')
  t.not(claims.jti, before['jti'])
  const answer = await app.post(introspectPath, { token: String(body['access_token']), ...desk.client })
  t.match(answer.json(), { active: true, act: claims.act, aud: billingResource })
})

t.test('an access token of the resource is taken too, and its type is said', async (t) => {
  const app = await openExchange(t)
  const token = await app.agentToken()
  const asToken = { ...forBilling, subject_token_type: accessTokenType }
  const { status, claims } = await app.exchange(app.desk, token, asToken)
  t.equal(status, 200)
  t.same(
    claims.via?.map(({ jti }) => jti),
    [readToken(token).claims['jti']],
  )
  t.match((await app.exchange(app.desk, token, forBilling)).body, { error: 'invalid_request', error_codes: [50013] })
  const assertion = await app.assertion(token)
  t.match((await app.exchange(app.desk, assertion, asToken)).body, { error_codes: [50013] })
  for (const type of ['urn:ietf:params:oauth:token-type:id_token', 'jwt', '']) {
    const { status, body } = await app.exchange(app.desk, token, { ...forBilling, subject_token_type: type })
    t.match([status, body], [400, { error: 'invalid_request' }], type)
  }
})

t.test(
  'T28 what the caller may, what the service may, what is requested: the least of them, and never silently',
  async (t) => {
    const sets = { none: [], read: ['billing.read'], both: ['billing.read', 'billing.write'] } as const
    const names = ['none', 'read', 'both'] as const
    const holds = (set: readonly string[], id: string) => set.includes(id)
    // billing.write covers billing.read: a caller who may write could read.
    for (const agent of names) {
      for (const desk of names) {
        for (const ceiling of ['caller', 'person'] as const) {
          const app = await openExchange(t, {
            agent: { [billingResource]: sets[agent] },
            desk: { [billingResource]: sets[desk] },
            ceiling,
          })
          const assertion = await app.assertion(await app.agentToken())
          const may = (id: string) => holds(sets[desk], id) && (ceiling === 'person' || holds(sets[agent], id))
          const left = sets.both.filter(may)
          const title = `agent ${agent}, desk ${desk}, ceiling ${ceiling}`
          for (const wanted of ['billing.read', 'billing.write', 'billing.read billing.write']) {
            const answer = await app.exchange(app.desk, assertion, { scope: wanted })
            const isAllowed = wanted.split(' ').every(may)
            t.equal(answer.status, isAllowed ? 200 : 400, `${title}: ${wanted}`)
            if (isAllowed) t.same(words(answer.claims.scope), words(wanted))
            else t.match(answer.body, { error: 'invalid_scope' }, title)
          }
          for (const scope of [undefined, 'default', `${billingResource}/.default`]) {
            const more = { resource: billingResource, ...(scope === undefined ? {} : { scope }) }
            const answer = await app.exchange(app.desk, assertion, more)
            t.equal(answer.status, left.length > 0 ? 200 : 400, `${title}: ${scope}`)
            if (answer.status === 200) t.same(words(answer.claims.scope), words(left.join(' ')), title)
          }
        }
      }
    }
  },
)

t.test(
  'issue 16: what is exchanged ends with what a person allowed an application of the chain for a while',
  async (t) => {
    for (const whose of ['agent', 'desk'] as const) {
      const app = await openExchange(t)
      const assertion = await app.assertion(await app.agentToken())
      const endsAt = app.clock.nowMs + 90_000
      const bound = { ends_at: endsAt, lasts: 'day' }
      await app.deps.store.transaction((tx) =>
        tx
          .updateTable('user_consents')
          .set(bound)
          .where('application_id', '=', app[whose].applicationId)
          .where('resource', '=', billingResource)
          .execute(),
      )
      const { status, claims } = await app.exchange(app.desk, assertion, forBilling)
      t.equal(status, 200, whose)
      t.equal(claims.exp, Math.floor(endsAt / 1000), whose)
      app.clock.nowMs += 90_000
      t.match((await app.exchange(app.desk, assertion, forBilling)).status, 400, whose)
    }
  },
)

t.test('a permission that covers another bounds like it', async (t) => {
  const app = await openExchange(t, { agent: { [billingResource]: ['billing.write'] } })
  const assertion = await app.assertion(await app.agentToken())
  t.equal((await app.exchange(app.desk, assertion, { scope: 'billing.read' })).status, 200)
})

t.test('configured is not consented, and the role of the person is a bound of its own', async (t) => {
  const app = await openExchange(t)
  const close = { [billingResource]: ['billing.read', 'billing.close'] }
  const [agent, desk] = [await app.party({ ...close, [deskResource]: ['desk.read'] }), await app.party(close)]
  const half = await app.party(close, { consented: { [billingResource]: [] } })
  app.serves(deskResource, { applications: [desk.applicationId, half.applicationId], ceiling: 'caller' })
  const assertion = await app.assertion(await app.agentToken(['desk.read'], { party: agent }))
  t.equal((await app.exchange(desk, assertion, { scope: 'billing.read' })).status, 200)
  const unconsented = await app.exchange(half, assertion, { scope: 'billing.read' })
  t.match(unconsented.body, { error: 'invalid_scope', error_codes: [65001], suberror: 'admin_consent_required' })
  t.match(unconsented.body['consent_uri'], half.applicationId)
  t.match(
    (await app.exchange(desk, assertion, { scope: 'billing.close' })).body,
    { error_codes: [65001] },
    'an owner’s',
  )
  const machine = await app.exchange(desk, assertion, { scope: 'billing.machine' })
  t.match(machine.body, { error: 'invalid_scope' }, 'no delegated permission')
  t.match(
    (await app.exchange(desk, assertion, { scope: 'books.read' })).body,
    { error_codes: [70011] },
    'not configured',
  )
})

t.test('T28 permissions of the management API never come out of an exchange', async (t) => {
  const app = await openExchange(t)
  const own = { [ownResource]: ['User.Read', 'Tenant.Read.All'], [deskResource]: ['desk.read'] }
  const [agent, desk] = [await app.party(own), await app.party(own)]
  app.serves(deskResource, { applications: [desk.applicationId], ceiling: 'person' })
  const assertion = await app.assertion(await app.agentToken(['desk.read'], { party: agent }))
  const refused = await app.exchange(desk, assertion, { scope: 'Tenant.Read.All' })
  t.match([refused.status, refused.body], [400, { error: 'invalid_scope' }])
  t.match(refused.body['error_description'], /management API/)
  const rest = await app.exchange(desk, assertion, { resource: ownResource })
  t.match([rest.status, rest.claims.scope], [200, 'User.Read'], 'nor by leaving the scope out')
})

t.test('`resource` and `audience` name one target and widen nothing', async (t) => {
  const app = await openExchange(t)
  const assertion = await app.assertion(await app.agentToken(['desk.read']))
  const refused = async (more: Record<string, string>, error: string) => {
    const { status, body } = await app.exchange(app.desk, assertion, more)
    t.match([status, body['error']], [400, error], JSON.stringify(more))
  }
  await refused({}, 'invalid_request')
  await refused({ scope: 'openid' }, 'invalid_request')
  await refused({ resource: 'https://elsewhere.test' }, 'invalid_target')
  await refused({ audience: 'https://elsewhere.test', scope: 'billing.read' }, 'invalid_target')
  await refused({ resource: billingResource, audience: booksResource }, 'invalid_target')
  await refused({ resource: booksResource, scope: 'billing.read' }, 'invalid_scope')
  await refused({ scope: 'billing.read books.read' }, 'invalid_scope')
  await refused({ scope: 'billing.read unheard_of' }, 'invalid_scope')
  await refused({ resource: deskResource, scope: 'desk.write' }, 'invalid_scope')
  const same = await app.exchange(app.desk, assertion, { resource: deskResource })
  t.match([same.status, same.claims.scope], [200, 'desk.read'], 'of its own API no more than the call needed')
  const named = await app.exchange(app.desk, assertion, { audience: billingResource, resource: billingResource })
  t.equal(named.status, 200)
})

t.test('T29 only the application that serves the resource, and only what was made for it', async (t) => {
  const app = await openExchange(t)
  const token = await app.agentToken()
  const assertion = await app.assertion(token)
  const refused = async (made: Promise<{ status: number; body: object }>, code: number, title: string) => {
    const { status, body } = await made
    t.match([status, body], [400, { error_codes: [code] }], title)
  }
  await refused(app.exchange(app.billing, assertion, forBilling), 50013, 'it serves another resource')
  await refused(
    app.exchange(app.billing, token, { ...forBilling, subject_token_type: accessTokenType }),
    50013,
    'a token of another resource',
  )
  await refused(app.exchange(app.agent, assertion, forBilling), 7000113, 'it serves none')
  const other = await app.assertion(token, { upstream: 'billing' })
  await refused(app.exchange(app.desk, other, forBilling), 50013, 'an assertion for another service')
  const plain = await app.assertion(token, { exchangeable: false })
  await refused(app.exchange(app.desk, plain, forBilling), 50013, 'an assertion that says nothing of its token')
  const native = await app.party({}, { registration: { type: 'native' } })
  app.serves(deskResource, { applications: [app.desk.applicationId, native.applicationId], ceiling: 'caller' })
  await refused(app.exchange(native, assertion, forBilling), 7000113, 'a native application')
  app.serves(deskResource, undefined)
  await refused(app.exchange(app.desk, assertion, forBilling), 7000113, 'the configuration says so no more')
  const form = { grant_type: exchangeGrant, subject_token: assertion, subject_token_type: assertionType, ...forBilling }
  const answer = await app.post(tokenPath, { ...form, client_id: app.desk.applicationId, client_secret: 'wrong' })
  t.match([answer.statusCode, answer.json()], [401, { error: 'invalid_client' }])
})

t.test('an application that acts as itself has no person to act for', async (t) => {
  const app = await openExchange(t)
  const machine = await app.registerDemo({
    tenantId: app.tenantId,
    permissions: [{ kind: 'application', resource: deskResource, id: 'desk.read' }],
  })
  const client = { client_id: machine.registration.applicationId, client_secret: machine.secret }
  const answer = await app.post(tokenPath, { grant_type: 'client_credentials', scope: 'desk.read', ...client })
  const token = answer.json().access_token
  const asToken = { ...forBilling, subject_token_type: accessTokenType }
  for (const made of [
    app.exchange(app.desk, token, asToken),
    app.exchange(app.desk, await app.assertion(token), forBilling),
  ]) {
    const { status, body } = await made
    t.match([status, body], [400, { error: 'invalid_request', error_codes: [50014] }])
    t.match(body['error_description'], /client_credentials/)
  }
})

t.test('what is over is refused, and nothing lives past its end', async (t) => {
  const app = await openExchange(t)
  const token = await app.agentToken()
  const asToken = { ...forBilling, subject_token_type: accessTokenType }
  const assertion = await app.assertion(token)
  app.clock.nowMs += 59_000
  t.equal((await app.exchange(app.desk, assertion, forBilling)).status, 200)
  app.clock.nowMs += 10_000
  t.match((await app.exchange(app.desk, assertion, forBilling)).body, { error_codes: [700024] }, 'its minute is over')
  const { exp } = readToken(token).claims
  app.clock.nowMs = Number(exp) * 1000 - 3_000
  const late = await app.exchange(app.desk, token, asToken)
  t.match([late.status, late.claims.exp], [200, exp])
  app.clock.nowMs = Number(exp) * 1000 - 1_000
  t.match((await app.exchange(app.desk, token, asToken)).body, { error_codes: [700024] }, 'nothing is left of it')
  app.clock.nowMs = Number(exp) * 1000 + 1_000
  t.match((await app.exchange(app.desk, token, asToken)).body, { error_codes: [700024] }, 'no leeway')
  app.clock.nowMs += 3_600_000
  t.match((await app.exchange(app.desk, token, asToken)).body, { error_codes: [700024] })
})

t.test('actors are nested, newest outside, and a chain ends', async (t) => {
  const app = await openExchange(t)
  const { agent, desk, billing, books } = app
  const first = await app.exchange(desk, await app.assertion(await app.agentToken()), forBilling)
  const atBilling = await app.assertion(String(first.body['access_token']), {
    upstream: 'billing',
    permissions: ['billing.read'],
  })
  t.match(readToken(atBilling).claims, { client_id: desk.applicationId, act: first.claims.act, sub: app.user.userId })
  const second = await app.exchange(billing, atBilling, { scope: 'books.read' })
  t.equal(second.status, 200)
  const { act, via } = second.claims
  t.same(act, {
    sub: billing.applicationId,
    act: { sub: desk.applicationId, act: { sub: agent.applicationId } },
  })
  t.equal(via?.length, 2)
  const atBooks = await app.assertion(String(second.body['access_token']), {
    upstream: 'books',
    permissions: ['books.read'],
  })
  const third = await app.exchange(books, atBooks, { scope: 'desk.read' })
  t.match([third.status, third.claims.via?.length], [200, 3])
  const back = await app.assertion(String(third.body['access_token']))
  t.match((await app.exchange(desk, back, { scope: 'billing.read' })).body, { error_codes: [50015] })
})

t.test('around a corner nobody gets more than the first of them could have', async (t) => {
  const app = await openExchange(t, { agent: { [booksResource]: [] } })
  const first = await app.exchange(app.desk, await app.assertion(await app.agentToken()), forBilling)
  const atBilling = await app.assertion(String(first.body['access_token']), {
    upstream: 'billing',
    permissions: ['billing.read'],
  })
  t.match((await app.exchange(app.billing, atBilling, { scope: 'books.read' })).body, { error_codes: [650053] })
})

t.test('T29 another tenant is not reached, whatever the request names', async (t) => {
  const app = await openExchange(t)
  const assertion = await app.assertion(await app.agentToken())
  const elsewhere = await app.registerDemo()
  const named = await app.exchange(app.desk, assertion, { ...forBilling, requested_enrollment: elsewhere.tenantId })
  t.match([named.status, named.body['error']], [400, 'invalid_grant'])
  const visitor = await app.party(
    { [billingResource]: ['billing.read'] },
    { registration: { tenantId: elsewhere.tenantId } },
  )
  app.serves(deskResource, { applications: [visitor.applicationId], ceiling: 'caller' })
  const foreign = await app.exchange(visitor, assertion, forBilling)
  t.match(
    [foreign.status, foreign.body['error']],
    [400, 'invalid_request'],
    'it is not installed in the person’s tenant',
  )
})

t.test('parameters that would change what is given are refused', async (t) => {
  const app = await openExchange(t)
  const assertion = await app.assertion(await app.agentToken())
  for (const more of [
    { actor_token: assertion, actor_token_type: assertionType },
    { actor_token: assertion },
    { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
    { requested_token_type: assertionType },
  ]) {
    const { status, body } = await app.exchange(app.desk, assertion, { ...forBilling, ...more })
    t.match([status, body['error']], [400, 'invalid_request'], Object.keys(more).join())
  }
  const good = await app.exchange(app.desk, assertion, { ...forBilling, requested_token_type: accessTokenType })
  t.equal(good.status, 200)
  const twice = `${new URLSearchParams({ grant_type: exchangeGrant, ...app.desk.client })}&subject_token=a&subject_token=b`
  t.match((await app.post(tokenPath, twice)).json(), { error: 'invalid_request' })
})

// Explanations and recorded decisions over the management API: what they say, to whom, and what is nowhere in them.

import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { openTestApp } from '../support/models/explain-real.js'
import { productRoutes } from '../support/models/explain-world.js'
import { atPortal } from '../support/models/isolation.js'
import { runCommand } from '../support/rooms/cli.js'
import { makePerson, redirectUri } from '../support/rooms/delegation.js'
import { ownResource } from '../support/rooms/directory.js'
import { tokenPath } from '../support/rooms/identity.js'
import { refusal } from '../support/rooms/management.js'

t.setTimeout(180_000)

type TestApp = Awaited<ReturnType<typeof openTestApp>>

/** A person of the tenant at the portal. */
const session = atPortal

async function demo(t: Parameters<typeof openTestApp>[0]) {
  const testApp = await openTestApp(t)
  const made = await testApp.registerDemo({ redirectUris: [redirectUri] })
  const { applicationId } = made.registration
  const developer = await makePerson(testApp.deps, made.tenantId, { role: 'developer' })
  const token = async () => {
    const form = {
      grant_type: 'client_credentials',
      scope: 'default',
      client_id: applicationId,
      client_secret: made.secret,
    }
    return testApp.post(tokenPath, form)
  }
  return { testApp, ...made, applicationId, developer, token }
}

const explain = (testApp: TestApp, body: object) => testApp.manage('POST', '/explain', body)

t.test(
  'an explanation tells route, line, requirement, what the caller has, limits, upstream and the next step',
  async (t) => {
    const { testApp, applicationId, tenantId } = await demo(t)
    const allowed = (await explain(testApp, { method: 'GET', path: '/api/v2/list', applicationId })).json()
    t.match(allowed, {
      request: { method: 'GET', path: '/api/v2/list' },
      decision: { outcome: 'allowed', by: 'upstream', reason: 'granted', status: null },
      decidedBy: { what: 'route', name: 'list', file: '/etc/portcullis/portcullis.yaml', line: 101, column: 3 },
      route: {
        pattern: '/api/v2/list',
        allow: 'GET, HEAD, OPTIONS',
        public: false,
        resource: ownResource,
        onStale: 'refuse',
      },
      requirement: [
        {
          kind: 'application',
          met: true,
          permissions: [{ id: 'assets_read', configured: true, consentedBy: 'administrator', inToken: true }],
        },
      ],
      caller: {
        kind: 'application',
        applicationId,
        tenantId,
        token: { simulated: true, permissions: ['User.Read.All', 'assets_read'] },
      },
      limits: [{ name: 'application', by: ['application'], limit: 6, remaining: 6, allows: true }],
      upstream: { name: 'service', state: 'ready', inFlight: 0, targets: 1, targetsUp: 1, lastOutcome: null, line: 90 },
      tokenRefusal: null,
      remedy: [],
    })
    t.ok(
      allowed.states.every(({ ok }: { ok: boolean }) => ok),
      'everything is in order',
    )
    const missing = (await explain(testApp, { method: 'PATCH', path: '/api/v2/me', applicationId })).json()
    t.match(missing.decision, {
      outcome: 'refused',
      by: 'gate',
      status: 403,
      code: 'InsufficientPermission',
      reason: 'insufficient_scope',
      permission: { id: 'User.ReadWrite.All', status: 'not_configured' },
    })
    t.match(missing.decision.challenge, /error="insufficient_scope"/)
    t.match(missing.remedy[0].message, /API permissions/)
    t.match(
      missing.remedy[0].command,
      /^portcullis app permission add \S+ application:https:\S+\/User\.ReadWrite\.All --consent$/,
    )
    t.match(missing.remedy.at(-1).uri, /adminconsent\?/)
    const person = await makePerson(testApp.deps, tenantId)
    const noConsent = (
      await explain(testApp, { method: 'GET', path: '/api/v2/developers', applicationId, userId: person.userId })
    ).json()
    t.match(noConsent.decision, { outcome: 'refused', by: 'token', reason: 'invalid_grant:65001', status: 400 })
    t.match(noConsent.requirement[0].permissions[0], {
      id: 'Application.Read.All',
      role: { needed: 'developer', has: 'member', enough: false },
    })
    t.match(noConsent.remedy[0].message, /takes the role developer/)
  },
)

t.test('an explanation changes nothing: no charge, no count, no token is kept, no row is written', async (t) => {
  const { testApp, applicationId, token } = await demo(t)
  const text = (await token()).json().access_token
  const { seq } = testApp.feed
  for (let i = 0; i < 30; i += 1) {
    t.equal(
      (await explain(testApp, { method: 'GET', path: '/api/v2/list', applicationId })).json().limits[0].remaining,
      6,
    )
    t.equal(
      (await explain(testApp, { method: 'GET', path: '/api/v2/list', token: text })).json().decision.outcome,
      'allowed',
    )
  }
  t.equal(testApp.feed.seq, seq)
  t.equal(testApp.upstream.requests.length, 0)
  t.notMatch(
    await testApp.metrics.registry.metrics(),
    /auth_decisions_total\{[^}]*\} [1-9]|ratelimit_decisions_total\{[^}]*\} [1-9]/,
  )
  const said = [...testApp.managementLog, ...testApp.logged].join('')
  t.notOk(said.includes(text.split('.')[2]), 'X5 the token that was shown is in no log')
})

t.test(
  'U2 explanations and recorded decisions of another tenant are 404, and folders are nobody’s but the operator’s',
  async (t) => {
    const { testApp, applicationId, tenantId, developer, token } = await demo(t)
    const text = (await token()).json().access_token
    const id = String((await token()).headers['request-id'])
    const untrusted = await testApp.registerDemo({ name: 'theirs' })
    const spy = await makePerson(testApp.deps, untrusted.tenantId, { role: 'owner' })
    const member = await makePerson(testApp.deps, tenantId, { role: 'member' })
    testApp.caller.principal = session(developer.userId, tenantId)
    const own = (await explain(testApp, { method: 'GET', path: '/api/v2/list', applicationId })).json()
    t.equal(own.route.file, 'portcullis.yaml')
    t.equal((await testApp.manage('GET', `/explain/${id}`)).statusCode, 200)
    t.equal((await testApp.manage('GET', `/applications/${applicationId}/activity`)).json().value.length, 2)
    t.match(
      refusal(await explain(testApp, { method: 'GET', path: '/', applicationId, tenantId: untrusted.tenantId })),
      {
        status: 404,
      },
    )
    t.match(refusal(await explain(testApp, { method: 'GET', path: '/', applicationId, userId: spy.userId })), {
      status: 404,
      code: 'UserNotFound',
    })
    testApp.caller.principal = session(spy.userId, untrusted.tenantId)
    t.match(refusal(await explain(testApp, { method: 'GET', path: '/', applicationId })), {
      status: 404,
      code: 'ApplicationNotFound',
    })
    t.match(refusal(await explain(testApp, { method: 'GET', path: '/api/v2/list', token: text })), {
      status: 404,
      code: 'ApplicationNotFound',
    })
    t.match(refusal(await testApp.manage('GET', `/explain/${id}`)), { status: 404, code: 'RequestNotFound' })
    t.match(refusal(await testApp.manage('GET', `/applications/${applicationId}/activity`)), { status: 404 })
    testApp.caller.principal = session(member.userId, tenantId)
    t.match(refusal(await explain(testApp, { method: 'GET', path: '/', applicationId })), {
      status: 403,
      code: 'RoleRequired',
    })
    t.match(refusal(await testApp.manage('GET', `/explain/${id}`)), { status: 403 })
  },
)

t.test('a question must be about one thing: 400 otherwise', async (t) => {
  const { testApp, applicationId } = await demo(t)
  const call = { method: 'GET', path: '/api/v2/list' }
  for (const [title, body] of [
    ['a token and an application', { ...call, applicationId, token: 'x' }],
    ['a person without an application', { ...call, userId: randomUUID() }],
    ['a tenant that is no GUID', { ...call, applicationId, tenantId: 'home' }],
    ['an address that is none', { ...call, address: '300.1.1.1' }],
    ['a method that is none', { ...call, method: 'get' }],
    ['a field that nobody knows', { ...call, secret: 'x' }],
    ['no path', { method: 'GET' }],
    ['a tool and a prompt', { ...call, tool: 'a', prompt: 'b' }],
    ['a name that no message can have', { ...call, uri: '\ud800' }],
    ['a name with a control character', { ...call, tool: 'a\u0007' }],
  ] as const) {
    t.equal((await explain(testApp, body)).statusCode, 400, title)
  }
  t.match((await explain(testApp, call)).json(), {
    caller: { kind: 'nobody' },
    decision: { reason: 'no_token', status: 401 },
  })
  t.match((await explain(testApp, { method: 'GET', path: '/open', tool: 'a' })).json().decision, {
    outcome: 'refused',
    reason: 'no_mcp_server',
    status: 400,
  })
  t.match((await explain(testApp, { method: 'GET', path: '/api/v2/applications' })).json().decision, {
    outcome: 'own',
    status: null,
  })
  t.match((await explain(testApp, { ...call, token: 'pcl_nonsense' })).json(), {
    caller: { kind: 'unknown', applicationId: null },
    decision: { reason: 'token_shape' },
  })
})

t.test(
  'U9 recorded: token requests with the reason that their sender did not get, refused calls, and nothing secret',
  async (t) => {
    const { testApp, applicationId, secret, token, tenantId } = await demo(t)
    const text = (await token()).json().access_token
    // So that they have an order.
    testApp.clock.nowMs += 1
    const wrong = await testApp.post(tokenPath, {
      grant_type: 'client_credentials',
      scope: 'default',
      client_id: applicationId,
      client_secret: 'pcl_sk_wrong',
    })
    t.equal(wrong.json().error_codes[0], 70002, 'the caller hears no more than that')
    testApp.clock.nowMs += 1
    await testApp.post(tokenPath, {
      grant_type: 'client_credentials',
      scope: 'assets_delete hunter2',
      client_id: applicationId,
      client_secret: secret,
    })
    testApp.clock.nowMs += 1
    const refused = await testApp.call('/api/v2/developers?password=hunter2', text)
    const allowed = await testApp.call('/api/v2/list', text)
    t.same([refused.status, allowed.status], [403, 200])
    await testApp.post(tokenPath, { grant_type: 'client_credentials', client_id: randomUUID(), client_secret: 'x' })
    const { value } = (await testApp.manage('GET', `/applications/${applicationId}/activity`)).json()
    t.match(value, [
      {
        what: 'call',
        outcome: 'refused',
        reason: 'insufficient_scope',
        status: 403,
        route: 'developers',
        method: 'GET',
        permissions: ['Application.Read.All'],
        requestId: refused.id,
        tenantId,
        proved: true,
      },
      {
        what: 'token',
        outcome: 'refused',
        reason: 'invalid_scope:70011',
        number: 70011,
        permissions: ['assets_delete', '?'],
      },
      { what: 'token', outcome: 'refused', reason: 'secret_wrong', status: 401, number: 7000215, proved: false },
      {
        what: 'token',
        outcome: 'granted',
        number: null,
        grantType: 'client_credentials',
        permissions: ['default', 'User.Read.All', 'assets_read'],
        proved: true,
      },
    ])
    t.equal(value.length, 4, 'neither the allowed call nor the unknown client')
    t.notMatch(
      JSON.stringify(await testApp.store.reader.selectFrom('recorded_decisions').selectAll().execute()),
      /hunter2|pcl_sk_|eyJ/,
    )
    const only = (await testApp.manage('GET', `/applications/${applicationId}/activity?outcome=granted`)).json().value
    t.equal(only.length, 1)
    const found = (
      await testApp.manage('GET', `/applications/${applicationId}/activity?requestId=${refused.id.toUpperCase()}`)
    ).json().value
    t.equal(found.length, 1)
    const first = (await testApp.manage('GET', `/applications/${applicationId}/activity?$top=3&what=token`)).json()
    t.equal(first.value.length, 3)
    t.equal(first.nextLink, undefined)
    const page = (await testApp.manage('GET', `/applications/${applicationId}/activity?$top=2`)).json()
    const rest = (await testApp.manage('GET', page.nextLink.replace('/api/v2', ''))).json()
    t.equal(rest.value.length, 2, 'U3 pages by a token of ours')
    t.equal((await testApp.manage('GET', `/applications/${applicationId}/activity?$skiptoken=x.y`)).statusCode, 400)
  },
)

t.test('by its request-id: what was decided then, and what would be now', async (t) => {
  const { testApp, applicationId, token } = await demo(t)
  const text = (await token()).json().access_token
  const { id } = await testApp.call('/api/v2/developers', text)
  t.match((await testApp.manage('GET', `/explain/${id}`)).json(), {
    recorded: { reason: 'insufficient_scope', permissions: ['Application.Read.All'] },
    now: { route: { id: 'developers' }, decision: { outcome: 'refused', permission: { status: 'not_configured' } } },
  })
  const issued = String((await token()).headers['request-id'])
  await changeApplication(testApp.writes, applicationId, { state: 'disabled' })
  const ended = await testApp.call('/api/v2/list', text)
  t.equal(ended.status, 401)
  t.match((await testApp.manage('GET', `/explain/${ended.id}`)).json(), {
    recorded: { reason: 'application_disabled', status: 401 },
    now: {
      decision: { by: 'token', reason: 'application_disabled' },
      states: [{ of: 'application', state: 'disabled', ok: false }],
    },
  })
  const then = (await testApp.manage('GET', `/explain/${issued}`)).json()
  t.match(then, {
    recorded: { what: 'token', outcome: 'granted' },
    now: { tokenRefusal: { reason: 'application_disabled' } },
  })
  t.match(refusal(await testApp.manage('GET', `/explain/${randomUUID()}`)), { status: 404, code: 'RequestNotFound' })
  t.match(refusal(await testApp.manage('GET', '/explain/nonsense')), { status: 404 })
})

t.test('a refused tool is looked up again by its name', async (t) => {
  const { testApp, applicationId, tenantId } = await demo(t)
  const [route] = testApp.settings.routes.filter(({ id }) => id === 'make')
  const routes = testApp.settings.routes as unknown as object[]
  routes.push({ ...route, id: '/desk/mcp', path: '/desk/mcp', mcp: { first: { anyOf: [['User.Read.All']] } } })
  const recorded = async (route: string) => {
    const requestId = randomUUID()
    const facts = { outcome: 'refused', reason: 'insufficient_scope', status: 403, isProved: true } as const
    testApp.decisions.note({
      what: 'call',
      ...facts,
      applicationId,
      tenantId,
      requestId,
      route,
      method: 'POST',
    } as never)
    return (await testApp.manage('GET', `/explain/${requestId}`)).json()
  }
  t.match(await recorded('/desk/mcp tools/call:close_ticket'), {
    recorded: { route: '/desk/mcp tools/call:close_ticket' },
    now: { request: { method: 'POST', path: '/desk/mcp', operation: { kind: 'tool', name: 'close_ticket' } } },
  })
  const plain = await recorded('/desk/mcp')
  t.notOk('operation' in plain.now.request)
  t.equal((await recorded('/desk/mcpx tools/call:close_ticket')).now, null, 'the route is no more')
})

t.test(
  'a call that ran into a limit and one that the service failed are recorded too, one that passed is not',
  async (t) => {
    const { testApp, applicationId, tenantId, developer, token } = await demo(t)
    const text = (await token()).json().access_token
    for (let i = 0; i < 6; i += 1) t.equal((await testApp.call('/api/v2/list', text)).status, 200)
    t.equal((await testApp.call('/api/v2/list', text)).status, 429)
    const full = (await explain(testApp, { method: 'GET', path: '/api/v2/list', applicationId })).json()
    t.match(full.decision, { outcome: 'refused', reason: 'rate_limited', status: 429, code: 'TooManyRequests' })
    t.ok(full.decision.retryAfterSeconds > 0)
    t.match(full.limits, [{ name: 'application', remaining: 0, allows: false }])
    testApp.clock.nowMs += 1
    testApp.upstream.server.closeAllConnections()
    await new Promise((resolve) => testApp.upstream.server.close(resolve))
    t.equal((await testApp.call('/api/v2/lax', text)).status, 502)
    t.match((await explain(testApp, { method: 'GET', path: '/api/v2/lax', applicationId })).json().upstream, {
      lastOutcome: 'failed',
      trouble: {
        target: String,
        state: 'failing',
        since: String,
        cause: /^(connection refused|connection closed|connection reset)$/,
      },
    })
    const failing = (await explain(testApp, { method: 'GET', path: '/api/v2/lax', applicationId })).json()
    t.match(failing.remedy, [{ message: /^service does not answer since /, command: 'portcullis doctor' }])
    const [target] = (await testApp.manage('GET', '/status')).json().targets
    t.match(target, { cause: failing.upstream.trouble.cause }, 'the status says it too')
    const { value } = (await testApp.manage('GET', `/applications/${applicationId}/activity?what=call`)).json()
    t.match(value, [
      { reason: 'upstream_failed', status: 502, route: 'lax' },
      { reason: 'rate_limited', status: 429, route: 'list' },
    ])
    t.equal(value.length, 2)
    testApp.caller.principal = session(developer.userId, tenantId)
    const seen = (await explain(testApp, { method: 'GET', path: '/api/v2/lax', applicationId })).json()
    t.match(seen.upstream.trouble, { target: null, cause: null, since: String }, 'where it is, is for operators')
    t.notMatch(JSON.stringify(seen), /127\.0\.0\.1|connection/)
  },
)

t.test(
  'recorded decisions are bounded: two hundred of an application, fifty of anyone who only names it',
  async (t) => {
    const { testApp, applicationId } = await demo(t)
    const other = (await testApp.registerDemo({ name: 'quiet' })).registration.applicationId
    const { decisions, store } = testApp
    const one = { what: 'call', outcome: 'refused', reason: 'rate_limited', status: 429 } as const
    const note = (id: string, isProved: boolean) =>
      decisions.note({ ...one, applicationId: id, isProved, requestId: randomUUID() })
    note(other, true)
    for (let i = 0; i < 500; i += 1) note(applicationId, true)
    for (let i = 0; i < 500; i += 1) note(applicationId, false)
    await decisions.flush()
    const count = async (id: string) =>
      (await store.reader.selectFrom('recorded_decisions').select('id').where('application_id', '=', id).execute())
        .length
    t.same([await count(applicationId), await count(other)], [250, 1], 'in memory')
    for (let i = 0; i < 80; i += 1) note(applicationId, true)
    await decisions.flush()
    await decisions.trim()
    t.same([await count(applicationId), await count(other)], [250, 1], 'in the table')
    const many = Array.from({ length: 3_000 }, () => randomUUID())
    for (const id of many) note(id, true)
    await decisions.flush()
    t.equal((await store.reader.selectFrom('recorded_decisions').select('id').execute()).length, 251 + 2_000)
  },
)

t.test('what the Store does not take is kept for the next time', async (t) => {
  const { testApp, applicationId } = await demo(t)
  const { createDecisions } = await import('../../src/ledger/decisions.js')
  let fails = true
  const dropped: number[] = []
  const transaction: typeof testApp.store.transaction = (work, ...more) =>
    fails ? Promise.reject(new Error('away')) : testApp.store.transaction(work, ...more)
  const log = createDecisions({
    store: { transaction, reader: testApp.store.reader },
    now: testApp.now,
    onDropped: () => void dropped.push(1),
  })
  const note = () =>
    log.note({
      what: 'token',
      outcome: 'refused',
      reason: 'x',
      status: 400,
      applicationId,
      isProved: true,
      requestId: randomUUID(),
    })
  note()
  await t.rejects(log.flush(), /away/)
  for (let i = 0; i < 200; i += 1) note()
  await t.rejects(log.flush(), /away/)
  t.equal(dropped.length, 1, 'the oldest gave way')
  fails = false
  await Promise.all([log.flush(), log.flush()])
  t.equal((await testApp.store.reader.selectFrom('recorded_decisions').select('id').execute()).length, 200)
})

t.test(
  'the newest decisions of an application are written in their order, and only of those their words are read',
  async (t) => {
    const { testApp, applicationId } = await demo(t)
    const { createDecisions } = await import('../../src/ledger/decisions.js')
    let at = 1_000
    let dropped = 0
    const log = createDecisions({
      store: testApp.store,
      now: () => at++,
      onDropped: () => {
        dropped += 1
      },
    })
    const read: number[] = []
    for (let i = 0; i < 450; i += 1) {
      const permissions = () => [`p${read.push(i) && i}`]
      const common = { what: 'token', outcome: 'granted', reason: 'granted', status: 200, isProved: true } as const
      log.note({ ...common, applicationId, requestId: randomUUID(), permissions })
    }
    t.same([read, dropped], [[], 250], 'what gives way costs nothing but its place')
    await log.flush()
    t.same(
      read,
      Array.from({ length: 200 }, (_, i) => 250 + i),
    )
    const rows = await testApp.store.reader.selectFrom('recorded_decisions').selectAll().orderBy('at').execute()
    t.same(
      rows.map(({ at: noted, permissions }) => [Number(noted), permissions]),
      Array.from({ length: 200 }, (_, i) => [1_250 + i, `p${250 + i}`]),
    )
    t.equal(new Set(rows.map(({ id }) => id)).size, 200)
  },
)

t.test('a route is found again by any path of its pattern', async (t) => {
  const { sampleTarget } = await import('../../src/gateway/explain/sample-target.js')
  t.equal(sampleTarget('/a/{b}/c/**'), '/a/__any/c/__any')
  t.equal(sampleTarget('/a'), '/a')
  const { testApp } = await demo(t)
  for (const { id, path } of productRoutes([...testApp.settings.upstreams.values()][0] as never)) {
    const [method] = [...(testApp.settings.routes.find((route) => route.id === id)?.methods.keys() ?? [])]
    t.equal(
      (
        await testApp.explain({
          method: method ?? '',
          target: sampleTarget(path),
          address: undefined,
          bodyBytes: undefined,
          caller: { kind: 'nobody' },
        })
      ).route?.id,
      id,
    )
  }
})

t.test('the command shows the decision, what it stands on and the next step; aligned, and as JSON', async (t) => {
  const { testApp, applicationId, token } = await demo(t)
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'token.txt'), `${(await token()).json().access_token}\n`)
  const server = createServer(async (request, response) => {
    const body = await json(request).catch(() => undefined)
    const answer = await testApp.manage(request.method as 'GET', (request.url ?? '').replace('/api/v2', ''), body)
    response.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(answer.body)
  })
  const socketPath = join(folder, 's')
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  t.teardown(() => server.close())
  const run = (...words: string[]) =>
    runCommand(['explain', '--socket', socketPath, ...words], { cwd: folder, input: 'nonsense' })
  const refused = await run('patch', '/api/v2/me', '--app', 'demo')
  t.equal(refused.code, 0, refused.err)
  t.match(refused.out, /^decision {3,}refused by the gate: 403 InsufficientPermission \(insufficient_scope\)$/m)
  t.match(refused.out, /^decided by {2,}\/etc\/portcullis\/portcullis\.yaml:100:3 \(route me\)$/m)
  t.match(refused.out, /^this {3,}User\.ReadWrite\.All {2,}application {2,}no {2,}nobody {2,}no$/m)
  t.match(refused.out, /^next {3,}Add the permission/m)
  const shown = await run('GET', '/api/v2/list', '--token-file', 'token.txt', '-o', 'json')
  t.match(JSON.parse(shown.out), { decision: { outcome: 'allowed' }, caller: { applicationId } })
  t.match((await run('GET', '/api/v2/list', '--token-file', '-')).out, /the sender of a token/)
  const { id } = await testApp.call('/api/v2/developers', (await token()).json().access_token)
  const recorded = await run('--request', id)
  t.match(recorded.out, /^decision {3,}refused: 403 \(insufficient_scope\)$/m)
  t.match(recorded.out, /\nNow:\ncall /)
  t.equal((await run('--request', randomUUID())).code, 3)
  t.equal((await run('GET')).code, 2, 'a path is missing')
  t.equal((await run('GET', '/', '--app', 'nobody')).code, 3)
})

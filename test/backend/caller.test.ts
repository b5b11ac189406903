// What the backend believes about its caller, and what it answers when it believes nothing.

import { connect } from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { operations } from '../../src/backend/operations.js'
import { loadSettings } from '../../src/config/read/load.js'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { signAssertion } from '../../src/tokens/assertion.js'
import { assertion, baseUrl, everything, now, profile, tenantA, testBackend } from '../support/rooms/backend-app.js'
import { createMemorySource } from '../support/rooms/memory-source.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

const seconds = Math.floor(now / 1000)

/** A backend whose tenant A has a profile. */
async function backend(t: Parameters<typeof testBackend>[0], options: Parameters<typeof testBackend>[2] = {}) {
  const source = createMemorySource()
  source.addProfile({ tenantId: tenantA, userId: null }, profile())
  return testBackend(t, source, options)
}

t.test('a call without a valid assertion is 401, whatever it asks for', async (t) => {
  const { call } = await backend(t)
  t.equal((await call({ path: '/api/v2/me' })).status, 200, 'with one it is answered')
  const good = await assertion()
  const parts = good.split('.')
  const untrusted = (await newKeyPair('ec', { namedCurve: 'P-256' })).privateKey
  const claims = {
    iss: baseUrl,
    aud: 'backend',
    sub: 's',
    client_id: 's',
    iat: seconds,
    exp: seconds + 60,
    jti: 'j',
    tid: tenantA,
    idtyp: 'app' as const,
    scope: everything,
  }
  const forged = await signAssertion(
    { signingKey: () => ({ kid: 'test-key', alg: 'ES256', privateKey: untrusted }) },
    claims,
  )
  const unknownKey = await signAssertion(
    { signingKey: () => ({ kid: 'other', alg: 'ES256', privateKey: untrusted }) },
    claims,
  )
  const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'portcullis-assertion+jwt', kid: 'test-key' })).toString(
    'base64url',
  )
  const refused: [string, string | readonly string[]][] = [
    ['no scheme', good],
    ['Basic', `Basic ${Buffer.from('a:b').toString('base64')}`],
    ['an empty token', 'Bearer '],
    ['two in one field', `Bearer ${good}, Bearer ${good}`],
    [
      'a changed payload',
      `Bearer ${parts[0]}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${parts[2]}`,
    ],
    ['no signature', `Bearer ${parts[0]}.${parts[1]}.`],
    ['alg none', `Bearer ${none}.${parts[1]}.`],
    ['a key of somebody else', `Bearer ${forged}`],
    ['an unknown key', `Bearer ${unknownKey}`],
    ['for another service', `Bearer ${await assertion({ aud: 'other' })}`],
    ['from another issuer', `Bearer ${await assertion({ iss: 'https://evil.example' })}`],
    ['expired', `Bearer ${await assertion({ iat: seconds - 120, exp: seconds - 60 })}`],
    ['not yet', `Bearer ${await assertion({ iat: seconds + 60, exp: seconds + 120 })}`],
    ['without a tenant', `Bearer ${await assertion({ tid: '' })}`],
    ['of an unknown kind', `Bearer ${await assertion({ idtyp: 'admin' as 'app' })}`],
  ]
  for (const [title, authorization] of refused) {
    const answer = await call({ path: '/api/v2/me', headers: { authorization } }, null)
    t.equal(answer.status, 401, title)
    t.match(answer.json, { error: { code: 'InvalidAssertion' } }, title)
    t.match(answer.headers['www-authenticate'], /^Bearer/, title)
  }
  for (const path of ['/api/v2/me', '/nothing/here', '/', '/api/v2/subscriptions/x']) {
    for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
      const answer = await call({ path, method, headers: { 'x-tenant-id': tenantA, 'x-forwarded-user': 'ada' } }, null)
      t.equal(answer.status, 401, `${method} ${path} without`)
    }
  }
})

t.test('two Authorization fields are refused, even when the first is good', async (t) => {
  const { socketPath } = await backend(t)
  const good = await assertion()
  const head = (second: string) =>
    `GET /api/v2/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${good}\r\n${second}connection: close\r\n\r\n`
  t.match(await exchange(socketPath, head('')), /^HTTP\/1.1 200 /)
  t.match(await exchange(socketPath, head(`Authorization: Bearer ${good}\r\n`)), /^HTTP\/1.1 401 /)
  t.match(await exchange(socketPath, head('AUTHORIZATION: Basic x\r\n')), /^HTTP\/1.1 401 /)
})

t.test('keys that cannot be fetched are 503 with Retry-After, not 401', async (t) => {
  const { call } = await backend(t, { verify: async () => Promise.reject(new Error('the gate does not answer')) })
  const answer = await call({ path: '/api/v2/me' })
  t.equal(answer.status, 503)
  t.equal(answer.headers['retry-after'], '1')
  t.notMatch(answer.text, /does not answer/, 'X3 without the cause')
})

t.test('the assertion must carry a permission that the operation needs', async (t) => {
  const { call } = await backend(t)
  const id = '11111111-1111-4111-8111-111111111111'
  const requests = {
    readProfile: { path: '/api/v2/me' },
    changeProfile: { path: '/api/v2/me', method: 'PATCH', body: {} },
    listSubscriptions: { path: '/api/v2/subscriptions' },
    createSubscription: { path: '/api/v2/subscriptions', method: 'POST', body: { displayName: 'x' } },
    readSubscription: { path: `/api/v2/subscriptions/${id}` },
    renameSubscription: { path: `/api/v2/subscriptions/${id}`, method: 'PUT', body: { displayName: 'x' } },
    deleteSubscription: { path: `/api/v2/subscriptions/${id}`, method: 'DELETE' },
    moveSubscription: { path: `/api/v2/subscriptions/${id}/state`, method: 'POST', body: { state: 'Warned' } },
    listResourceGroups: { path: '/api/v2/resourceGroups' },
    readResourceGroup: { path: `/api/v2/resourceGroups/${id}` },
  }
  t.same(Object.keys(requests), Object.keys(operations), 'every operation is tried')
  const all = [...new Set([...everything.split(' '), 'User.Read', 'User.ReadWrite'])]
  for (const [name, { app, user }] of Object.entries(operations)) {
    const request = requests[name as keyof typeof requests]
    for (const [idtyp, enough] of [
      ['app', app],
      ['user', user],
    ] as const) {
      for (const id of all) {
        const { status } = await call(request, { idtyp, scope: id })
        const expected = (enough as readonly string[]).includes(id)
        t.equal(status !== 403, expected, `${name}, ${idtyp}, ${id}: ${status}`)
      }
      t.equal((await call(request, { idtyp, scope: '' })).status, 403, `${name}, ${idtyp}, nothing`)
      const others = all.filter((id) => !(enough as readonly string[]).includes(id)).join(' ')
      t.equal((await call(request, { idtyp, scope: others })).status, 403, `${name}, ${idtyp}, everything else`)
    }
  }
  const answer = await call({ path: '/api/v2/subscriptions' }, { scope: 'User.Read.All' })
  t.match(answer.json, { error: { code: 'InsufficientPermission', message: /Subscription\.Read\.All/ } })
  t.equal((await call({ path: '/api/v2/me' }, { scope: 'user.read.all' })).status, 403, 'ids are compared exactly')
})

t.test('whatever the shipped configuration lets through, the backend takes', async (t) => {
  const { routes, catalogue } = loadSettings({ file: String(defaultConfigFile()), env: {} })
  const served = routes.filter((route) => route.upstream === 'backend')
  const pathOf = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')
  for (const [name, operation] of Object.entries(operations)) {
    const route = served.find(({ path, methods }) => path === pathOf(operation.path) && methods.has(operation.method))
    const requirement = route?.methods.get(operation.method)
    if (route === undefined || requirement === undefined || requirement === 'public') {
      throw new Error(`${name} has no route, or one that requires nothing`)
    }
    for (const [kind, taken] of [
      ['application', operation.app],
      ['delegated', operation.user],
    ] as const) {
      const enough = requirement.anyOf.flatMap((all) =>
        all.flatMap((id) => catalogue.satisfying(kind, route.resource, id)),
      )
      for (const id of enough) t.ok((taken as readonly string[]).includes(id), `${name}: ${kind} ${id}`)
    }
  }
  t.equal(
    served.reduce((sum, route) => sum + route.methods.size, 0),
    Object.keys(operations).length,
    'and nothing else is routed',
  )
})

t.test('unknown paths are 404, known ones with another method 405 with Allow', async (t) => {
  const { call } = await backend(t)
  for (const path of ['/', '/api/v2', '/api/v2/Me', '/api/v2/me/', '/api/v2/subscriptions/a/b', '/me', '/metrics']) {
    t.equal((await call({ path })).status, 404, path)
  }
  const id = '11111111-1111-4111-8111-111111111111'
  const others: [string, string, string][] = [
    ['DELETE', '/api/v2/me', 'GET, PATCH, HEAD'],
    ['OPTIONS', '/api/v2/me', 'GET, PATCH, HEAD'],
    ['PATCH', '/api/v2/subscriptions', 'GET, POST, HEAD'],
    ['PATCH', `/api/v2/subscriptions/${id}`, 'GET, PUT, DELETE, HEAD'],
    ['GET', `/api/v2/subscriptions/${id}/state`, 'POST'],
    ['HEAD', `/api/v2/subscriptions/${id}/state`, 'POST'],
    ['POST', '/api/v2/resourceGroups', 'GET, HEAD'],
    ['DELETE', `/api/v2/resourceGroups/${id}`, 'GET, HEAD'],
  ]
  for (const [method, path, allow] of others) {
    const answer = await call({ method, path })
    t.equal(answer.status, 405, `${method} ${path}`)
    t.equal(answer.headers.allow, allow)
  }
})

t.test('an error body names the request as the gate does', async (t) => {
  const { call } = await backend(t)
  const given = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const own = 'b5e1c2a4-6f4e-4b7e-9a55-0a9d1c1f7a10'
  const answer = await call({ path: '/nothing', headers: { 'request-id': given, 'client-request-id': own } })
  t.equal(answer.headers['request-id'], given)
  t.match(answer.json, {
    error: { code: 'NotFound', message: /./, innerError: { 'request-id': given, 'client-request-id': own } },
  })
  t.equal(answer.headers['content-type'], 'application/json')
  const forged = await call({ path: '/nothing', headers: { 'request-id': 'x" level=50' } })
  t.match(forged.headers['request-id'], /^[0-9a-f-]{36}$/, 'X4 what is no GUID is replaced')
  const untrusted = await call({ path: '/nothing', headers: { 'request-id': given } }, null)
  t.not(untrusted.headers['request-id'], given, 'X4 a caller that is not the gate cannot name a request')
})

t.test('X3 a failure says its request-id and nothing else', async (t) => {
  const source = createMemorySource()
  const lines: string[] = []
  const logger = { level: 'info', stream: { write: (line: string) => void lines.push(line) } }
  const failing = { ...source, findProfile: () => Promise.reject(new Error('SELECT secret FROM /var/lib/x')) }
  const { call } = await testBackend(t, failing, { logger })
  const answer = await call({ path: '/api/v2/me?access_token=in-the-query' })
  t.equal(answer.status, 500)
  t.notMatch(answer.text, /SELECT|secret|var|stack/)
  t.equal(answer.headers['server'], undefined)
  t.equal(answer.headers['x-powered-by'], undefined)
  const log = lines.join('')
  t.match(log, String(answer.headers['request-id']), 'the log has the rest under the same id')
  t.match(log, /SELECT secret/)
  t.notMatch(log, /Bearer|eyJ|in-the-query/, 'X5 but neither assertion nor query')
})

t.test('X4 whatever the claims and the path, no answer is a failure', async (t) => {
  const { call } = await backend(t)
  const held = await fc.check(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ maxLength: 20 }),
      async (scope, path) => {
        const answer = await call(
          { path: `/api/v2/subscriptions/${encodeURIComponent(path)}` },
          { scope: `${scope} Subscription.Read.All` },
        )
        return answer.status < 500
      },
    ),
    { numRuns: 60 },
  )
  t.equal(held.failed, false, fc.defaultReportMessage(held) ?? 'the property holds')
})

function exchange(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(path, () => socket.write(text))
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    socket.on('end', () => resolve(answer)).on('error', reject)
  })
}

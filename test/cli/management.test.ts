// The commands that manage, against a stand-in for the server: what they send, what they print, how they end.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { apiError, runCommand, type SocketAnswer, type SocketRequest, socketServer } from '../support/rooms/cli.js'

const applicationId = '7a1c1c3e-0000-4000-8000-000000000001'
const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const clientSecret = 'pcl_sk_k1_secretpart_000000'
const application = {
  applicationId,
  publicKey: 'pcl_pk_abc',
  tenantId,
  name: 'hello',
  type: 'web',
  state: 'enabled',
  audience: 'home',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  requirePkce: false,
  authMethod: 'secret',
  jwks: null,
  idTokenAlg: 'RS256',
  publisher: '',
  verified: false,
  secrets: [
    {
      keyId: 'k1',
      label: 'first',
      hint: 'abc',
      startsAt: '',
      endsAt: '2999-01-01T00:00:00.000Z',
      lastUsedAt: null,
      createdAt: '',
    },
    {
      keyId: 'k0',
      label: 'old',
      hint: 'xyz',
      startsAt: '',
      endsAt: '2001-01-01T00:00:00.000Z',
      lastUsedAt: null,
      createdAt: '',
    },
  ],
  redirectUris: ['https://app.example/cb'],
  adminConsentRedirectUris: [],
  logoutRedirectUris: [],
  permissions: [{ kind: 'application', resource: 'https://api/api/v2', id: 'User.Read.All' }],
  consents: [],
  owners: [],
  deviceCodes: 'allowed',
}
const ways = { ownSignIn: 'allowed', signInProviders: null, missingProviders: [] }
const tenants = {
  value: [
    { tenantId, name: 'home', state: 'enabled', createdAt: '', ...ways },
    { tenantId: '7a1c1c3e-0000-4000-8000-00000000000b', name: 'twin', state: 'enabled', createdAt: '' },
    { tenantId: '7a1c1c3e-0000-4000-8000-00000000000c', name: 'twin', state: 'enabled', createdAt: '' },
  ],
}

/** A socket's path has room for 103 bytes, and tap's own folders are named after the whole test. */
function shortFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Answers = Record<string, SocketAnswer | 'hang up' | ((request: SocketRequest) => SocketAnswer)>

async function build(t: Test, answers: Answers) {
  const cwd = shortFolder(t)
  const server = await socketServer(join(cwd, 'admin.sock'), (request) => {
    const answer = answers[`${request.method} ${request.path}`]
    if (answer === undefined) return apiError(404, 'NotFound', `nothing at ${request.path}`)
    return typeof answer === 'function' ? answer(request) : answer
  })
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  const run = (line: string, input?: string) =>
    runCommand(line.split(' '), { cwd, env, ...(input === undefined ? {} : { input }) })
  return { cwd, requests: server.requests, run }
}

t.test('app create sends what was said and shows the secret, marked, once', async (t) => {
  const created = { ...application, clientSecret, secret: { keyId: 'k1', endsAt: '2027-01-01T00:00:00.000Z' } }
  const { requests, run } = await build(t, {
    'GET /api/v2/tenants': { json: tenants },
    'POST /api/v2/applications': { status: 201, json: created },
  })
  const { code, out, err } = await run(
    'app create hello --tenant home --audience any --redirect-uri https://a/1 --redirect-uri https://a/2 --permission User.Read.All' +
      ' --permission delegated:https://assets.example/api/assets_read --admin-consent-redirect-uri https://a/3' +
      ' --logout-redirect-uri https://a/4 --consent --secret-label first --secret-days 30',
  )
  t.equal(code, 0, err)
  t.same(requests[1]?.body, {
    name: 'hello',
    type: 'web',
    tenantId,
    audience: 'any',
    redirectUris: ['https://a/1', 'https://a/2'],
    adminConsentRedirectUris: ['https://a/3'],
    logoutRedirectUris: ['https://a/4'],
    permissions: [
      { kind: 'application', id: 'User.Read.All' },
      { kind: 'delegated', resource: 'https://assets.example/api', id: 'assets_read' },
    ],
    consent: true,
    secretLabel: 'first',
    secretExpiresInDays: 30,
  })
  t.match(out, /client secret \(shown only now\)\s+pcl_sk_k1_secretpart_000000\n/)
  t.equal(out.split(clientSecret).length, 2)
  t.notMatch(err, clientSecret)
})

t.test('app create of a native application asks for delegated permissions and shows no secret', async (t) => {
  const { requests, run } = await build(t, {
    'POST /api/v2/applications': { status: 201, json: { ...application, type: 'native' } },
  })
  const { code, out } = await run('app create phone --type native --permission User.Read')
  t.equal(code, 0)
  t.same(requests[0]?.body, { name: 'phone', type: 'native', permissions: [{ kind: 'delegated', id: 'User.Read' }] })
  t.notMatch(out, /secret/)
  t.match(out, /^PKCE .*\n(.*\n)*ID tokens /m)
})

t.test('an application that only acts as itself is shown without what is for signing people in', async (t) => {
  const shown = async (more: object) => {
    const json = { ...application, redirectUris: [], deviceCodes: 'off', ...more }
    return (await (await build(t, { 'POST /api/v2/applications': { status: 201, json } })).run('app create hello')).out
  }
  const server = await shown({})
  t.match(server, /^public key /m)
  t.notMatch(server, /^(PKCE|ID tokens) /m)
  const device = await shown({ deviceCodes: 'allowed' })
  t.match(device, /^ID tokens /m, 'people sign in at their phone')
  t.notMatch(device, /^PKCE /m, 'with no redirect for PKCE to guard')
})

t.test('-o env gives lines that a shell reads back unchanged, -o json the whole answer', async (t) => {
  const odd = `it's $HOME "quoted" \`x\` ;`
  const created = { ...application, publicKey: odd, clientSecret }
  const { cwd, run } = await build(t, { 'POST /api/v2/applications': { status: 201, json: created } })
  const env = await run('app create hello -o env')
  t.match(env.out, `PORTCULLIS_CLIENT_ID=${applicationId}\n`)
  t.match(env.out, `PORTCULLIS_CLIENT_SECRET=${clientSecret}\n`)
  writeFileSync(join(cwd, 'env'), env.out)
  t.equal(
    execFileSync('/bin/sh', ['-c', '. ./env; printf %s "$PORTCULLIS_PUBLIC_KEY"'], { cwd, encoding: 'utf8' }),
    odd,
  )
  const json = await run('app create hello -o json')
  t.same(JSON.parse(json.out), created)
})

t.test('--secret-file keeps the secret off the screen, in a new private file', async (t) => {
  const created = { ...application, clientSecret }
  const { cwd, requests, run } = await build(t, { 'POST /api/v2/applications': { status: 201, json: created } })
  for (const [i, format] of ['table', 'json', 'env'].entries()) {
    const { code, out } = await run(`app create hello -o ${format} --secret-file secret-${i}`)
    t.equal(code, 0)
    t.notMatch(out, clientSecret, format)
    t.equal(readFileSync(join(cwd, `secret-${i}`), 'utf8'), `${clientSecret}\n`)
    t.equal(statSync(join(cwd, `secret-${i}`)).mode & 0o777, 0o600)
  }
  const again = await run('app create hello --secret-file secret-0')
  t.equal(again.code, 2)
  t.match(again.err, /cannot be made/)
  const sent = requests.filter(({ method }) => method === 'POST')
  t.equal(sent.length, 3, 'no request was sent: the secret would have been lost')
})

t.test('--secret-file leaves nothing behind when the server refuses', async (t) => {
  const { cwd, run } = await build(t, { 'POST /api/v2/applications': apiError(409, 'NameTaken', 'that name is taken') })
  const { code, err } = await run('app create hello --secret-file secret')
  t.equal(code, 1)
  t.match(err, 'portcullis: that name is taken (NameTaken, request the-request-id)\n')
  t.notOk(existsSync(join(cwd, 'secret')))
})

t.test('app list follows the pages and prints a table or JSON, never env', async (t) => {
  const { requests, run } = await build(t, {
    'GET /api/v2/applications': {
      json: { value: [application], nextLink: 'https://elsewhere.example/api/v2/applications?$skiptoken=2' },
    },
    'GET /api/v2/applications?$skiptoken=2': { json: { value: [{ ...application, name: 'second' }] } },
  })
  const { code, out } = await run('app list')
  t.equal(code, 0)
  t.match(out, /^NAME +APPLICATION ID +TYPE +STATE +TENANT +TENANT ID\nhello +7a1c.+\nsecond +7a1c.+\n$/)
  t.same(
    requests.map(({ path }) => path),
    ['/api/v2/applications', '/api/v2/applications?$skiptoken=2', `/api/v2/tenants/${application.tenantId}`],
    'over the socket only',
  )
  t.same(JSON.parse((await run('app list -o json')).out).value.length, 2)
  t.equal((await run('app list -o env')).code, 2)
})

t.test('app show prints everything but secrets', async (t) => {
  const { requests, run } = await build(t, { 'GET /api/v2/applications/caf%C3%A9': { json: application } })
  const { code, out } = await run('app show café')
  t.equal(code, 0, 'a name is one path segment')
  t.match(out, /redirect URI +https:\/\/app\.example\/cb\n/)
  t.match(out, /permission +application:https:\/\/api\/api\/v2\/User\.Read\.All\n/)
  t.match(out, /secret +k1, first, ends 2999-01-01T00:00:00\.000Z, never used\n/)
  t.match(out, /secret +k0, old, ended 2001-01-01T00:00:00\.000Z, never used\n/)
  for (const name of ['a/b', 'a\\b', '50%', '..']) {
    const refused = await run(`app show ${name}`)
    t.equal(refused.code, 2, `the server takes no target with ${name}`)
    t.match(refused.err, 'cannot be looked up by name: use its id')
  }
  t.equal(requests.length, 2, 'nor does it get a request: there are the application and its use of PKCE')
})

t.test('app set sends what is said and nothing else; a list replaces the list, --no- takes away', async (t) => {
  const path = `/api/v2/applications/${applicationId}`
  const changed = { ...application, requirePkce: true, publisher: 'Contoso', verified: true }
  const { cwd, requests, run } = await build(t, { [`PATCH ${path}`]: { json: changed } })
  const sent = async (line: string) => {
    const { code, out } = await run(line)
    t.equal(code, 0, line)
    t.match(out, /PKCE +required\n.*ID tokens +RS256\npublisher +Contoso \(verified\)\n/s)
    return requests.at(-1)?.body
  }
  t.same(await sent(`app set ${applicationId} --redirect-uri https://a/1 --redirect-uri https://a/2 --yes`), {
    redirectUris: ['https://a/1', 'https://a/2'],
  })
  t.same(await sent(`app change ${applicationId} --no-logout-redirect-uri --no-admin-consent-redirect-uri --yes`), {
    adminConsentRedirectUris: [],
    logoutRedirectUris: [],
  })
  const keys = { keys: [{ kty: 'EC', kid: 'a', crv: 'P-256', x: 'x', y: 'y' }] }
  writeFileSync(join(cwd, 'keys.json'), JSON.stringify(keys))
  t.same(await sent(`app set ${applicationId} --auth-method private_key_jwt --jwks keys.json --yes`), {
    authMethod: 'private_key_jwt',
    jwks: keys,
  })
  t.same(await sent(`app set ${applicationId} --no-jwks --auth-method secret --yes`), {
    authMethod: 'secret',
    jwks: null,
  })
  t.same(
    await sent(
      `app set ${applicationId} --name x --require-pkce --id-token-alg ES256 --publisher Contoso --verified --no-redirect-uri --yes`,
    ),
    {
      redirectUris: [],
      requirePkce: true,
      idTokenAlg: 'ES256',
      publisher: 'Contoso',
      verified: true,
      name: 'x',
    },
  )
  t.same(await sent(`app set ${applicationId} --no-require-pkce --no-verified --yes`), {
    requirePkce: false,
    verified: false,
  })
})

t.test('app set asks for nothing when nothing was said, or when the keys cannot be read', async (t) => {
  const { cwd, requests, run } = await build(t, {})
  writeFileSync(join(cwd, 'broken.json'), '{')
  for (const line of [
    `app set ${applicationId} --yes`,
    `app set ${applicationId} --jwks nothing.json --yes`,
    `app set ${applicationId} --jwks broken.json --yes`,
    `app set ${applicationId} --id-token-alg none --yes`,
    `app create x --auth-method none`,
  ]) {
    t.equal((await run(line)).code, 2, line)
  }
  t.equal(requests.length, 0)
})

t.test('app rotate sends the overlap in seconds and shows the new secret', async (t) => {
  const added = { keyId: 'k2', clientSecret, endsAt: '2027-01-01T00:00:00.000Z' }
  const { requests, run } = await build(t, { 'POST /api/v2/applications/hello/secrets': { status: 201, json: added } })
  const { code, out, err } = await run('app rotate hello --overlap 24h --label next --days 90 --yes')
  t.equal(code, 0)
  t.same(requests[0]?.body, { rotate: true, overlapSeconds: 86_400, label: 'next', expiresInDays: 90 })
  t.match(out, clientSecret)
  t.match(err, /^The older secrets end in 1 day, at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ; /)
  const now = await run('app rotate hello -o env --yes')
  t.same(requests[1]?.body, { rotate: true, overlapSeconds: 0 })
  t.equal(now.out, `PORTCULLIS_SECRET_KEY_ID=k2\nPORTCULLIS_CLIENT_SECRET=${clientSecret}\n`)
  t.match(now.err, 'have ended')
  t.equal((await run('app rotate hello --overlap tomorrow --yes')).code, 2)
  t.equal((await run('app rotate hello --days 0 --yes')).code, 2)
})

t.test('app permit, consent, disable and enable send what they say', async (t) => {
  const { requests, run } = await build(t, {
    'GET /api/v2/applications/hello': { json: application },
    'GET /api/v2/tenants': { json: tenants },
    'PUT /api/v2/applications/hello/permissions': { json: application },
    'POST /api/v2/applications/hello/consents': { json: application },
    'PATCH /api/v2/applications/hello': { json: application },
  })
  const sent = async (line: string) => {
    const { code, err } = await run(line)
    t.equal(code, 0, `${line}: ${err}`)
    return requests.at(-1)?.body
  }
  t.same(await sent('app permit hello User.Read.All delegated:User.Read --yes'), {
    permissions: [
      { kind: 'application', id: 'User.Read.All' },
      { kind: 'delegated', id: 'User.Read' },
    ],
  })
  t.match((await run('app permit hello User.Read.All --yes')).err, `portcullis app consent ${applicationId}`)
  t.same(await sent('app consent hello'), { permissions: 'all' })
  t.same(await sent('app consent hello User.Read.All --tenant home'), {
    tenantId,
    permissions: [{ kind: 'application', id: 'User.Read.All' }],
  })
  t.same(await sent('app disable hello --yes'), { state: 'disabled' })
  t.same(await sent('app enable hello'), { state: 'enabled' })
  t.equal((await run('app permit hello a,b --yes')).code, 2, 'a list is no permission')
})

t.test('revoke names what is revoked; a token may come from standard input', async (t) => {
  const { requests, run } = await build(t, {
    'GET /api/v2/applications/hello': { json: application },
    'GET /api/v2/tenants': { json: tenants },
    'POST /api/v2/revocations': { json: { seq: 41 } },
  })
  const sent = async (line: string, input?: string) => {
    const { code, out, err } = await run(line, input)
    t.equal(code, 0, `${line}: ${err}`)
    t.match(out, '41')
    return requests.at(-1)?.body
  }
  t.same(await sent('revoke token aaa.bbb.ccc'), { what: 'token', token: 'aaa.bbb.ccc' })
  t.same(await sent('revoke token -', ' aaa.bbb.ccc\n'), { what: 'token', token: 'aaa.bbb.ccc' })
  t.same(await sent('revoke token 7a1c1c3e-0000-4000-8000-000000000009'), {
    what: 'token',
    id: '7a1c1c3e-0000-4000-8000-000000000009',
  })
  t.same(await sent('revoke secret k1 --yes'), { what: 'credential', id: 'k1' })
  t.same(await sent('revoke application hello --yes'), { what: 'application', id: applicationId })
  t.same(await sent(`revoke tenant ${tenantId.toUpperCase()} --yes`), { what: 'tenant', id: tenantId })
  t.equal((await run('revoke token -', '\n')).code, 2, 'an empty input is nothing to revoke')
})

t.test('what stops others says what hangs on it, and is done by nobody’s accident', async (t) => {
  const numbers = {
    ...{ tenantId, applications: 12, people: 3, signIns: 0, sessions: null, tokens: 200, tokenLifetimeSeconds: 3600 },
    ...{ calls: { lastHour: 340, lastDay: 1200 }, atLeast: ['tokens'] },
  }
  const { cwd, requests, run } = await build(t, {
    'GET /api/v2/tenants': { json: tenants },
    [`GET /api/v2/tenants/${tenantId}`]: { json: tenants.value[0] },
    [`GET /api/v2/tenants/${tenantId}/consequences`]: { json: numbers },
    'GET /api/v2/keys/consequences': { json: numbers },
    [`PATCH /api/v2/tenants/${tenantId}`]: { json: tenants.value[0] },
    'POST /api/v2/keys/rotate': { json: { value: [] } },
  })
  for (const line of ['tenant disable home', 'keys rotate --immediately', 'keys remove K']) {
    const refused = await run(line)
    t.equal(refused.code, 2, line)
    t.match(refused.err, /Applications: 12\n/, line)
    t.match(refused.err, /in the last hour: at least 200\n.*Calls in the last hour: 340\n.*24 hours: 1,200\n/s, line)
    t.match(refused.err, /say --yes/, line)
  }
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  const answered = (answer: string) => runCommand(['tenant', 'disable', 'home'], { cwd, env, answer })
  t.equal((await answered('n')).code, 1)
  t.same([...new Set(requests.map(({ method }) => method))], ['GET'], 'nothing was sent that changes anything')
  const agreed = await answered('y')
  t.equal(agreed.code, 0)
  t.match(agreed.err, /Switch off home\? \[y\/N\]/)
  t.same(requests.at(-1)?.body, { state: 'disabled' })
})

t.test('a tenant is an id or a name that only one has', async (t) => {
  const { run, requests } = await build(t, {
    'GET /api/v2/tenants': { json: tenants },
    [`PATCH /api/v2/tenants/${tenantId}`]: { json: tenants.value[0] },
    'POST /api/v2/tenants': { status: 201, json: tenants.value[0] },
  })
  t.equal((await run('tenant disable home --yes')).code, 0)
  t.same(requests.at(-1)?.body, { state: 'disabled' })
  t.equal((await run('tenant enable home')).code, 0)
  t.equal((await run('tenant set home --user-consent administrators')).code, 0)
  t.same(requests.at(-1)?.body, { userConsent: 'administrators' })
  t.equal((await run('tenant set home --user-consent nobody')).code, 2)
  t.equal((await run('tenant set home')).code, 2)
  t.equal((await run('tenant disable nobody')).code, 3)
  t.equal((await run('tenant disable twin')).code, 2)
  t.match((await run('tenant list')).out, /^NAME +TENANT ID/)
  t.equal((await run('tenant create home -o env')).out, `PORTCULLIS_TENANT_ID=${tenantId}\n`)
})

t.test('keys list, rotate and remove; permission list', async (t) => {
  const key = {
    kid: 'K',
    purpose: 'token',
    alg: 'ES256',
    state: 'active',
    createdAt: '',
    activatesAt: 'now',
    removesAt: null,
  }
  const permission = {
    id: 'User.Read',
    resource: 'r',
    kinds: ['delegated'],
    description: 'Read',
    adminConsent: false,
    covers: [],
  }
  const { requests, run } = await build(t, {
    'GET /api/v2/keys': { json: { value: [key] } },
    'POST /api/v2/keys/rotate': { json: { value: [key] } },
    'DELETE /api/v2/keys/K': { status: 204 },
    'GET /api/v2/permissions': { json: { value: [permission] } },
  })
  t.match((await run('keys list')).out, /\nK +token +ES256 +active +now\n$/)
  t.same(JSON.parse((await run('keys list -o json')).out), { value: [key] })
  t.match(await run('keys rotate'), { code: 0, err: /The set has 1 key for tokens now\. See: portcullis keys list/ })
  t.same(requests.at(-1)?.body, { purpose: 'token' })
  t.equal((await run('keys rotate --purpose assertion --immediately --yes')).code, 0)
  t.same(requests.at(-1)?.body, { purpose: 'assertion', immediately: true })
  t.equal((await run('keys rotate --purpose other')).code, 2)
  t.equal((await run('keys remove K --yes')).code, 0)
  t.match(await run('keys remove KK'), { code: 3, err: /^portcullis: There is no key "KK"\. The nearest is "K"\.$/m })
  t.notOk(
    requests.some(({ path }) => path.includes('consequences')),
    'and what it would stop is not counted',
  )
  t.match((await run('permission list')).out, /\nUser\.Read +delegated +r +Read\n$/)
})

t.test('token --app prints the bare token, or the answer in another form', async (t) => {
  const answer = { access_token: 'eyJ.x.y', token_type: 'Bearer', expires_in: 3599, scope: 'default User.Read.All' }
  const { requests, run } = await build(t, {
    'POST /api/v2/applications/hello/token': { json: answer },
    'GET /api/v2/tenants': { json: tenants },
  })
  t.same(await run('token --app hello'), { code: 0, out: 'eyJ.x.y\n', err: '' })
  t.same(requests.at(-1)?.body, { scope: 'default' })
  t.equal(
    (await run('token --app hello --scope User.Read.All --tenant home -o env')).out,
    'PORTCULLIS_ACCESS_TOKEN=eyJ.x.y\n',
  )
  t.same(requests.at(-1)?.body, { scope: 'User.Read.All', tenantId })
  t.same(JSON.parse((await run('token --app hello -o json')).out), answer)
  t.match((await run('token --app hello -o table')).out, /expires in +3599 s\n/)
})

t.test('a token that is refused through the socket ends with 4, an application that is not there with 3', async (t) => {
  const { run } = await build(t, {
    'POST /api/v2/applications/hello/token': apiError(400, 'InvalidScope', 'not configured'),
    'POST /api/v2/applications/none/token': apiError(404, 'ApplicationNotFound', 'none'),
  })
  const refused = await run('token --app hello')
  t.match(refused, { code: 4, out: '', err: /^portcullis: no token: not configured/ })
  t.equal((await run('token --app none')).code, 3)
})

t.test('a refusal ends with its own code, its message and the request id', async (t) => {
  const cases: [number, number][] = [
    [400, 2],
    [403, 4],
    [404, 3],
    [409, 1],
    [429, 1],
    [500, 1],
    [503, 5],
  ]
  for (const [status, code] of cases) {
    const { run } = await build(t, { 'GET /api/v2/applications/x': apiError(status, 'Why', 'because') })
    const result = await run('app show x')
    const advice = status === 503 ? '  What is away is shown by: portcullis status\n' : ''
    t.same(result, { code, out: '', err: `portcullis: because (Why, request the-request-id)\n${advice}` }, `${status}`)
  }
  const details = [
    { code: 'Uri', message: 'no fragment' },
    { code: 'Uri', message: 'no wildcard' },
  ]
  const { run } = await build(t, { 'POST /api/v2/applications': apiError(400, 'Bad', 'two mistakes', { details }) })
  t.match((await run('app create x')).err, /two mistakes .*\n {2}no fragment\n {2}no wildcard\n/)
})

t.test('X4 what the server says cannot move the cursor or forge a line', async (t) => {
  const evil = 'a\u001b[2Jb\r\nc\u202ed\u2028e\u0085'
  const { run } = await build(t, {
    'GET /api/v2/applications': { json: { value: [{ ...application, name: evil }] } },
    'GET /api/v2/applications/x': apiError(404, evil, evil),
    'GET /api/v2/applications/y': { json: { ...application, name: evil } },
  })
  const allowed = /^[\x20-\x7e\n]*$/
  for (const line of ['app list', 'app list -o json', 'app show x', 'app show y', 'app show y -o json']) {
    const { out, err } = await run(line)
    t.match(out.replaceAll('\\', ''), allowed, line)
    t.match(err, allowed, line)
  }
  t.equal((await run('app list')).out.split('\n').length, 3, 'one line for one application')
})

t.test('nobody at the socket: code 5 and how to start', async (t) => {
  const cwd = shortFolder(t)
  writeFileSync(join(cwd, 'plain-file'), '')
  const run = (socket: string) => runCommand(['app', 'list', '--socket', socket], { cwd })
  const absent = await run('missing.sock')
  t.equal(absent.code, 5)
  t.match(absent.err, /not running: nobody answers at .*missing\.sock\. Start it with: portcullis serve\n/)
  t.equal((await run('plain-file')).code, 5)
  const stale = join(cwd, 'stale.sock')
  const die = `require('net').createServer().listen(${JSON.stringify(stale)}, () => process.kill(process.pid, 'SIGKILL'))`
  t.equal(spawnSync(process.execPath, ['-e', die]).signal, 'SIGKILL')
  t.ok(existsSync(stale))
  t.equal((await run('stale.sock')).code, 5)
  const long = await run(`${'x'.repeat(100)}.sock`)
  t.equal(long.code, 2, 'a path that the system would cut off is not opened')
  t.match(long.err, /too long/)
})

t.test('a server that breaks off, or is none of ours, is distinguished', async (t) => {
  const { cwd, run } = await build(t, {
    'GET /api/v2/keys': 'hang up',
    'GET /api/v2/tenants': { text: '<html>' },
    'GET /api/v2/permissions': { status: 500, text: 'x' },
  })
  const broken = await run('keys list')
  t.equal(broken.code, 5)
  t.match(broken.err, /broke off the call/)
  const otherProgram = await run('tenant list')
  t.equal(otherProgram.code, 1)
  t.match(otherProgram.err, /is not Portcullis/)
  t.match((await run('permission list')).err, /the server answered 500/)
  const raw = createServer((socket) => socket.resume().end('SSH-2.0\r\n'))
  await new Promise<void>((resolve) => raw.listen(join(cwd, 'raw.sock'), resolve))
  t.teardown(() => new Promise((resolve) => raw.close(resolve)))
  t.equal((await run('keys list --socket raw.sock')).code, 5)
})

// `portcullis plan …` and `portcullis app plan …` against a stand-in for the server: what they send, what they print.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { apiError, runCommand, socketServer } from '../support/rooms/cli.js'

const applicationId = '7a1c1c3e-0000-4000-8000-000000000001'
const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const requestId = '7a1c1c3e-0000-4000-8000-0000000000bb'
const userId = '7a1c1c3e-0000-4000-8000-0000000000aa'

const daily = {
  ...{ name: 'daily', by: ['application'], kind: 'quota', limit: 1000, periodSeconds: 86_400 },
  ...{ burst: null, routes: [] },
}
const rate = {
  ...{ name: 'application', by: ['application', 'tenant'], kind: 'rate', limit: 600, periodSeconds: 60 },
  ...{ burst: 50, routes: null },
}
const plans = [
  {
    ...{ name: 'free', describe: 'To try things out, for as long as you like.', chosenBy: 'developers', default: true },
    ...{ limits: [daily, rate], concurrent: null },
  },
  { name: 'partner', describe: '', chosenBy: 'operators', default: false, limits: [], concurrent: 50 },
]
const request = {
  ...{ requestId, applicationId, applicationName: 'Reports', tenantId, plan: 'partner', reason: 'We have a contract' },
  ...{ requestedBy: userId, requestedAt: '2026-11-23T10:00:00.000Z' },
}
const ofApplication = {
  ...{ plan: 'free', assigned: 'free', gone: false, limits: [daily], concurrent: 3, forgotten: ['old'] },
  overrides: { limits: { daily: { quota: '1000/day' } }, concurrent: 3 },
  ...{ request, declined: { plan: 'team', reason: 'Too\u001b[2J early', declinedAt: '2026-11-22T10:00:00.000Z' } },
  choices: ['free'],
}
const registered = {
  ...{ applicationId, name: 'Reports', tenantId, type: 'web', audience: 'home', state: 'enabled', plan: 'free' },
  ...{ redirectUris: [], adminConsentRedirectUris: [], logoutRedirectUris: [], requirePkce: false, owners: [] },
  ...{ authMethod: 'secret', jwks: null, idTokenAlg: 'RS256', publisher: '', verified: false, deviceCodes: 'allowed' },
  ...{ permissions: [], consents: [], secrets: [], publicKey: 'pcl_pk_x' },
}
const created = { ...registered, applicationId: '7a1c1c3e-0000-4000-8000-000000000002', name: 'New', plan: 'partner' }
const exported = {
  ...{ month: '2026-11', by: 'day' },
  value: [
    {
      ...{ day: '2026-11-01', tenantId, tenant: 'Contoso', applicationId, application: '=Reports', plan: 'free' },
      ...{ allowed: 7, refused: { permission: 1, limit: 2, token: 3 }, errors: { client: 4, server: 5 } },
    },
  ],
}
const answers: Record<string, object> = {
  'GET /api/v2/tenants': { value: [{ tenantId, name: 'Contoso' }] },
  'GET /api/v2/permissions': { value: [] },
  'GET /api/v2/applications': { value: [registered] },
  [`GET /api/v2/applications/${applicationId}`]: registered,
  [`PUT /api/v2/applications/${applicationId}/plan`]: ofApplication,
  'POST /api/v2/applications': created,
  'GET /api/v2/plans': { value: plans },
  'GET /api/v2/usage/export?by=day&month=2026-11': exported,
  'GET /api/v2/planRequests': { value: [request] },
  'GET /api/v2/planUse': {
    value: [
      { plan: 'free', defined: true, default: true, applications: 12, overridden: 1 },
      { plan: 'gold', defined: false, default: false, applications: 2, overridden: 0 },
    ],
    unassigned: 4,
  },
  'GET /api/v2/planUse/applications?plan=gold': {
    value: [{ applicationId, name: 'Reports', tenantId, tenantName: 'Contoso', overridden: true }],
  },
  'GET /api/v2/applications/Reports/plan': ofApplication,
  'PUT /api/v2/applications/Reports/plan': ofApplication,
  'POST /api/v2/applications/Reports/planRequest': ofApplication,
  'DELETE /api/v2/applications/Reports/planRequest': {},
  [`POST /api/v2/planRequests/${requestId}/approve`]: request,
  [`POST /api/v2/planRequests/${requestId}/decline`]: request,
  [`GET /api/v2/users/${userId}`]: { userId, email: 'mia@contoso.test' },
  [`GET /api/v2/tenants/${tenantId}`]: { tenantId, name: 'Contoso' },
}

async function build(t: { teardown(work: () => unknown): void }) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path }) => {
    if (path.includes('/applications/reports/'))
      return apiError(404, 'ApplicationNotFound', 'There is no such application.')
    const json = answers[`${method} ${path}`]
    return json === undefined ? apiError(404, 'NotFound', `nothing at ${path}`) : { json }
  })
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  const run = (line: string, width?: number) => {
    const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
    return runCommand(words, { cwd, env, now: Date.parse('2026-11-23T12:00:00Z'), ...(width ? { width } : {}) })
  }
  const changes = () =>
    server.requests.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => ({ method, path, body }))
  return { requests: server.requests, changes, run, write: (text: string) => writeFileSync(join(cwd, 'apps'), text) }
}

t.test('plans, their use and the requests are lists that fit 80 columns', async (t) => {
  const { run } = await build(t)
  for (const [line, ...seen] of [
    ['plan list', 'free (default)', 'daily 1000/day', 'developers', 'operators'],
    ['plan use', 'free', '12', 'gone: the default'],
    ['plan use gold', 'Reports', 'own numbers'],
    ['plan requests', requestId, 'Reports', 'partner', '2 h ago'],
  ] as const) {
    const { code, out, err } = await run(line, 80)
    t.equal(code, 0, `${line}: ${err}`)
    for (const text of seen) t.ok(out.includes(text), `${line}: ${text} in\n${out}`)
    t.same(
      out.split('\n').filter((row) => row.length > 80),
      [],
      line,
    )
  }
  const whole = await run('plan list')
  t.match(whole.out, 'application 600/min (50 at once)')
  t.match((await run('plan requests')).out, /We have a contract +mia@contoso.test +Contoso/)
  t.match((await run('plan use')).err, 'nobody put on a plan: 4')
  t.same(JSON.parse((await run('plan list -o json')).out), { value: plans })
})

t.test('the plan of an application is shown with its limits, what it requested and what became of it', async (t) => {
  const { run } = await build(t)
  const { out } = await run('app plan show Reports')
  t.match(out, /^plan +free$/m)
  t.match(out, /^limit daily +1000\/day by application, of its own$/m)
  t.match(out, /^under way +3, of its own$/m)
  t.match(out, /^override +old, which nothing has any more$/m)
  t.match(out, /^requested +partner, since 2026/m)
  t.match(out, /^declined +team, 2026.*: Too\\u\{1b\}\[2J early$/m, 'nothing that a terminal would obey')
  t.equal((await run('app plan show reports')).code, 3)
})

t.test('what is changed, requested and decided is sent as it was said', async (t) => {
  const { requests, run } = await build(t)
  const sent = async (line: string) => {
    const { code, err } = await run(line)
    t.equal(code, 0, `${line}: ${err}`)
    const { method, path, body } = requests.at(-1) ?? { method: '', path: '', body: undefined }
    return [`${method} ${path.replace('/api/v2', '')}`, body]
  }
  t.same(await sent('app plan set Reports free'), ['PUT /applications/Reports/plan', { plan: 'free' }])
  t.same(await sent('app plan clear Reports'), ['PUT /applications/Reports/plan', { plan: null }])
  t.same(await sent('app plan request Reports partner --reason "a contract"'), [
    'POST /applications/Reports/planRequest',
    { plan: 'partner', reason: 'a contract' },
  ])
  t.same(await sent('app plan withdraw Reports'), ['DELETE /applications/Reports/planRequest', undefined])
  t.same(await sent(`plan approve ${requestId}`), [`POST /planRequests/${requestId}/approve`, undefined])
  t.same(await sent(`plan refuse ${requestId} --reason "not yet"`), [
    `POST /planRequests/${requestId}/decline`,
    { reason: 'not yet' },
  ])
})

t.test('an override changes what is named, and leaves the others', async (t) => {
  const { requests, run } = await build(t)
  const override = async (line: string) => {
    const { code, err } = await run(`app plan override Reports ${line}`)
    t.equal(code, 0, `${line}: ${err}`)
    return (requests.at(-1)?.body as { overrides: unknown } | undefined)?.overrides
  }
  const dailyNow = { quota: '1000/day' }
  t.same(await override('--rate application=900/min --burst application=90'), {
    limits: { daily: dailyNow, application: { rate: '900/min', burst: 90 } },
    concurrent: 3,
  })
  t.same(await override('--quota daily=5/day --no-concurrent'), { limits: { daily: { quota: '5/day' } } })
  t.same(await override('--remove daily --concurrent 7'), { limits: {}, concurrent: 7 })
  t.same(await override('--none'), { limits: {} })
  for (const line of ['', '--rate 900/min', '--burst daily=x', '--rate daily=']) {
    t.equal((await run(`app plan override Reports ${line}`)).code, 2, line)
  }
  t.equal((await run('app plan override Reports --remove hourly')).code, 3)
})

t.test('a manifest says which plan an application has, and applied again it changes nothing', async (t) => {
  const { changes, run, write } = await build(t)
  write('name: Reports\ntype: web\nplan: partner\n')
  const tried = await run('app apply -f apps --dry-run')
  t.equal(tried.out, 'changed    Reports\n  - plan free\n  + plan partner\n', tried.err)
  t.same(changes(), [])
  await run('app apply -f apps')
  t.match(changes(), [{ method: 'PUT', path: /\/plan$/, body: { plan: 'partner' } }])
  write('name: Reports\ntype: web\nplan: free\n---\nname: New\ntype: web\nplan: partner\n')
  const both = await run('app apply -f apps')
  t.match(both.out, /^unchanged {2}Reports .*\ncreated {4}New .*\n {2}\+ plan partner\n$/)
  t.match(changes().slice(1), [{ method: 'POST', body: { name: 'New', plan: 'partner' } }])
  write('name: Reports\ntype: web\n')
  t.match(await run('app apply -f apps'), { code: 0, out: /^unchanged/ }, 'left out it stays')
  write('name: Reports\ntype: web\nplan: ""\n')
  t.match(await run('app apply -f apps'), { code: 0, out: /^changed .*\n {2}- plan free\n$/ })
  t.match(changes().at(-1), { method: 'PUT', body: { plan: null } })
})

t.test('a plan that the server has not is told before anything is done', async (t) => {
  const { changes, run, write } = await build(t)
  write('name: New\ntype: web\n---\nname: Reports\ntype: web\nplan: parner\n')
  t.match(await run('app apply -f apps'), { code: 2, err: /there is no plan parner; did you mean "partner"\?/ })
  write('name: New\ntype: web\nplan: [free]\n')
  t.match(await run('app apply -f apps'), { code: 2, err: /must be the name of a plan/ })
  t.same(changes(), [])
})

t.test('imported applications are put on a plan, one of them on another', async (t) => {
  const { changes, run, write } = await build(t)
  const client = (id: string) => ({ client_id: id, client_name: id, grant_types: ['client_credentials'] })
  write(JSON.stringify([client('a'), client('b=c')]))
  const tried = await run('import hydra apps --plan free --plan-of b=c=partner --dry-run')
  t.match(tried.out, /a\b[\s\S]*plan free[\s\S]*b=c[\s\S]*plan partner/)
  await run('import hydra apps --plan free --plan-of b=c=partner')
  t.match(changes(), [{ body: { name: 'a', plan: 'free' } }, { body: { name: 'b=c', plan: 'partner' } }])
  for (const [line, message] of [
    ['--plan-of d=free', 'the file has no application d'],
    ['--plan-of a', 'such as reports=free'],
    ['--plan fre', 'did you mean "free"'],
  ]) {
    t.match(await run(`import hydra apps ${line}`), { code: 2, err: message ?? 'x' }, `${line}`)
  }
})

t.test('the usage of a month is printed as CSV, or as JSON', async (t) => {
  const { run } = await build(t)
  const csv = await run('usage export --month 2026-11')
  t.equal(
    csv.out.split('\r\n')[1],
    `2026-11-01,${tenantId},Contoso,${applicationId},'=Reports,free,,7,1,2,3,4,5`,
    csv.err,
  )
  t.same(JSON.parse((await run('usage export --month 2026-11 --format json')).out), exported)
  t.match(await run('usage export --month 2026-13'), { code: 2, err: 'Write a month such as 2026-11' })
})

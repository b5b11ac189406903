// A mistyped name is answered with the nearest there is, a mistyped command with the help of its group.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { apiError, runCommand, socketServer } from '../../support/rooms/cli.js'

const tenantId = '5e5b1b0a-5c5e-4d6a-9f43-0d8f2a3a6c11'
const application = {
  name: 'reader',
  applicationId: '0c0f4c58-6f6c-4a4c-9c52-6a4b5f6a7b8c',
  type: 'web',
  tenantId,
  permissions: [],
}
const known: Readonly<Record<string, unknown>> = {
  '/api/v2/applications': { value: [application, { ...application, name: 'writer' }] },
  '/api/v2/applications/reader': { ...application, consents: [] },
  '/api/v2/tenants': { value: [{ tenantId, name: 'Contoso', state: 'enabled' }] },
  '/api/v2/users': { value: [{ userId: tenantId, email: 'ada@contoso.example' }] },
  '/api/v2/users?email=adda@contoso.example': { value: [] },
  '/api/v2/users?email=adda%40contoso.example': { value: [] },
  '/api/v2/apis': { value: [{ apiId: tenantId, identifier: 'https://api.example/crm', name: 'CRM', permissions: [] }] },
  '/api/v2/permissions': { value: [{ id: 'Posts.Write', kinds: ['application'], resource: 'https://api.example' }] },
}

async function server(t: { teardown(work: () => unknown): void }) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const { requests, close } = await socketServer(join(cwd, 'admin.sock'), ({ path }) => {
    const json = known[path]
    return json === undefined ? apiError(404, 'ApplicationNotFound', 'There is no such application.') : { json }
  })
  t.teardown(close)
  const run = (line: string) => runCommand(line.split(' '), { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })
  return { run, requests }
}

t.test('the nearest application, wherever a command names one', async (t) => {
  const { run } = await server(t)
  const message = 'portcullis: There is no application "reeder". The nearest is "reader".\n'
  for (const line of ['app show reeder', 'explain GET /posts --app reeder', 'app enable reeder', 'usage reeder'])
    t.same(await run(line), { code: 3, out: '', err: message }, line)
  const far = await run('app show invoices')
  t.equal(far.err, 'portcullis: There is no application "invoices". See: portcullis app list\n')
  const hostile = await run('app show re\u0007der')
  t.match(hostile.err, 'There is no application "re\\u{7}der". The nearest is "reader".')
})

t.test('the nearest tenant, person, API and permission', async (t) => {
  const { run } = await server(t)
  t.match(await run('tenant show Contso'), { code: 3, err: /no tenant "Contso". The nearest is "Contoso"\.$/m })
  t.match(await run('user show adda@contoso.example'), { code: 3, err: /The nearest is "ada@contoso.example"/ })
  t.match(await run('api show crn'), { code: 3, err: /There is no API "crn". The nearest is "crm"/ })
  const permission = await run('app permission add reader Posts.Wirte')
  t.match(permission, { code: 2, err: /no application permission "Posts.Wirte". The nearest is "Posts.Write"/ })
})

t.test('the nearest webhook, key and registration token, also by an address or a label', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const kid = 'kQ1b2c3d4e5f6g7h8i9j0kA1b2c3d4e5f6g7h8i9j0k'
  const lists: Readonly<Record<string, unknown>> = {
    '/api/v2/webhooks': { value: [{ id, url: 'https://x.test/hook' }] },
    '/api/v2/keys': { value: [{ kid }] },
    '/api/v2/registrationTokens': { value: [{ id, label: 'for the pipeline' }] },
  }
  const code = { webhooks: 'WebhookNotFound', keys: 'KeyNotFound', registrationTokens: 'RegistrationTokenNotFound' }
  const { close } = await socketServer(join(cwd, 'admin.sock'), ({ path }) => {
    const kind = path.split('/')[3] as keyof typeof code
    return lists[path] === undefined ? apiError(404, code[kind] ?? 'NotFound', 'no') : { json: lists[path] }
  })
  t.teardown(close)
  const run = (words: string[]) => runCommand(words, { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })
  const near = (what: string, it: string) => ({
    code: 3,
    err: `portcullis: There is no ${what}. The nearest is "${it}".\n`,
  })
  const slip = id.replace('d9cb', 'd9bc')
  t.match(await run(['webhook', 'show', slip]), near(`webhook "${slip}"`, id))
  t.match(await run(['webhook', 'deliveries', 'https://x.test/hok']), near('webhook "https://x.test/hok"', id))
  t.match(await run(['keys', 'remove', kid.slice(1), '--yes']), near(`key "${kid.slice(1)}"`, kid))
  t.match(await run(['registration-token', 'revoke', slip, '--yes']), near(`registration token "${slip}"`, id))
  const label = await run(['registration-token', 'revoke', 'for the pipeline', '--yes'])
  t.match(label, near('registration token "for the pipeline"', id))
  t.match((await run(['webhook', 'show', 'x'])).err, 'There is no webhook "x". See: portcullis webhook list')
  t.match((await run(['keys', 'remove', 'x', '--yes'])).err, 'There is no key "x". See: portcullis keys list')
  t.match(
    (await run(['registration-token', 'revoke', 'x', '--yes'])).err,
    'There is no registration token "x". See: portcullis registration-token list',
  )
})

t.test('a server that names nothing is no reason for another error', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const { close } = await socketServer(join(cwd, 'admin.sock'), ({ path }) =>
    path === '/api/v2/applications' ? 'hang up' : apiError(404, 'ApplicationNotFound', 'There is no such application.'),
  )
  t.teardown(close)
  const { code, err } = await runCommand(['app', 'show', 'x'], { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })
  t.same([code, err], [3, 'portcullis: There is no application "x". See: portcullis app list\n'])
})

t.test('a mistyped command of a group leads to the help of that group', async (t) => {
  const { run } = await server(t)
  t.match(await run('app shwo'), { code: 2, err: /Did you mean show\?[\s\S]*See: portcullis app --help/ })
  t.match(await run('app permission ad'), { code: 2, err: /See: portcullis app permission --help/ })
  t.match(await run('app list --frob'), { code: 2, err: /See: portcullis app list --help/ })
  t.match(await run('chekc'), { code: 2, err: /Did you mean check\?[\s\S]*See: portcullis --help/ })
  t.match(await run('revoke app reeder'), { code: 3, err: /The nearest is "reader"/ }, 'app is application here too')
})

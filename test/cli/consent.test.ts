// `portcullis consent …` against a stand-in for the server: what it sends, what it prints, how it ends.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { apiError, runCommand, type SocketRequest, socketServer } from '../support/rooms/cli.js'

const applicationId = '7a1c1c3e-0000-4000-8000-000000000001'
const tenantId = '7a1c1c3e-0000-4000-8000-00000000000a'
const userId = '7a1c1c3e-0000-4000-8000-0000000000aa'
const requestId = '7a1c1c3e-0000-4000-8000-0000000000bb'
const permission = { kind: 'application', resource: 'https://api/api/v2', id: 'assets_read' }
const consentRequest = { requestId, state: 'pending', applicationId, tenantId, requestedBy: userId, reason: 'please' }
const answers: Record<string, object> = {
  'GET /api/v2/tenants': { value: [{ tenantId, name: 'home', state: 'enabled', createdAt: '' }] },
  'GET /api/v2/applications/hello': { applicationId, type: 'web' },
  'GET /api/v2/users?email=mia%40contoso.test': { value: [{ userId }] },
  [`GET /api/v2/users/${userId}`]: { userId },
  'POST /api/v2/consents': { applicationId, tenantId, userId: null, permissions: [] },
  'POST /api/v2/consents/withdraw': { permissions: 2, grants: 1 },
  [`POST /api/v2/consentRequests/${requestId}/approve`]: { ...consentRequest, state: 'approved' },
  [`POST /api/v2/consentRequests/${requestId}/decline`]: { ...consentRequest, state: 'declined' },
}

/** Names are looked up behind it. */
const isAboutConsent = ({ path }: SocketRequest) => path.startsWith('/api/v2/consent')

async function build(t: { teardown(work: () => unknown): void }) {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path }: SocketRequest) => {
    if (method === 'GET' && path.startsWith('/api/v2/consentRequests')) {
      return { json: { value: [{ ...consentRequest, permissions: [permission] }] } }
    }
    if (method === 'GET' && path.startsWith('/api/v2/consents')) {
      const granted = { ...permission, grantedAt: '2026-11-21T10:00:00.000Z', grantedBy: 'local' }
      return { json: { value: [{ applicationId, tenantId, userId: null, permissions: [granted] }] } }
    }
    const json = answers[`${method} ${path}`]
    return json === undefined ? apiError(404, 'NotFound', `nothing at ${path}`) : { json }
  })
  t.teardown(() => server.close())
  const env = { PORTCULLIS_SOCKET: 'admin.sock' }
  return { requests: server.requests, run: (line: string) => runCommand(line.split(' '), { cwd, env }) }
}

t.test('consent grant and revoke send what was said', async (t) => {
  const { requests, run } = await build(t)
  t.equal((await run('consent grant hello')).code, 0)
  t.same(requests.at(-1)?.body, { applicationId, permissions: 'all' })
  t.equal((await run('consent grant hello --tenant home assets_read delegated:User.Read')).code, 0)
  const permissions = [
    { kind: 'application', id: 'assets_read' },
    { kind: 'delegated', id: 'User.Read' },
  ]
  t.same(requests.at(-1)?.body, { applicationId, tenantId, permissions })
  const revoked = await run('consent revoke hello --user mia@contoso.test --yes')
  t.equal(revoked.code, 0, revoked.err)
  t.match(revoked.err, /Withdrawn. Permissions: 2. Grants ended: 1./)
  t.same(requests.at(-1)?.body, { applicationId, userId, permissions: 'all' })
  t.equal((await run('consent revoke hello User.Read --user mia@contoso.test --yes')).code, 0)
  const single = [{ kind: 'delegated', id: 'User.Read' }]
  t.same(requests.at(-1)?.body, { applicationId, userId, permissions: single }, 'people allow delegated ones only')
})

t.test('consent list says who allowed what, and asks for whom', async (t) => {
  const { requests, run } = await build(t)
  t.equal((await run('consent list')).code, 2)
  const listed = await run('consent list --app hello --tenant home')
  t.match(listed.out, /everybody\s+application:https:\/\/api\/api\/v2\/assets_read/)
  t.equal(requests.findLast(isAboutConsent)?.path, `/api/v2/consents?applicationId=hello&tenantId=${tenantId}`)
  t.match(JSON.parse((await run('consent list --app hello -o json')).out), { value: [{ applicationId }] })
})

t.test('consent requests, approve and decline', async (t) => {
  const { requests, run } = await build(t)
  const listed = await run('consent requests --state pending')
  t.match(listed.out, new RegExp(`${requestId}\\s+pending.*application:assets_read\\s+please`))
  t.equal(requests.findLast(isAboutConsent)?.path, '/api/v2/consentRequests?state=pending')
  t.match((await run(`consent approve ${requestId}`)).err, /Approved/)
  t.match((await run(`consent decline ${requestId}`)).err, /Declined/)
  t.equal((await run('consent approve nothing')).code, 3)
  t.equal((await run('consent requests --state perhaps')).code, 2)
})

t.test('the commands are in the help', async (t) => {
  const { run } = await build(t)
  const { out } = await run('consent --help')
  for (const command of ['grant', 'revoke', 'list', 'requests', 'approve', 'decline']) t.match(out, command)
})

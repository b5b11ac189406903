// `portcullis app permission request` and `requests` against a stand-in for the server: what they send and print.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { managementPermissions } from '../../../src/config/routes/management-permissions.js'
import { apiError, runCommand, type SocketRequest, socketServer } from '../../support/rooms/cli.js'
import { documentedBlock } from '../../support/settings/documentation.js'

const applicationId = '7a1c1c3e-0000-4000-8000-000000000001'
const resource = 'https://api/api/v2'
const permission = { kind: 'application', resource, id: 'User.Read.All' }
const request = {
  ...{ requestId: '7a1c1c3e-0000-4000-8000-0000000000bb', permissions: [permission], state: 'pending' },
  ...{ createdAt: '2026-11-21T10:00:00.000Z', decidedAt: null, mine: true, requestedBy: null, reason: 'For the trips' },
}
const path = `/api/v2/applications/${applicationId}/consentRequests`

t.test('app permission request sends what was said and prints who decides', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  let isPerson = true
  const answers: Record<string, object> = {
    'GET /api/v2/applications/hello': { applicationId, type: 'web', permissions: [], consents: [] },
    'GET /api/v2/applications/reports': { applicationId, type: 'web', permissions: [], consents: [] },
    'GET /api/v2/permissions': {
      value: [
        ...managementPermissions(resource),
        { ...permission, kinds: ['application'], description: 'x' },
        { ...permission, id: 'Subscription.Read.All', kinds: ['application'], description: 'x' },
      ],
    },
    [`GET ${path}`]: { value: [request] },
    [`DELETE ${path}/${request.requestId}`]: {},
    [`POST ${path}`]: { added: [permission], granted: [], withoutAdministrator: [], request },
  }
  const server = await socketServer(join(cwd, 'admin.sock'), ({ method, path: at }: SocketRequest) => {
    if (method === 'POST' && !isPerson) return apiError(403, 'PersonRequired', 'Only a person requests consent.')
    const json = answers[`${method} ${at}`]
    return json === undefined ? apiError(404, 'NotFound', `nothing at ${at}`) : { json }
  })
  t.teardown(() => server.close())
  const run = (...words: string[]) =>
    runCommand(['app', 'permission', ...words], { cwd, env: { PORTCULLIS_SOCKET: 'admin.sock' } })
  const done = await run('request', 'hello', 'User.Read.All', '--reason', 'For the trips')
  t.equal(done.code, 0, done.err)
  t.same(server.requests.at(-1)?.body, { permissions: [permission], reason: 'For the trips' })
  t.match(done.err, /Permissions added: 1 of 1\. Administrators decide about 1: request 7a1c1c3e/)
  const documented = documentedBlock('portcullis app permission request') ?? ''
  for (const line of documented.split('\n').filter((text) => text.startsWith('portcullis '))) {
    const words = [...line.replace(/\s+#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? '',
    )
    const answer = await run(...words.slice(3))
    t.equal(answer.code, 0, `${line}: ${answer.err}`)
  }
  const list = await run('requests', 'hello', '-o', 'table')
  t.match(list.out, /application:User\.Read\.All/)
  const back = await run('withdraw', 'hello')
  t.equal(back.code, 0, back.err)
  t.match(server.requests.at(-1), { method: 'DELETE', path: `${path}/${request.requestId}` })
  t.match(back.err, /taken back/)
  answers[`GET ${path}`] = {
    value: [
      { ...request, mine: false },
      { ...request, state: 'approved' },
    ],
  }
  const none = await run('withdraw', 'hello')
  t.equal(none.code, 3)
  t.match(none.err, /no request of yours waits. See: portcullis app permission requests hello/)
  isPerson = false
  const refused = await run('request', 'hello', 'User.Read.All')
  t.not(refused.code, 0)
  t.match(refused.err, /Only a person requests consent/)
  t.not((await run('request', 'hello', 'Nothing.Here')).code, 0, 'a permission that there is not')
})

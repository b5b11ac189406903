// `portcullis catalogue` against a stand-in for the server: what it calls and prints, also on a narrow terminal, and the
// commands that the documentation shows.

import t from 'tap'
import { commandsAgainst, runCommand } from '../../support/rooms/cli.js'
import { documentedBlock } from '../../support/settings/documentation.js'

const resource = 'https://localhost:9443/api/v2'
const summary = {
  ...{ apiId: 'posts', kind: 'service', name: 'Posts', description: 'What people write.', version: '2.1' },
  ...{ contact: null, resources: [resource], state: 'partly-deprecated', sunset: '2027-03-01', operationCount: 2 },
  permissions: [
    {
      ...{ resource, id: 'Posts.Read', description: 'Read the posts that everybody may see', role: 'member' },
      ...{ kinds: ['application', 'delegated'], administratorFor: ['application'] },
    },
  ],
}
const open = { ...summary, apiId: 'status-page', name: 'Status page', permissions: [], state: 'current', sunset: null }
const twin = { ...open, apiId: 'status-page-2' }
const operation = {
  ...{ operationId: 'listPosts', method: 'GET', path: '/posts', summary: 'Lists posts', deprecated: false },
  ...{ deprecatedSince: null, sunset: null, link: null, anyOf: [['Posts.Read']], resource },
}
const ending = {
  ...{ ...operation, operationId: 'searchPosts', path: '/posts/search', anyOf: null },
  ...{ deprecated: true, deprecatedSince: '2026-11-01', sunset: '2027-03-01' },
}
const applicationId = '7a1c1c3e-0000-4000-8000-000000000001'
const line = {
  ...{ route: 'GET /posts', applicationId, name: 'reader', homeTenantId: applicationId, homeTenant: 'Contoso' },
  ...{ lastHour: 3, lastDay: 40, lastThirtyDays: 1200 },
}
const callers = { tenantId: applicationId, complete: false, value: [line, { ...line, name: null, homeTenant: null }] }
const nobody = { tenantId: null, complete: true, value: [] }
const api = { ...summary, operations: [operation, ending] }
const answers = {
  'GET /api/v2/apiCatalogue': { value: [summary, open, twin] },
  'GET /api/v2/apiCatalogue?search=posts': { value: [summary] },
  'GET /api/v2/apiCatalogue?search=nothing': { value: [] },
  'GET /api/v2/apiCatalogue/posts': api,
  'GET /api/v2/apiCatalogue/status-page': { ...open, operations: [] },
  'GET /api/v2/apiCatalogue/posts/callers': callers,
  'GET /api/v2/apiCatalogue/posts/callers?operationId=searchPosts': callers,
  'GET /api/v2/apiCatalogue/posts/callers?everywhere=true': nobody,
  'GET /api/v2/apiCatalogue/status-page/callers': nobody,
}

t.test('list and show print what the portal shows; an API is meant by id, name or identifier', async (t) => {
  const { run } = await commandsAgainst(t, answers)
  const list = await run('catalogue list')
  t.same([list.code, list.err], [0, ''])
  t.match(list.out, /^posts +Posts +partly-deprecated +2 +Posts\.Read +https:/m)
  t.match(list.out, /^status-page +Status page +current +2 +none, it is open/m)
  t.match((await run('catalogue list --search nothing')).err, /No API has all of these words/)
  for (const written of ['posts', 'Posts']) {
    const { code, out } = await run(`catalogue show ${written}`)
    t.equal(code, 0, written)
    t.match(out, /^posts +Posts, version 2\.1, partly-deprecated$/m)
    t.match(out, /^Posts\.Read +application delegated +application +member +Read the posts/m)
    t.match(out, /^listPosts +GET +\/posts +Posts\.Read/m)
    t.match(out, /^searchPosts +GET +\/posts\/search +nothing, it is open +2027-03-01$/m)
  }
  t.same(JSON.parse((await run('catalogue show posts -o json')).out), api)
  t.same(JSON.parse((await run('catalogue list -o json')).out), { value: [summary, open, twin] })
  const free = await run('catalogue show status-page')
  t.match(free.err, /It takes no permission[\s\S]*It is not called through this gateway/)
  t.match(await run('catalogue show post'), { code: 3, out: '', err: /"post". The nearest is "(posts|Posts)"/ })
  t.match(await run(`catalogue show ${resource}`), { code: 2, err: /several APIs are meant by/ })
})

t.test('callers of an API and of one operation, here and everywhere', async (t) => {
  const { run, requests } = await commandsAgainst(t, answers)
  const all = await run('catalogue callers posts')
  t.equal(all.code, 0, all.err)
  t.match(all.out, /^reader +GET \/posts +3 +40 +1200 +Contoso +7a1c1c3e/m)
  t.match(all.out, /^7a1c1c3e-\S+ \(is gone\) +GET \/posts/m)
  t.match(all.err, /Not every instance could be read/)
  t.same(JSON.parse((await run('catalogue callers posts -o json')).out), callers)
  t.equal((await run('catalogue callers posts --operation searchPosts')).code, 0)
  t.equal(requests.at(-1)?.path, '/api/v2/apiCatalogue/posts/callers?operationId=searchPosts')
  t.match(await run('catalogue callers posts --operation listPost'), { code: 3, err: /The nearest is "listPosts"/ })
  t.match((await run('catalogue callers posts --everywhere')).err, /Nobody called it in 30 days/)
  t.match((await run('catalogue callers status-page')).err, /Nobody called it in this tenant in 30 days/)
})

t.test('80 columns are enough for every table, and the documented commands do what they say', async (t) => {
  const { run, cwd } = await commandsAgainst(t, answers)
  for (const words of ['list', 'show posts', 'callers posts']) {
    const env = { PORTCULLIS_SOCKET: 'admin.sock' }
    const { out } = await runCommand(['catalogue', ...words.split(' ')], { cwd, env, width: 80 })
    for (const text of out.split('\n')) t.ok(text.length <= 80, `${words}: ${text}`)
    t.match(out, /posts|reader/)
  }
  const lines = (documentedBlock('portcullis catalogue list') ?? '').split('\n').filter((text) => text !== '')
  t.ok(lines.length >= 4)
  for (const text of lines) {
    const { code, err } = await run(text.replace(/\s+#.*$/, '').replace(/^portcullis /, ''))
    t.equal(code, 0, `${text}: ${err}`)
  }
})

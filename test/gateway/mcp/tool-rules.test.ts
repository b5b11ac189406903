// What a tenant says of tools, at the gate: joined with what the file says, for the callers of that tenant alone, from
// memory, and from the next call on.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import type { McpSettings } from '../../../src/config/settings/route-settings.js'
import { createDirectory } from '../../../src/directory/directory.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import { changeToolRules } from '../../../src/directory/tools/tool-rule-changes.js'
import { deskRoute, needing } from '../../support/mcp/desk-route.js'
import { type GateOptions, openGate, recordingUpstream, type Test } from '../../support/rooms/http-gate.js'
import { rawRequest } from '../../support/traffic/http-raw.js'
import { messageBytes } from '../../support/traffic/mcp-client.js'

const read = ['User.Read.All']
const route = '/desk/mcp'
const tools = {
  find: needing('User.Read.All'),
  close: needing('User.Read.All'),
  strong: { ...needing('User.Read.All'), rule: 'second_factor' as const },
  asking: { ...needing('User.Read.All'), rule: 'approval' as const },
  gone: { ...needing('User.Read.All'), rule: 'never' as const },
  watched: { ...needing('Subscription.Read.All'), shadow: true as const },
}

async function open(t: Test, changes: Partial<McpSettings> = {}, replace?: GateOptions['replace']) {
  const upstream = await recordingUpstream(t, (_request, response, { body }) => {
    const items = [...Object.keys(tools), 'unnamed'].map((name) => ({ name }))
    const result = body.includes('tools/list') ? { tools: items } : { content: [] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  })
  const { mcp } = deskRoute(tools)
  const gate = await openGate(t, {
    routes: [{ path: route, id: route, methods: { POST: read }, mcp: { ...(mcp as McpSettings), ...changes } }],
    upstreams: { desk: { target: upstream.target } },
    ...(replace === undefined ? {} : { replace }),
  })
  const tenant = async (name: string) => (await createTenant(gate.writes, { name })).tenantId
  const tenantId = await tenant('Contoso')
  const person = (acr: string, tid = tenantId) =>
    gate.token(read, { idtyp: 'user', sub: randomUUID(), gid: randomUUID(), auth_time: 1, acr, amr: ['pwd'], tid })
  const say = (tool: string, rule: 'allowed' | 'approval' | 'second_factor' | 'never') =>
    changeToolRules(gate.writes, tenantId, [{ route, tool, rule }])
  const call = async (token: string, name: string) => {
    const before = upstream.requests.length
    const answer = await rawRequest(gate, messageBytes({ token }, 'tools/call', { name }))
    const forwarded = upstream.requests.length > before
    const challenge = answer.headers.get('www-authenticate')?.join(', ')
    return { ...answer, challenge, forwarded, says: [answer.status, forwarded] }
  }
  const list = async (token: string) => {
    const answer = await rawRequest(gate, messageBytes({ token }, 'tools/list'))
    return JSON.parse(answer.body).result.tools.map(({ name }: { name: string }) => name) as string[]
  }
  return { gate, upstream, tenant, tenantId, person, say, call, list }
}

const passed = [200, true]

t.test('G10 never: answered as what there is not, and in no list; for the callers of that tenant alone', async (t) => {
  const { gate, tenant, tenantId, person, say, call, list } = await open(t)
  const [token, robot] = [await person('2'), await gate.token(read, { tid: tenantId })]
  const elsewhere = await person('2', await tenant('Fabrikam'))
  t.same((await call(token, 'close')).says, passed)
  await say('close', 'never')
  const never = await call(token, 'close')
  const unknown = await call(token, 'clo**')
  t.same(never.says, [200, false])
  t.equal(never.body, unknown.body.replace('clo**', 'close'), 'the same bytes')
  t.equal(never.challenge, undefined)
  t.same((await call(robot, 'close')).says, [200, false])
  t.same((await call(elsewhere, 'close')).says, passed)
  t.same(await list(token), ['find', 'strong', 'asking', 'watched'])
  t.same(await list(elsewhere), ['find', 'close', 'strong', 'asking', 'watched'])
  const { logged } = gate
  t.match(logged.join(''), /"reason":"mcp_never"/, 'who runs the server sees why')
  await say('close', 'allowed')
  t.same((await call(token, 'close')).says, passed, 'from the next call on')
})

t.test('never is out of each view of a list, and what is only watched is none the less', async (t) => {
  for (const view of ['granted', 'all'] as const) {
    const { person, say, call, list } = await open(t, { list: view })
    const token = await person('1')
    const others = view === 'all' ? ['unnamed'] : []
    t.same(await list(token), ['find', 'close', 'strong', 'asking', 'watched', ...others])
    await say('find', 'never')
    await say('watched', 'never')
    t.same(await list(token), ['close', 'strong', 'asking', ...others])
    t.same((await call(token, 'watched')).says, [200, false])
    t.match((await call(token, 'watched')).body, /Unknown tool/)
  }
})

t.test('a second factor: of the person for whom the token was issued, and of nobody else', async (t) => {
  const { gate, tenantId, person, say, call } = await open(t)
  const [one, two] = [await person('1'), await person('2')]
  const robot = await gate.token(read, { tid: tenantId })
  await say('find', 'second_factor')
  for (const tool of ['find', 'strong']) {
    t.same((await call(two, tool)).says, passed, tool)
    const refused = await call(one, tool)
    t.same(refused.says, [401, false])
    t.match(refused.challenge, /error="insufficient_user_authentication".*acr_values="2".*scope="User\.Read\.All"/)
    t.match(JSON.parse(refused.body), {
      id: 1,
      error: {
        code: 401,
        message: /second factor/,
        data: { code: 'SecondFactorRequired', acr_values: '2', sign_in_uri: /\/account\/second-factor$/ },
      },
    })
    const again = await call(one, tool)
    t.same([again.body, again.challenge], [refused.body, refused.challenge], 'the same bytes')
    const nobody = await call(robot, tool)
    t.same(nobody.says, [403, false])
    t.equal(nobody.challenge, undefined, 'nothing that a program could do')
  }
  t.same((await call(one, 'close')).says, passed, 'other tools need none')
})

t.test(
  'G10 of what the file says and what the tenant says the strictest holds, and both where they differ',
  async (t) => {
    const { person, say, call } = await open(t)
    const [one, two] = [await person('1'), await person('2')]
    for (const rule of ['allowed', 'approval', 'second_factor'] as const) {
      await say('gone', rule)
      t.match((await call(two, 'gone')).body, /Unknown tool/, `never, and ${rule}`)
    }
    await say('strong', 'allowed')
    t.same((await call(one, 'strong')).says, [401, false], 'a tenant takes nothing back')
    await say('asking', 'second_factor')
    t.same((await call(one, 'asking')).says, [401, false])
    const held = await call(two, 'asking')
    t.notOk(held.forwarded, 'and approval besides')
    t.notMatch(held.body, /second factor/)
    await say('find', 'approval')
    t.notOk((await call(two, 'find')).forwarded)
    await say('find', 'allowed')
    t.same((await call(two, 'find')).says, passed)
  },
)

t.test('what is said lies in memory, and while it cannot be read nothing is decided', async (t) => {
  let lookUps = { waited: 0, all: 0 }
  let broken = false
  const { person, say, call, list } = await open(t, {}, ({ directory }) => ({
    directory: {
      ...directory,
      findToolRules: (tenantId) => {
        if (broken) return Promise.reject(new Error('the Store is away'))
        const found = directory.findToolRules(tenantId)
        lookUps = { waited: lookUps.waited + (found instanceof Promise ? 1 : 0), all: lookUps.all + 1 }
        return found
      },
    },
  }))
  const token = await person('2')
  for (let i = 0; i < 5; i += 1) t.same((await call(token, 'find')).says, passed)
  t.same(lookUps, { waited: 1, all: 5 })
  await say('close', 'never')
  for (let i = 0; i < 3; i += 1) t.same((await call(token, 'close')).says, [200, false])
  t.same(lookUps, { waited: 2, all: 8 }, 'once more after a change')
  broken = true
  const refused = await call(token, 'find')
  t.same([refused.status, refused.forwarded, refused.headers.get('retry-after')], [503, false, ['1']])
  broken = false
  t.same(await list(token), ['find', 'strong', 'asking', 'watched'])
})

t.test('an instance that starts later knows what was said', async (t) => {
  const { gate, tenantId, say } = await open(t)
  await say('find', 'never')
  await say('gone', 'approval')
  const later = createDirectory({ store: gate.store })
  const said = await later.findToolRules(tenantId)
  t.same(
    ['find', 'gone', 'close'].map((tool) => said?.of(route, tool)),
    ['never', 'approval', 'allowed'],
  )
  t.equal(await later.findToolRules('no tenant'), undefined)
})

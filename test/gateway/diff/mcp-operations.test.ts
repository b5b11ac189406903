// What a change of the configuration makes of the tools, prompts and resources of an MCP server: who gains or loses
// which, and what is told of the request that their messages come with.

import t from 'tap'
import type { AccessGrant } from '../../../src/directory/consents/access-grants.js'
import { accessDiff } from '../../../src/gateway/diff/access-diff.js'
import { accessDiffLines, accessDiffSummary } from '../../../src/gateway/diff/diff-lines.js'
import { accessRules, plainRules } from '../../../src/gateway/diff/plain-rules.js'
import { settingsFrom } from '../../support/settings/config-file.js'

type Folder = Parameters<typeof settingsFrom>[0]

const audience = 'https://localhost:8443/desk/mcp'

const rules = (t: Folder, mcp: string, more = '') =>
  settingsFrom(
    t,
    `version: 1
resources:
  desk:
    id: ${audience}
    name: Help desk
    permissions: { look: { describe: L }, read: { describe: R, covers: [look] }, write: { describe: W, covers: [read] } }
upstreams: { one: { target: "http://127.0.0.1:1" }, two: { target: "http://127.0.0.1:2" } }
limits: { slow: { by: application, quota: 20/1h } }
routes:
  /desk/mcp: { to: one, resource: desk, limits: [], ${more}mcp: { ${mcp} } }
`,
  )

function grant(name: string, id: string, more: Partial<AccessGrant> = {}): AccessGrant {
  return {
    applicationId: name,
    applicationName: name,
    tenantId: 'home',
    kind: 'application',
    role: undefined,
    people: 0,
    permissions: [{ resource: audience, id, by: 'administrator' }],
    ...more,
  }
}

const grants = [
  grant('looker', 'look'),
  grant('reader', 'read'),
  grant('agent', 'write', { kind: 'delegated', role: 'member', people: 7 }),
]

t.test('a tool that needs another permission is lost by those who lack it, and nothing else is told', async (t) => {
  const before = rules(t, 'first: read, tools: { list_tickets: read, close_ticket: read }')
  const after = rules(t, 'first: read, tools: { list_tickets: read, close_ticket: write }')
  const diff = accessDiff(before, after, grants)
  t.match(diff.calls, [
    {
      method: 'POST',
      path: '/desk/mcp',
      operation: 'tools/call:close_ticket',
      changes: ['requirement'],
      before: { route: '/desk/mcp tools/call:close_ticket', needs: [['read']] },
      after: { needs: [['write']] },
      gain: { applications: 0 },
      lose: { applications: 1, people: 0 },
    },
  ])
  t.equal(diff.calls.length, 1)
  const text = accessDiffLines(diff, 20).join('\n')
  t.match(text, /POST \/desk\/mcp tools\/call:close_ticket needs other permissions/)
  t.match(text, /1 application as itself can no longer call it/)
  t.match(text, /reader \(reader\) as itself in tenant home\n {4}loses POST \/desk\/mcp tools\/call:close_ticket/)
  t.match(accessDiffSummary(diff), '1 call changes; 1 application as itself lose some')
  const back = accessDiff(after, before, grants)
  t.match(back.holders, [{ applicationId: 'reader', gains: [{ operation: 'tools/call:close_ticket' }], loses: [] }])
})

t.test('what comes and goes is told, also where no grants are known', async (t) => {
  const before = rules(t, 'first: read, tools: { old: read }, prompts: { greet: read }')
  const after = rules(
    t,
    'first: read, tools: { new: write }, prompts: { greet: read }, resources: { "desk://a": read }',
  )
  const diff = accessDiff(before, after, undefined)
  t.same(
    diff.calls.map(({ operation, changes }) => [operation, changes]),
    [
      ['tools/call:old', ['disappears']],
      ['tools/call:new', ['appears']],
      ['resources/read:desk://a', ['appears']],
    ],
  )
  const known = accessDiff(before, after, grants)
  const moves = new Map(known.holders?.map(({ applicationId, gains, loses }) => [applicationId, { gains, loses }]))
  const of = (places: readonly { operation?: string }[] = []) => places.map(({ operation }) => operation)
  t.same(of(moves.get('reader')?.gains), ['resources/read:desk://a'])
  t.same(of(moves.get('reader')?.loses), ['tools/call:old'])
  t.same(of(moves.get('agent')?.gains), ['tools/call:new', 'resources/read:desk://a'])
  t.notOk(moves.has('looker'), 'who may not connect has no tool')
})

t.test('what connecting needs is told of the request, and counted for every tool', async (t) => {
  const tools = 'tools: { list_tickets: look, close_ticket: write }'
  const diff = accessDiff(rules(t, `first: read, ${tools}`), rules(t, `first: look, ${tools}`), grants)
  t.same(
    diff.calls.map(({ method, operation }) => [method, operation]),
    [
      ['POST', undefined],
      ['GET', undefined],
      ['DELETE', undefined],
    ],
  )
  const [looker, ...others] = diff.holders ?? []
  t.same(others, [])
  t.same(
    looker?.gains.map(({ method, operation }) => [method, operation]).sort(),
    [
      ['DELETE', undefined],
      ['GET', undefined],
      ['POST', undefined],
      ['POST', 'tools/call:list_tickets'],
    ].sort(),
  )
  const same = rules(t, `first: read, ${tools}`)
  const elsewhere = { ...same, routes: same.routes.map((route) => ({ ...route, upstream: 'two' })) }
  const moved = accessDiff(same, elsewhere, grants)
  t.equal(moved.calls.length, 3)
  t.ok(moved.calls.every(({ operation, changes }) => operation === undefined && changes.includes('upstream')))
})

t.test('a tool that only watches is open to those who may connect, and to nobody else', async (t) => {
  const before = rules(t, 'first: read, tools: { close_ticket: write }')
  const after = rules(t, 'first: read, tools: { close_ticket: { needs: write, shadow: true } }')
  const diff = accessDiff(before, after, grants)
  t.match(diff.calls, [{ operation: 'tools/call:close_ticket', changes: ['shadow'], gain: { applications: 1 } }])
  t.same(
    diff.holders?.map(({ applicationId }) => applicationId),
    ['reader'],
  )
  t.match(accessDiff(after, before, grants).calls, [{ changes: ['enforced'], lose: { applications: 1 } }])
})

t.test('another rule of a tool is told, and never is lost by all', async (t) => {
  const before = rules(t, 'first: read, tools: { close_ticket: write }')
  const approved = rules(t, 'first: read, tools: { close_ticket: { needs: write, rule: approval } }')
  const diff = accessDiff(before, approved, grants)
  t.match(diff.calls, [{ operation: 'tools/call:close_ticket', changes: ['rule'], after: { rule: 'approval' } }])
  t.notOk('rule' in (diff.calls[0]?.before ?? {}))
  t.same(diff.holders, [])
  t.match(
    accessDiffLines(diff, 20).join('\n'),
    /close_ticket has another rule\n.*\n {4}now write, approved call by call, to/,
  )
  const never = rules(t, 'first: read, tools: { close_ticket: { needs: write, rule: never } }')
  t.match(accessDiff(approved, never, grants).calls, [{ changes: ['rule'], lose: { applicationsForPeople: 1 } }])
})

t.test('limits of a tool are told by its id', async (t) => {
  const before = rules(t, 'first: read, tools: { close_ticket: write }')
  const after = rules(t, 'first: read, tools: { close_ticket: { needs: write, limits: [slow] } }')
  t.same(accessDiff(before, after, grants), {
    calls: [],
    holders: [],
    limits: [{ of: 'route', name: '/desk/mcp tools/call:close_ticket', before: 'those of the route', after: 'slow' }],
    plans: [],
  })
})

t.test('the rules of a running server, which come as plain data, say the same', async (t) => {
  const all = rules(
    t,
    'first: read, versions: [2025-11-25], list: all, tools: { a: { needs: { any: [read, [look, write]] }, limits: [slow], cost: 3, shadow: true, rule: approval } }, prompts: { greet: read }, resources: { "desk://{id}": write }',
  )
  const again = accessRules(JSON.parse(JSON.stringify(plainRules(all))))
  t.same(again.routes[0]?.mcp, all.routes[0]?.mcp)
  t.same(accessDiff(all, again, grants), { calls: [], holders: [], limits: [], plans: [] })
  const without = rules(t, 'first: read, versions: [2025-11-25]')
  t.equal(accessDiff(again, without, grants).calls.length, 3)
})

// What a change of the configuration takes from, or gives to, whom (contract §7.5).

import t from 'tap'
import type { AccessGrant } from '../../../src/directory/consents/access-grants.js'
import { accessDiff } from '../../../src/gateway/diff/access-diff.js'
import { accessDiffLines, accessDiffSummary } from '../../../src/gateway/diff/diff-lines.js'
import { requestClasses } from '../../../src/gateway/diff/request-classes.js'
import { settingsFrom } from '../../support/settings/config-file.js'

const own = 'https://localhost:8443/api/v2'

const head = `version: 1
permissions:
  read: { describe: Read }
  write: { describe: Write, covers: [read] }
  mine: { describe: Mine, kinds: [delegated] }
  audit: { describe: Audit, role: administrator }
upstreams:
  one: { target: "http://127.0.0.1:1" }
  two: { target: "http://127.0.0.1:2" }
`

type Folder = Parameters<typeof settingsFrom>[0]
const rules = (t: Folder, routes: string, before = head) => settingsFrom(t, `${before}routes:\n${routes}`)

function grant(name: string, ids: readonly string[], more: Partial<AccessGrant> = {}): AccessGrant {
  const permissions = ids.map((id) => ({ resource: own, id, by: 'administrator' as const }))
  return {
    ...{
      applicationId: name,
      applicationName: name,
      tenantId: 'home',
      kind: 'application',
      role: undefined,
      people: 0,
    },
    ...{ permissions, ...more },
  }
}

const reader = grant('reader', ['read'])
const writer = grant('writer', ['write'])
const people = grant('shop', ['read', 'mine'], { kind: 'delegated', role: 'member', people: 40 })

t.test('kinds of request: what routes have in common is one of its own', async (t) => {
  const of = (...patterns: string[]) => requestClasses(patterns).map(({ pattern, sample }) => `${pattern} ${sample()}`)
  t.same(of('/'), ['/ /'])
  t.same(of('/a', '/a/{id}', '/a/**'), ['/a /a', '/a/{id} /a/any', '/a/** /a/any/any/any'])
  t.same(of('/y/{b}', '/{a}/x'), ['/y /y', '/y/x /y/x', '/y/{b} /y/any', '/{a}/x /any/x'])
  t.same(of('/a/**', '/{x}/b/**'), [
    '/a /a',
    '/a/b /a/b',
    '/a/b/** /a/b/any/any/any/any',
    '/a/** /a/any/any/any/any',
    '/{x}/b /any/b',
    '/{x}/b/** /any/b/any/any/any/any',
  ])
  t.same(
    of('/any/{any}', '/_any'),
    ['/any /any', '/any/{any} /any/__any', '/_any /_any'],
    'the sample is nobody’s text',
  )
  t.same(
    of('/a/B', '/A/{x}'),
    ['/a /a', '/a/B /a/B', '/a/{x} /a/any', '/A /A', '/A/B /A/B', '/A/{x} /A/any'],
    'spellings that there are',
  )
  t.equal(requestClasses(Array.from({ length: 5_000 }, (_, i) => `/s${i % 50}/{id}/t${i}/**`)).length, 10_000)
  const wild = Array.from({ length: 24 }, (_, i) =>
    Array.from({ length: 24 }, (_, j) => (i === j ? `/s${i}` : `/{p${j}}`)).join(''),
  )
  t.throws(() => requestClasses(wild), /more than 10096 ways/)
})

t.test('the same configuration changes nothing', async (t) => {
  const a = rules(
    t,
    '  GET /things/{id}: { to: one, require: read }\n  /rest/**: { to: two, require: { GET: read, PUT: [read, write] } }\n',
  )
  const diff = accessDiff(a, a, [reader, writer, people])
  t.same(diff, { calls: [], holders: [], limits: [], plans: [] })
  t.same(accessDiffLines(diff, 10), [])
  t.equal(accessDiffSummary(diff), 'nobody gains or loses a call')
})

t.test('who gains and who loses, counted on the grants', async (t) => {
  const before = rules(
    t,
    '  /things/**: { to: one, require: { GET: read, PUT: read } }\n  GET /open: { to: one, public: true }\n',
  )
  const after = rules(
    t,
    '  /things/**: { to: one, require: { GET: read, PUT: write } }\n  GET /things/secret: { to: two, require: mine }\n  GET /open: { to: one, require: read }\n',
  )
  const diff = accessDiff(before, after, [reader, writer, people])
  const shown = diff.calls.map(({ method, path, changes, gain, lose }) => ({
    call: `${method} ${path}`,
    changes,
    gain,
    lose,
  }))
  const nobody = { applications: 0, applicationsForPeople: 0, people: 0 }
  t.same(shown, [
    {
      call: 'GET /things/secret',
      changes: ['requirement', 'upstream'],
      gain: nobody,
      lose: { ...nobody, applications: 2 },
    },
    {
      call: 'PUT /things/secret',
      changes: ['disappears'],
      gain: nobody,
      lose: { applications: 2, applicationsForPeople: 1, people: 40 },
    },
    {
      call: 'PUT /things/**',
      changes: ['requirement'],
      gain: nobody,
      lose: { applications: 1, applicationsForPeople: 1, people: 40 },
    },
    { call: 'GET /open', changes: ['guarded'], gain: nobody, lose: nobody },
  ])
  t.same(
    diff.calls[2]?.permissions,
    { gain: [], lose: ['application', 'delegated'].map((kind) => ({ kind, resource: own, id: 'read' })) },
    'by permission, no matter who has it',
  )
  t.same(
    diff.holders?.map(({ applicationName, loses }) => [
      applicationName,
      loses.map(({ method, path }) => `${method} ${path}`),
    ]),
    [
      ['reader', ['GET /things/secret', 'PUT /things/secret', 'PUT /things/**']],
      ['shop', ['PUT /things/secret', 'PUT /things/**']],
      ['writer', ['GET /things/secret', 'PUT /things/secret']],
    ],
    'a narrower route takes its part of a wider one, methods that it does not name included',
  )
  t.equal(
    accessDiffSummary(diff),
    '4 calls change; 2 applications as themselves and 1 application for 40 people lose some',
  )
  const lines = accessDiffLines(diff, 1)
  t.match(lines[1], /GET \/things\/secret needs other permissions, goes to another service/)
  t.same(lines.filter((line) => line.includes('more')).length, 3, 'and so many more')
  const back = accessDiff(after, before, [reader, writer, people])
  t.same(
    back.holders?.map(({ gains }) => gains),
    diff.holders?.map(({ loses }) => loses),
    'backwards it is the other way round',
  )
  t.equal(accessDiff(before, after, undefined).holders, undefined, 'without grants nobody is counted')
  t.same(
    accessDiff(before, after, undefined).calls.map(({ gain }) => gain),
    [null, null, null, null],
  )
})

t.test('what a permission takes and covers is part of it', async (t) => {
  const routes = '  GET /a: { to: one, require: read }\n  GET /b: { to: one, require: audit }\n'
  const before = rules(t, routes)
  const auditor = grant('audit', ['audit'], { kind: 'delegated', role: 'developer', people: 3 })
  const shy = grant('shy', [], {
    kind: 'delegated',
    role: 'member',
    people: 2,
    permissions: [{ resource: own, id: 'read', by: 'user' }],
  })
  const calls = (after: string, grants: AccessGrant[]) => {
    const diff = accessDiff(before, rules(t, routes, after), grants)
    return diff.calls.map(({ method, path, changes, gain, lose }) => [
      `${method} ${path}`,
      changes.join(),
      gain?.people,
      lose?.people,
    ])
  }
  t.same(calls(head.replace(', covers: [read]', ''), [writer]), [['GET /a', 'permissions', 0, 0]], 'it covers less')
  t.same(
    calls(head.replace('administrator', 'developer'), [auditor]),
    [['GET /b', 'permissions', 3, 0]],
    'a lower role is enough',
  )
  t.same(
    calls(head.replace('Read }', 'Read, adminConsent: true }'), [shy]),
    [['GET /a', 'permissions', 0, 2]],
    'it needs an administrator',
  )
})

t.test('a route that only watches is open to all', async (t) => {
  const before = rules(t, '  GET /a: { to: one, require: write }\n')
  const after = rules(t, '  GET /a: { to: one, require: write, shadow: true }\n')
  const diff = accessDiff(before, after, [reader, writer])
  t.same(
    diff.calls.map(({ changes }) => changes),
    [['shadow']],
  )
  t.same(
    diff.holders?.map(({ applicationName }) => applicationName),
    ['reader'],
  )
  t.match(accessDiffLines(diff, 9).join(), /only watches now.*now write \(shadow\)/)
  const back = accessDiff(after, before, [reader, writer])
  t.same(
    back.calls.map(({ changes, lose }) => [changes, lose?.applications]),
    [[['enforced'], 1]],
  )
})

t.test('a route may ask who it is', async (t) => {
  const before = rules(t, '  GET /t/{id}/a: { to: one, require: read }\n')
  const other = grant('3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01', ['read'], { tenantId: 'away' })
  const losers = (more: string, path = '/t/{id}/a') => {
    const diff = accessDiff(before, rules(t, `  GET ${path}: { to: one, require: read, ${more} }\n`), [reader, other])
    const names = diff.holders?.map(
      ({ applicationName, loses }) => `${applicationName} ${loses.map((one) => one.path).join()}`,
    )
    return [diff.calls.map(({ changes }) => changes.join()).join(), ...(names ?? [])]
  }
  t.same(losers('applications: [3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01]'), ['conditions', 'reader /t/{id}/a'])
  t.same(losers('tenant: id'), ['conditions'], 'everybody still reaches what is their own')
  const narrow = rules(
    t,
    '  GET /t/{id}/a: { to: one, require: read, tenant: id }\n  GET /t/home/b: { to: two, require: read }\n',
  )
  t.same(accessDiff(narrow, narrow, [reader, other]).calls, [])
})

t.test('limits are described plainly', async (t) => {
  const limits =
    'limits:\n  a: { by: application, rate: 10/s }\n  b: { by: tenant, quota: 5/day }\ndefaults: { limits: [a], tokenLimits: [] }\n'
  const routes = '  GET /a: { to: one, require: read }\n'
  const diff = accessDiff(
    rules(t, routes, head + limits),
    rules(t, '  GET /a: { to: one, require: read, limits: [+b] }\n', head + limits.replace('10/s', '20/s')),
    [],
  )
  t.same(diff.calls, [])
  t.same(accessDiffLines(diff, 10), [
    'limits:',
    '  limit a: 10 in 1 s by application, 1 at once, mode local, onDown local → 20 in 1 s by application, 2 at once, mode local, onDown local',
    '  limits of GET /a: a → a, b',
  ])
  t.equal(accessDiffSummary(diff), 'nobody gains or loses a call; 2 limits change')
})

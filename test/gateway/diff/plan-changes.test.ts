// Which plans a change of the configuration changes, and for how many applications, also where the rules before come
// from a running server.

import t from 'tap'
import { accessDiff } from '../../../src/gateway/diff/access-diff.js'
import { accessDiffLines, accessDiffSummary } from '../../../src/gateway/diff/diff-lines.js'
import { accessRules, plainRules } from '../../../src/gateway/diff/plain-rules.js'
import { settingsFrom } from '../../support/settings/config-file.js'

const file = `version: 1
permissions: { read: { describe: Read } }
upstreams: { one: { target: "http://127.0.0.1:1" } }
limits: { calls: { by: application, rate: 10/s } }
plans:
  free:
    describe: Free
    chosenBy: developers
    limits: { calls: { rate: 5/s }, daily: { quota: 100/day } }
  team: { describe: Team, limits: { reports: { quota: 7/day, routes: [GET /a] } }, concurrent: 4 }
  partner: { describe: Partner }
defaults: { limits: [calls], plan: free }
routes:
  GET /a: { to: one, require: read }
  GET /b: { to: one, require: read }
`
const counts = { byPlan: new Map([...Object.entries({ free: 12, partner: 1 })]), unassigned: 40 }

t.test('plans that change are named with what they say otherwise and who is on them', async (t) => {
  const changed = file
    .replace('100/day', '200/day')
    .replace('chosenBy: developers', 'chosenBy: administrators')
    .replace('[GET /a] } }, concurrent: 4', '[GET /b] } }')
    .replace('  partner: { describe: Partner }\n', '  large: { describe: Large, concurrent: 9 }\n')
    .replace('plan: free', 'plan: team')
  const [before, after] = [settingsFrom(t, file), settingsFrom(t, changed)]
  const expected = [
    'plans:',
    '  plan free changes, with 12 applications on it',
    '    chosen by: developers → administrators',
    '    limit daily: 100 in 86400 s by application, mode local, onDown local → 200 in 86400 s by application, mode local, onDown local',
    '  plan team changes, with 0 applications on it',
    '    concurrent: 4 → none',
    '    routes of limit reports: GET /a → GET /b',
    '  plan partner is gone, with 1 application on it: the plan team counts instead',
    '  plan large is new, with 0 applications on it',
    '    describe: none → Large',
    '    chosen by: none → operators',
    '    concurrent: none → 9',
    '  default plan: free → team, for 40 applications that nobody put on a plan',
  ]
  const diff = accessDiff(before, after, [], counts)
  t.same(accessDiffLines(diff, 20), expected)
  t.equal(accessDiffSummary(diff), 'nobody gains or loses a call; 5 plans change')
  t.same(accessDiffLines(diff, 1).at(-1), '  and 4 more')
  const running = accessRules(JSON.parse(JSON.stringify(plainRules(before))))
  t.same(accessDiffLines(accessDiff(running, after, [], counts), 20), expected, 'the same against a running server')
  const uncounted = accessDiffLines(accessDiff(before, after, undefined), 20)
  t.same(uncounted.filter((line) => line.includes('application')).length, 1, 'only the words of the limit')
  t.ok(uncounted.includes('  plan partner is gone: the plan team counts instead'))
})

t.test('what runs is what the file says, and a route that comes to all is no change of a plan', async (t) => {
  const before = settingsFrom(t, file)
  const running = accessRules(JSON.parse(JSON.stringify(plainRules(before))))
  t.same(accessDiff(running, before, [], counts).plans, [])
  t.same(running.plans.get('free')?.limits.get('daily')?.routes, new Set(['GET /a', 'GET /b']))
  t.equal(running.plans.get('free')?.limits.get('calls')?.routes, undefined, 'in the place of another')
  const more = settingsFrom(t, `${file}  GET /c: { to: one, require: read }\n`)
  t.same(accessDiff(before, more, [], counts).plans, [])
  const without = settingsFrom(t, file.replace(/plans:\n[\s\S]*defaults: .*\n/, 'defaults: { limits: [calls] }\n'))
  t.match(accessDiffLines(accessDiff(before, without, []), 20), [
    'plans:',
    '  plan free is gone: the limits of all count instead',
    '  plan team is gone: the limits of all count instead',
    '  plan partner is gone: the limits of all count instead',
    '  default plan: free → none',
  ])
})

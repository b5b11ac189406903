// What `reload` says: since when the rules decide that do, and who had them read.

import t from 'tap'
import { commandsAgainst } from '../../support/rooms/cli.js'

const none = { added: [], removed: [], changed: [] }
const sections = ['routes', 'upstreams', 'limits', 'plans', 'issuers', 'permissions', 'resources', 'defaults']
const unchanged = Object.fromEntries(sections.map((section) => [section, none]))

t.test('where the watcher was first, its time is said, and how much is in effect', async (t) => {
  const at = new Date()
  at.setHours(10, 25, 51, 0)
  const inEffect = { since: at.toISOString(), by: 'file', routes: 14, upstreams: 1 }
  const answer = { result: 'unchanged', changes: unchanged, waiting: [], inEffect }
  const { run } = await commandsAgainst(t, { 'POST /api/v2/configuration/reload': answer })
  const { code, out, err } = await run('reload')
  t.same([code, out], [0, ''])
  t.match(err, /^In effect since (\d{4}-\d\d-\d\d )?10:25:51 \(read by itself\): 14 routes, 1 upstream\.\n$/)
  t.equal(JSON.parse((await run('reload -o json')).out).inEffect.by, 'file')
})

t.test('what this call brought is in effect now', async (t) => {
  const inEffect = { since: '2026-01-01T10:00:00.000Z', by: 'management', routes: 1, upstreams: 2 }
  const plans = { ...none, changed: ['free'] }
  const changes = { ...unchanged, routes: { ...none, added: ['/posts'] }, plans }
  const answer = { result: 'reloaded', changes, waiting: [], inEffect }
  const { run } = await commandsAgainst(t, { 'POST /api/v2/configuration/reload': answer })
  t.match(await run('reload'), {
    out: '+ routes /posts\n~ plans free\n',
    err: 'In effect now: 1 route, 2 upstreams.\n',
  })
})

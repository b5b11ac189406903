// `event list`: the names of events, with and without a server.

import t from 'tap'
import { commandsAgainst, runCommand } from '../../support/rooms/cli.js'

t.test('the events of webhooks, and those that stand in the audit', async (t) => {
  const names = {
    people: {},
    applications: {},
    tenants: {},
    events: ['user.signed-in', 'secret.created', 'of.a-newer-server'],
  }
  const { run } = await commandsAgainst(t, { 'GET /api/v2/auditEvents?$top=1': { value: [], names } })
  const { code, out, err } = await run('event list')
  t.same([code, err], [0, ''])
  t.match(out, /^user\.signed-in +audit$/m)
  t.match(out, /^secret\.created +webhook, audit +An application has/m)
  t.match(out, /^key\.rotated +webhook +A signing key/m)
  t.match(out, /^approval\.allowed +audit$/m, 'also what has not happened yet')
  t.match(out, /^user\.sign-in-failed +activity$/m)
  t.match(out, /^of\.a-newer-server +audit$/m, 'and what the server knows')
  const { value } = JSON.parse((await run('event list -o json')).out) as {
    value: { event: string; webhook: boolean }[]
  }
  t.match(
    value.find(({ event }) => event === 'key.rotated'),
    { webhook: true, audit: false, activity: false },
  )
})

t.test('without a server the same names are listed', async (t) => {
  const { code, out, err } = await runCommand(['event', 'list'], {
    cwd: '/tmp/absent',
    env: { PORTCULLIS_SOCKET: 'x.sock' },
  })
  t.same([code, err], [0, ''])
  t.match(out, /^application\.registered +webhook, audit +An application was registered/m)
  t.match(out, /^approval\.allowed +audit$/m)
})

t.test('the filter of the audit refuses a name that there is not, with the nearest', async (t) => {
  const names = { people: {}, applications: {}, tenants: {}, events: ['of.a-newer-server'] }
  const { run } = await commandsAgainst(t, {
    'GET /api/v2/auditEvents?$top=1': { value: [], names },
  })
  for (const command of ['audit list', 'audit activity', 'audit export']) {
    const { code, out, err } = await run(`${command} --event secret.createdd`)
    t.same([code, out], [3, ''], command)
    t.match(err, /There is no event "secret\.createdd"\. The nearest is "secret\.created"\./)
  }
  const noTime = { code: 2, err: /"yesterday" is no time: write 2026-01-31, .*90min or 7d \(ago\)/ }
  t.match(await run('audit list --from yesterday'), noTime)
  t.match(await run('audit list --limit 0'), { code: 2, err: /Write a whole number from 1 on/ })
  t.match(await run('audit list --event nonsense'), { code: 3, err: /See: portcullis event list/ })
})

// `event list`: the names of events, with and without a server.

import t from 'tap'
import { commandsAgainst, runCommand } from '../../support/rooms/cli.js'

t.test('the events of webhooks, and those that stand in the audit', async (t) => {
  const names = { people: {}, applications: {}, tenants: {}, events: ['user.signed-in', 'secret.created'] }
  const { run } = await commandsAgainst(t, { 'GET /api/v2/auditEvents?$top=1': { value: [], names } })
  const { code, out, err } = await run('event list')
  t.same([code, err], [0, ''])
  t.match(out, /^user\.signed-in +audit$/m)
  t.match(out, /^secret\.created +webhook, audit +An application has/m)
  t.match(out, /^key\.rotated +webhook +A signing key/m)
  const { value } = JSON.parse((await run('event list -o json')).out) as {
    value: { event: string; webhook: boolean }[]
  }
  t.match(
    value.find(({ event }) => event === 'key.rotated'),
    { webhook: true, audit: false },
  )
})

t.test('without a server the events of webhooks are listed all the same', async (t) => {
  const { code, out, err } = await runCommand(['event', 'list'], {
    cwd: '/tmp/absent',
    env: { PORTCULLIS_SOCKET: 'x.sock' },
  })
  t.equal(code, 0)
  t.match(out, /^application\.registered +webhook +An application was registered/m)
  t.match(err, /No server answers/)
})

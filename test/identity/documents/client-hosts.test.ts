// A tenant says whose clients its people may use though nobody registered them (decision 152): in its settings and over
// the management API, which take what could be a host and nothing else.

import t from 'tap'
import { openPortal } from '../../support/rooms/portal.js'

t.test('an administrator narrows what the server takes, and everybody else reads it', async (t) => {
  const testApp = await openPortal(t, { identity: { documents: { trust: 'any' } } })
  const owner = await testApp.as('owner')
  const hosts = async () => (await testApp.directory.findTenant(testApp.tenantId))?.clientHosts
  const save = async (fields: Record<string, string>) =>
    owner.submit(await owner.open('/portal/tenant'), 'tenant-form', {
      ...{ name: 'Contoso', consent: 'allowed', devices: 'allowed', 'second-factor': 'none' },
      ...fields,
    })
  t.equal(await hosts(), null, 'as the server takes them')
  await save({ clients: 'named', 'client-hosts': 'Agent.Example, other.example' })
  t.same(await hosts(), ['agent.example', 'other.example'])
  const page = await owner.open('/portal/tenant')
  t.match(page.body, 'value="agent.example, other.example"')
  const refused = await save({ clients: 'named', 'client-hosts': 'https://agent.example/' })
  t.equal(refused.status, 400)
  t.same(await hosts(), ['agent.example', 'other.example'], 'nothing changed')
  await save({ clients: 'named', 'client-hosts': '' })
  t.same(await hosts(), [], 'of none')
  await save({ clients: 'all' })
  t.equal(await hosts(), null)
  const events = (await testApp.events()).filter(({ event }) => event === 'tenant.changed')
  t.same(
    events.flatMap(({ details }) => ('clientHosts' in details ? [details['clientHosts']] : [])),
    [
      { before: null, after: ['agent.example', 'other.example'] },
      { before: ['agent.example', 'other.example'], after: [] },
      { before: [], after: null },
    ],
  )
})

t.test('where the server takes none there is nothing to narrow', async (t) => {
  const testApp = await openPortal(t)
  const page = await (await testApp.as('owner')).open('/portal/tenant')
  t.notMatch(page.body, 'id="clients"')
  const open = await openPortal(t, { identity: { open: { enabled: true } } })
  const narrowed = await (await open.as('owner')).open('/portal/tenant')
  t.match(narrowed.body, 'id="clients"', 'but clients that register themselves can be kept out')
  t.match(narrowed.body, 'One that registered itself has no host')
})

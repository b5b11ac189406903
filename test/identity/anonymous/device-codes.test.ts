// Untrusted parties who ask for device codes: what they leave in the Store is bounded by where they come from.

import t from 'tap'
import { delegate } from '../../support/rooms/delegation.js'
import { openIdentity } from '../../support/rooms/identity.js'

t.setTimeout(120_000)
const path = '/api/v2/oauth2/v2.0/devicecode'

t.test('identity M7: a network has so many device codes waiting, and no other one has less for it', async (t) => {
  const testApp = await openIdentity(t)
  const { registration } = await delegate(testApp, { registration: { type: 'native' } })
  const ask = (address: string) =>
    testApp.post(path, { client_id: registration.applicationId, scope: 'User.Read' }, { 'x-forwarded-for': address })
  const rows = async () =>
    (await testApp.store.reader.selectFrom('device_codes').select('device_hash').execute()).length
  const honest = await ask('203.0.113.1')
  t.equal(honest.statusCode, 200, honest.body)
  const statuses: number[] = []
  for (let n = 0; n < 610; n += 1) statuses.push((await ask('198.51.100.1')).statusCode)
  t.equal(statuses.filter((status) => status === 200).length, 600)
  t.same(new Set(statuses.slice(600)), new Set([429]))
  const refused = await ask('198.51.100.1')
  t.ok(Number(refused.headers['retry-after']) > 0)
  t.equal(await rows(), 601)
  t.equal((await ask('203.0.113.2')).statusCode, 200, 'others ask as before')
  const polled = await testApp.post('/api/v2/oauth2/v2.0/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    ...{ client_id: registration.applicationId, device_code: honest.json().device_code },
  })
  t.match(polled.json(), { error: 'authorization_pending' }, 'and what waited waits')
})

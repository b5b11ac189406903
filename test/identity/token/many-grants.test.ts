// One person has so many grants and no more: who reaches that learns what to end, and what stands is not touched.

import t from 'tap'
import { endGrants } from '../../../src/revocation/end-grants.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { answerOf, openAuthorize } from '../../support/rooms/authorize.js'

t.test('gateway H6: a person has so many grants and no more, says a page, and ending some makes room', async (t) => {
  const testApp = await openAuthorize(t)
  const { store, user, registration, tenantId } = testApp
  const { quotas } = testApp.deps.settings
  Object.assign(testApp.deps.settings, { quotas: { ...quotas, grants: 2 } })
  const browser = await testApp.signedIn()
  for (let at = 0; at < 2; at += 1) t.ok(answerOf(await browser.get(testApp.address()))['code'], 'up to the bound')
  const full = await browser.get(testApp.address())
  t.equal(full.status, 409)
  t.match(textOf(full, 'what'), /2 times, and that is the most. Nothing was allowed now/)
  t.match(full.body, '/account/apps', 'and where to end some')
  const active = () => store.reader.selectFrom('grants').select('state').where('state', '=', 'active').execute()
  t.equal((await active()).length, 2, 'none was dropped')

  const about = { userId: user.userId, applicationId: registration.applicationId, tenantId }

  const other = await testApp.person()
  await testApp.consent({ userId: other.userId })
  t.ok(answerOf(await (await testApp.signedIn(other.userId)).get(testApp.address()))['code'], 'others have their own')

  const nowMs = testApp.now()
  await testApp.feed.commit((tx, record) =>
    endGrants(testApp.writes, { tx, record, nowMs }, about, 'consent-withdrawn'),
  )
  t.ok(answerOf(await (await testApp.signedIn()).get(testApp.address()))['code'], 'there is room again')
})

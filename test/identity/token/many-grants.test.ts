// One person has so many grants and no more: who reaches that is told what to end, and what stands is not touched.

import t from 'tap'
import { endGrants } from '../../../src/revocation/end-grants.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import { answerOf, openAuthorize } from '../../support/rooms/authorize.js'

t.test('gateway H6: a person has so many grants and no more, says a page, and ending some makes room', async (t) => {
  const house = await openAuthorize(t)
  const { store, user, registration, tenantId } = house
  const { quotas } = house.deps.settings
  Object.assign(house.deps.settings, { quotas: { ...quotas, grants: 2 } })
  const browser = await house.signedIn()
  for (let at = 0; at < 2; at += 1) t.ok(answerOf(await browser.get(house.address()))['code'], 'up to the bound')
  const full = await browser.get(house.address())
  t.equal(full.status, 409)
  t.match(textOf(full, 'what'), /2 times, and that is the most. Nothing was allowed now/)
  t.match(full.body, '/account/apps', 'and where to end some')
  const active = () => store.reader.selectFrom('grants').select('state').where('state', '=', 'active').execute()
  t.equal((await active()).length, 2, 'none was dropped')

  const about = { userId: user.userId, applicationId: registration.applicationId, tenantId }

  const other = await house.person()
  await house.consent({ userId: other.userId })
  t.ok(answerOf(await (await house.signedIn(other.userId)).get(house.address()))['code'], 'others have their own')

  const nowMs = house.now()
  await house.feed.commit((tx, record) => endGrants(house.writes, { tx, record, nowMs }, about, 'consent-withdrawn'))
  t.ok(answerOf(await (await house.signedIn()).get(house.address()))['code'], 'there is room again')
})

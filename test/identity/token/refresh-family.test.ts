// Refresh tokens whose rows are gone (identity L7): what they say of their family, and what nobody can make up.

import t from 'tap'
import { forgetExchangedTokens } from '../../../src/storage/sql/grants/refresh-tokens.js'
import { type Delegation, delegate } from '../../support/rooms/delegation.js'
import { type IdentityApp, introspectPath, openIdentity, readToken, revokePath } from '../../support/rooms/identity.js'

const reused = { status: 400, body: { error: 'invalid_grant', error_codes: [700084] } }
const unknown = { status: 400, body: { error: 'invalid_grant', error_codes: [70000] } }

/** A family that has gone on so long that nothing is kept of its beginnings. */
async function longFamily(testApp: IdentityApp, delegation: Delegation) {
  const first = await delegation.tokens()
  const earlier: string[] = [first.refresh_token]
  for (let turn = 0; turn < 5; turn += 1) {
    const { status, body } = await delegation.refresh(earlier.at(-1) ?? '')
    if (status !== 200) throw new Error(`refused: ${JSON.stringify(body)}`)
    earlier.push(body.refresh_token)
  }
  const { gid } = readToken(first.access_token).claims
  await testApp.store.transaction((tx) => forgetExchangedTokens(tx, String(gid), 4))
  return { earlier, newest: earlier.at(-1) ?? '', gid: String(gid) }
}

for (const generation of [0, 1, 3]) {
  t.test(`identity L7: reuse of generation ${generation} ends the family, though its hash is forgotten`, async (t) => {
    const testApp = await openIdentity(t)
    const delegation = await delegate(testApp)
    const { earlier, newest } = await longFamily(testApp, delegation)
    t.match(await delegation.refresh(earlier[generation] ?? ''), reused)
    t.match(
      await delegation.refresh(newest),
      { status: 400, body: { error_codes: [50173] } },
      'the newest died with it',
    )
  })
}

t.test('identity L7: what is changed in an old token, or put together from others, ends nothing', async (t) => {
  const testApp = await openIdentity(t)
  const [one, other] = [await delegate(testApp), await delegate(testApp)]
  const { earlier, newest } = await longFamily(testApp, one)
  const { refresh_token: theirs } = await other.tokens()
  const old = earlier[0] ?? ''
  const secretOf = (token: string) => token.slice(0, 50)
  const familyOf = (token: string) => token.slice(50)
  const forged = [
    secretOf(theirs) + familyOf(old),
    secretOf(old) + familyOf(theirs),
    secretOf(old) + familyOf(earlier[1] ?? ''),
    secretOf(old),
    `${old}0`,
    secretOf(old) + 'z'.repeat(52),
    `${secretOf(old)}${'-'.repeat(52)}`,
    `pcl_rt_${'0'.repeat(95)}`,
  ]
  for (const token of forged) t.match(await one.refresh(token), unknown, token)
  t.match(await other.refresh(old), unknown, "another client's")
  t.equal((await one.refresh(newest)).status, 200, 'the family lives')
  t.equal((await other.refresh(theirs)).status, 200, "and the other's")
})

t.test('identity L7: an old token can be revoked and introspected like one that is remembered', async (t) => {
  const testApp = await openIdentity(t)
  const delegation = await delegate(testApp)
  const { earlier, newest } = await longFamily(testApp, delegation)
  const token = earlier[0] ?? ''
  t.equal((await testApp.post(introspectPath, { ...delegation.client, token })).json().active, false)
  t.equal((await testApp.post(revokePath, { ...delegation.client, token })).statusCode, 200)
  t.equal((await delegation.refresh(newest)).status, 400, 'RFC 7009 §2.1: the grant went with it')
})

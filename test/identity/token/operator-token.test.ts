// The operator's way to a token through the local socket: no secret, otherwise the same rules.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { issueForOperator } from '../../../src/identity/token/operator-token.js'
import { ownResource } from '../../support/rooms/directory.js'
import { openIdentity, readToken, unknownGuid } from '../../support/rooms/identity.js'

t.test('the operator gets an ordinary app token whose credential is called local', async (t) => {
  const testApp = await openIdentity(t)
  const { registration, tenantId } = await testApp.registerDemo()
  const { applicationId, publicKey } = registration
  const answer = await issueForOperator(testApp.deps, { applicationId: publicKey })
  const { claims } = readToken(answer.access_token)
  t.match(claims, {
    sub: applicationId,
    cid: 'local',
    tid: tenantId,
    idtyp: 'app',
    aud: ownResource,
    seq: testApp.view.seq,
  })
  t.equal(answer.expires_in, 3599)
  t.match(answer.scope, /^default /)
  const one = await issueForOperator(testApp.deps, { applicationId, scope: 'assets_read', tenantId })
  t.same(readToken(one.access_token).claims['roles'], ['assets_read'])
})

t.test('what the application may not have, the operator does not get for it', async (t) => {
  const testApp = await openIdentity(t)
  const { registration } = await testApp.registerDemo()
  const { applicationId } = registration
  const native = (await testApp.registerDemo({ type: 'native' })).registration.applicationId
  const cases: [Parameters<typeof issueForOperator>[1], string, number][] = [
    [{ applicationId: unknownGuid() }, 'unauthorized_client', 70002],
    [{ applicationId: native }, 'unauthorized_client', 7000218],
    [{ applicationId, scope: 'assets_delete' }, 'invalid_scope', 70011],
    [{ applicationId, scope: ' ' }, 'invalid_scope', 900144],
    [{ applicationId, tenantId: unknownGuid() }, 'unauthorized_client', 700016],
    [{ applicationId, tenantId: 'contoso' }, 'invalid_request', 900023],
  ]
  for (const [request, code, number] of cases) {
    await t.rejects(issueForOperator(testApp.deps, request), { code, number }, JSON.stringify(request))
  }
  await changeApplication(testApp.writes, applicationId, { state: 'disabled' })
  await t.rejects(issueForOperator(testApp.deps, { applicationId }), { code: 'unauthorized_client' })
  const view = { ...testApp.view, seq: 1, isStale: () => true }
  await t.rejects(issueForOperator({ ...testApp.deps, view }, { applicationId }), { code: 'temporarily_unavailable' })
})

// grant_type=authorization_code (RFC 6749 §4.1.3, RFC 7636, contract §3).

import t from 'tap'
import { delegate, redemption } from '../support/delegation.js'
import { ownResource } from '../support/directory.js'
import { openIdentity, readToken, tokenPath } from '../support/identity.js'

t.test('a web client redeems a code for tokens of the user (RFC 6749 §4.1.4)', async (t) => {
  const house = await openIdentity(t)
  const { code, client, registration, user, tenantId, keyId } = await delegate(house)
  const answer = await house.post(tokenPath, redemption(await code({ nonce: 'n-1' }), client))
  t.equal(answer.statusCode, 200, answer.body)
  const body = answer.json()
  t.same(Object.keys(body).sort(), ['access_token', 'expires_in', 'id_token', 'refresh_token', 'scope', 'token_type'])
  t.equal(body.scope, 'User.Read assets_read openid profile email offline_access')
  t.equal(body.expires_in, 3599)
  const { header, claims } = readToken(body.access_token)
  t.match(header, { typ: 'at+jwt', alg: 'ES256' })
  t.match(claims, {
    iss: 'https://portcullis.test',
    aud: ownResource,
    sub: user.userId,
    client_id: registration.applicationId,
    tid: tenantId,
    idtyp: 'user',
    scope: 'User.Read assets_read openid profile email',
    cid: keyId,
    acr: '1',
    amr: ['pwd'],
  })
  t.equal(claims['roles'], undefined)
  t.type(claims['gid'], 'string')
})

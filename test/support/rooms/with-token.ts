// The identity service with a client and an access token of its own: what the tests of the token's other endpoints
// need.

import { openIdentity, tokenPath } from './identity.js'

/** `client` is what the client sends to authenticate itself; the token is good for its application. */
export async function openWithToken(t: Parameters<typeof openIdentity>[0]) {
  const testApp = await openIdentity(t)
  const { registration, secret } = await testApp.registerDemo()
  const client = { client_id: registration.applicationId, client_secret: secret }
  const answer = await testApp.post(tokenPath, { ...client, grant_type: 'client_credentials', scope: 'default' })
  return { testApp, client, token: answer.json().access_token as string }
}

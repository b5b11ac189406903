// A link that runs the sign-in of an application as its own would, to see that people come back where they should.

import { randomBytes } from 'node:crypto'
import type { Application } from '../application-page.js'

/**
 * The address of the authorization endpoint for that redirect URI. It requests nothing but who somebody is; the code
 * that comes back can be redeemed by nobody, since nobody has the verifier of its challenge.
 */
export function authorizeLink(
  { applicationId }: Pick<Application, 'applicationId'>,
  redirectUri: string,
  baseUrl: string,
): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: applicationId,
    redirect_uri: redirectUri,
    scope: 'openid',
    state: 'test-from-the-portal',
    nonce: randomBytes(16).toString('base64url'),
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
  })
  return `${baseUrl}/api/v2/oauth2/v2.0/authorize?${query}`
}

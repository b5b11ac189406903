// RFC 7521 and RFC 7523, assertions that authenticate a client.

import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { changeApplication } from '../../src/directory/applications/application-changes.js'
import { baseUrl } from '../support/rooms/directory.js'
import { openIdentity, tokenPath } from '../support/rooms/identity.js'
import { newKeyPair } from '../support/tokens/key-pair.js'

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const { privateKey, publicKey } = await newKeyPair('ec', { namedCurve: 'P-256' })
const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }] }

async function open(t: Parameters<typeof openIdentity>[0]) {
  const testApp = await openIdentity(t)
  const { registration } = await testApp.registerDemo()
  const { applicationId } = registration
  await changeApplication(testApp.writes, applicationId, { authMethod: 'private_key_jwt', jwks })
  const now = Math.floor(testApp.now() / 1000)
  const right = { iss: applicationId, sub: applicationId, aud: baseUrl, exp: now + 60, jti: randomUUID() }
  const ask = async (claims: Record<string, unknown>, more: Record<string, string> = {}) => {
    const client_assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey)
    const form = {
      grant_type: 'client_credentials',
      scope: 'default',
      client_assertion,
      client_assertion_type: assertionType,
    }
    return testApp.post(tokenPath, { ...form, ...more })
  }
  return { testApp, applicationId, right, now, ask }
}

t.test(
  'RFC 7521 §4.2 client_assertion and its type authenticate; client_id is optional and must be the same',
  async (t) => {
    const { right, ask, applicationId } = await open(t)
    t.equal((await ask(right)).statusCode, 200)
    t.equal((await ask({ ...right, jti: 'a' }, { client_id: applicationId })).statusCode, 200)
    t.equal((await ask({ ...right, jti: 'b' }, { client_id: randomUUID() })).statusCode, 401)
  },
)

t.test('RFC 7521 §4.2.1 an invalid assertion is invalid_client', async (t) => {
  const { right, ask } = await open(t)
  const answer = await ask({ ...right, aud: 'https://other.test' })
  t.match({ status: answer.statusCode, ...answer.json() }, { status: 401, error: 'invalid_client' })
})

t.test('RFC 7523 §3 iss, sub, aud, exp are there and right; nbf is respected; jti is not reused', async (t) => {
  const { right, ask, now } = await open(t)
  for (const missing of ['iss', 'sub', 'aud', 'exp']) {
    t.equal((await ask({ ...right, [missing]: undefined })).statusCode, 401, missing)
  }
  t.equal((await ask({ ...right, exp: now - 60 })).statusCode, 401)
  t.equal((await ask({ ...right, nbf: now + 60 })).statusCode, 401)
  t.equal((await ask(right)).statusCode, 200)
  t.equal((await ask(right)).statusCode, 401)
})

t.test('RFC 6749 §2.3 not more than one method in a request', async (t) => {
  const { right, ask } = await open(t)
  const answer = await ask(right, { client_secret: 'x' })
  t.match({ status: answer.statusCode, ...answer.json() }, { status: 400, error: 'invalid_request' })
})

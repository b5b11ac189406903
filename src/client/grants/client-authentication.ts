// How the client proves who it is at the endpoints that ask for it (RFC 6749 §2.3.1, RFC 7523 §2.2).

import { ClientError } from '../errors.js'
import type { Clock } from '../surroundings.js'
import { type ClientKey, createAssertions } from './client-assertion.js'

/** `none`: a native client, which cannot keep a secret. */
export type ClientAuthentication =
  | { method: 'none' }
  | { method: 'client_secret_post' | 'client_secret_basic'; clientSecret: string }
  | ({ method: 'private_key_jwt' } & ClientKey)

/** Puts the proof into a request's form, and answers the header fields that belong to it. */
export type Authenticate = (form: URLSearchParams) => Promise<Record<string, string>>

/** Throws ClientError `wrong_use` for a proof that cannot be one. */
export function createAuthentication(
  authentication: ClientAuthentication,
  client: { clientId: string; issuer: string; clock: Clock },
): Authenticate {
  const { clientId } = client
  if (authentication.method === 'private_key_jwt') {
    const assertion = createAssertions(authentication, client)
    return async (form) => {
      form.set('client_id', clientId)
      form.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
      form.set('client_assertion', await assertion())
      return {}
    }
  }
  if (authentication.method === 'none') {
    return async (form) => {
      form.set('client_id', clientId)
      return {}
    }
  }
  const { method, clientSecret } = authentication
  if (clientSecret === '') throw new ClientError('wrong_use', 'the client secret is empty')
  if (method === 'client_secret_basic') {
    const credentials = btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)
    return async () => ({ authorization: `Basic ${credentials}` })
  }
  return async (form) => {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
    return {}
  }
}

/** RFC 6749 §2.3.1: both parts are form-encoded first. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

// The client information response (RFC 7591 §3.2.1, RFC 7592 §3): all that is registered, as it is registered, which
// may be other than what was requested.

import { type Static, Type } from 'typebox'
import type { Catalogue } from '../../config/settings/settings.js'
import type { NewSecret } from '../../directory/credentials/new-secret.js'
import type { Registration } from '../../directory/records.js'
import type { ClientRegistrationRow } from '../../storage/sql/registrations/client-registrations.js'
import { responseTypesOf } from './client-metadata.js'
import { registeredScope } from './registered-permissions.js'

const texts = Type.Array(Type.String())

/** Times are epoch seconds. The secret is here once, when it is made. What looks after it is not for every client. */
export const ClientInformation = Type.Object({
  client_id: Type.String(),
  client_id_issued_at: Type.Integer(),
  client_secret: Type.Optional(Type.String()),
  /** Of the secret that lives longest; absent for a client without one. */
  client_secret_expires_at: Type.Optional(Type.Integer()),
  registration_access_token: Type.Optional(Type.String()),
  registration_client_uri: Type.Optional(Type.String()),
  client_name: Type.String(),
  application_type: Type.Enum(['web', 'native']),
  redirect_uris: texts,
  post_logout_redirect_uris: texts,
  grant_types: texts,
  response_types: texts,
  token_endpoint_auth_method: Type.String(),
  id_token_signed_response_alg: Type.String(),
  scope: Type.Optional(Type.String()),
  jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) })),
})
export type ClientInformation = Static<typeof ClientInformation>

/** What of the answer is not in the registration itself. `registrationUri`: without the client identifier. */
export interface Answering {
  catalogue: Catalogue
  registrationUri: string
  details: Pick<ClientRegistrationRow, 'auth_method' | 'application_type'>
  accessToken: string
  secret: NewSecret | undefined
  nowMs: number
}

/** The body of the answer. */
export function clientInformation(registration: Registration, answering: Answering): ClientInformation {
  const { applicationId, type, configured, grantTypes = [], jwks } = registration
  const { catalogue, details, accessToken, secret } = answering
  const scope = registeredScope(catalogue, configured, grantTypes)
  return {
    client_id: applicationId,
    client_id_issued_at: seconds(registration.createdAt),
    ...(secret === undefined ? {} : { client_secret: secret.secret }),
    ...secretEnd(registration, answering),
    registration_access_token: accessToken,
    registration_client_uri: `${answering.registrationUri}/${applicationId}`,
    client_name: registration.name,
    application_type: details.application_type === 'native' ? 'native' : 'web',
    redirect_uris: [...registration.redirectUris],
    post_logout_redirect_uris: [...registration.logoutRedirectUris],
    grant_types: [...grantTypes],
    response_types: responseTypesOf(grantTypes),
    token_endpoint_auth_method: type === 'native' ? 'none' : methodOf(registration, details.auth_method),
    id_token_signed_response_alg: registration.idTokenAlg,
    ...(scope === '' ? {} : { scope }),
    ...(jwks === undefined ? {} : { jwks: { keys: [...jwks.keys] } }),
  }
}

/** When the last of the secrets that live ends, which the client reads to know when to come back. */
export function lastSecretEnd({ secrets }: Registration, nowMs: number): number | undefined {
  const ends = secrets.map(({ endsAt }) => endsAt).filter((endsAt) => endsAt > nowMs)
  return ends.length === 0 ? undefined : Math.max(...ends)
}

function secretEnd(registration: Registration, { secret, nowMs }: Answering): { client_secret_expires_at?: number } {
  if (registration.type !== 'web' || registration.authMethod !== 'secret') return {}
  const endsAt = Math.max(secret?.endsAt ?? 0, lastSecretEnd(registration, nowMs) ?? 0)
  // 0 would mean that it never ends (RFC 7591 §3.2.1): of a client whose secrets are over nothing is said.
  return endsAt === 0 ? {} : { client_secret_expires_at: seconds(endsAt) }
}

/** What an administrator changed since counts before what the client once said. */
function methodOf({ authMethod }: Registration, said: string): string {
  if (authMethod !== 'secret') return 'private_key_jwt'
  return said === 'client_secret_post' ? said : 'client_secret_basic'
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000)
}

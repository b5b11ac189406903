// What a client says of itself when it registers (RFC 7591 §2, OpenID Connect Dynamic Client Registration 1.0 §2), read
// member by member: what is not known is ignored, what is known and wrong is refused by name. Whether names, URIs and
// keys may be registered is decided in directory/, as for every other application.

import type { ClientDetails } from '../../directory/applications/client-registrations.js'
import { unnamedApplication } from '../../directory/applications/names.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { redirectUriProblem } from '../../oauth/requests/redirect-uri.js'
import { parseScopeList } from '../../oauth/requests/scope.js'
import { clientAssertionAlgorithms } from '../../tokens/client-assertion.js'
import { grantTypes as servedGrants } from '../token/token.js'
import { badMetadata, badRedirectUri } from './refusals.js'

/** A registration as it is wanted. */
export interface ClientMetadata {
  type: 'web' | 'native'
  details: ClientDetails
  registration: {
    name: string
    redirectUris: readonly string[]
    logoutRedirectUris: readonly string[]
    authMethod: 'secret' | 'private_key_jwt'
    idTokenAlg: (typeof idTokenAlgorithms)[number]
    /** As it came. */
    jwks?: unknown
  }
  /** Entries of `scope`, in their order; empty: none. */
  scope: readonly string[]
}

type Members = Readonly<Record<string, unknown>>

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const
const idTokenAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const

/**
 * Members that would promise a protection which is not there, or make this server fetch what a client names. Ignoring
 * them (RFC 7591 §2) would leave the client believing in them.
 */
const refusedMembers: readonly (readonly [name: string, why: string])[] = [
  ['jwks_uri', 'is not fetched: send the keys themselves as jwks'],
  ['sector_identifier_uri', 'is not fetched: every subject identifier is public'],
  ['id_token_encrypted_response_alg', 'is not served: ID tokens are signed only'],
  ['userinfo_signed_response_alg', 'is not served: userinfo is plain JSON'],
  ['userinfo_encrypted_response_alg', 'is not served: userinfo is plain JSON'],
  ['introspection_signed_response_alg', 'is not served: introspection is plain JSON'],
  ['request_object_signing_alg', 'is not served: request objects are refused'],
  ['default_max_age', 'is not served: send max_age with each request'],
  ['default_acr_values', 'is not served'],
]
/** The same for switches: only `true` asks for something. */
const refusedSwitches = [
  'tls_client_certificate_bound_access_tokens',
  'dpop_bound_access_tokens',
  'require_pushed_authorization_requests',
  'require_signed_request_object',
]

/** Reads the members of a registration request. Throws OAuthError of RFC 7591 §3.2.2. */
export function readClientMetadata(members: Members): ClientMetadata {
  refuseWhatIsNotServed(members)
  const said = choice(members, 'application_type', ['web', 'native'])
  const authMethod = choice(members, 'token_endpoint_auth_method', methods) ?? (said === 'native' ? 'none' : methods[0])
  if (said === 'native' && authMethod !== 'none') {
    throw badMetadata('A native application cannot keep a secret or a key: token_endpoint_auth_method is none.')
  }
  const type = authMethod === 'none' ? 'native' : 'web'
  const grantTypes = readGrantTypes(members, type)
  const redirectUris = readRedirectUris(members, said, grantTypes)
  const idTokenAlg = choice(members, 'id_token_signed_response_alg', idTokenAlgorithms) ?? 'RS256'
  choice(members, 'token_endpoint_auth_signing_alg', clientAssertionAlgorithms)
  return {
    type,
    details: { grantTypes, authMethod, applicationType: said ?? type },
    registration: {
      name: text(members, 'client_name') ?? unnamedApplication,
      redirectUris,
      logoutRedirectUris: texts(members, 'post_logout_redirect_uris') ?? [],
      authMethod: authMethod === 'private_key_jwt' ? authMethod : 'secret',
      idTokenAlg,
      ...readKeys(members, authMethod),
    },
    scope: parseScopeList(text(members, 'scope') ?? ''),
  }
}

/** The response types that fit these grants: RFC 7591 §2.1. */
export function responseTypesOf(grantTypes: readonly string[]): string[] {
  return grantTypes.includes('authorization_code') ? ['code'] : []
}

/** Which kinds of permissions these grants can use. */
export function permissionKindsOf(grantTypes: readonly string[]): ('application' | 'delegated')[] {
  const forPeople = ['authorization_code', 'refresh_token', deviceGrant].some((grant) => grantTypes.includes(grant))
  return [
    ...(grantTypes.includes('client_credentials') ? (['application'] as const) : []),
    ...(forPeople ? (['delegated'] as const) : []),
  ]
}

function refuseWhatIsNotServed(members: Members): void {
  if (isGiven(members, 'software_statement')) {
    const description = 'Software statements are not accepted: send the metadata as plain members.'
    throw new OAuthError('unapproved_software_statement', description, { number: errorNumber.softwareStatement })
  }
  for (const [name, why] of refusedMembers) if (isGiven(members, name)) throw badMetadata(`${name} ${why}.`)
  for (const name of refusedSwitches) {
    if (isGiven(members, name) && members[name] !== false) throw badMetadata(`${name} is not served.`)
  }
  choice(members, 'subject_type', ['public'])
}

function readGrantTypes(members: Members, type: 'web' | 'native'): string[] {
  const grantTypes = texts(members, 'grant_types') ?? ['authorization_code']
  const unknown = grantTypes.find((grant) => !servedGrants.includes(grant))
  if (unknown !== undefined) throw badMetadata(`grant_types has ${plain(unknown)}, which is not served here.`)
  if (grantTypes.length === 0) throw badMetadata('grant_types is empty.')
  if (type === 'native' && grantTypes.includes('client_credentials')) {
    throw badMetadata('grant_types has client_credentials, which needs a client that proves itself.')
  }
  const fitting = responseTypesOf(grantTypes)
  const responseTypes = texts(members, 'response_types') ?? fitting
  const other = responseTypes.find((each) => each !== 'code')
  if (other !== undefined) throw badMetadata(`response_types has ${plain(other)}, which is not served here.`)
  if (responseTypes.length !== fitting.length) throw badMetadata('response_types and grant_types do not fit together.')
  return grantTypes
}

function readRedirectUris(members: Members, said: 'web' | 'native' | undefined, grants: readonly string[]): string[] {
  const uris = texts(members, 'redirect_uris', badRedirectUri) ?? []
  if (uris.length === 0 && grants.includes('authorization_code')) {
    throw badRedirectUri('redirect_uris is required with the grant type authorization_code.')
  }
  // A page in a browser keeps no secret but has web addresses only, when it says that it is one.
  const problem = said === 'web' ? uris.map((uri) => redirectUriProblem(uri, 'web')).find(Boolean) : undefined
  if (problem !== undefined) throw badRedirectUri(problem)
  return uris
}

/** Keys may stand beside any method (RFC 7591 §2); only private_key_jwt needs them. */
function readKeys(members: Members, authMethod: ClientDetails['authMethod']): { jwks?: unknown } {
  if (isGiven(members, 'jwks')) return { jwks: members['jwks'] }
  if (authMethod === 'private_key_jwt') throw badMetadata('jwks is required with private_key_jwt.')
  return {}
}

/** A member that is null is one that was left out (RFC 7592 §2.2). */
function isGiven(members: Members, name: string): boolean {
  return Object.hasOwn(members, name) && members[name] !== null
}

function text(members: Members, name: string): string | undefined {
  if (!isGiven(members, name)) return undefined
  const value = members[name]
  if (typeof value === 'string' && value !== '') return value
  throw badMetadata(`${name} is a text.`)
}

function texts(members: Members, name: string, refused = badMetadata): string[] | undefined {
  if (!isGiven(members, name)) return undefined
  const value = members[name]
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return [...new Set<string>(value)]
  throw refused(`${name} is a list of texts.`)
}

function choice<const T extends string>(members: Members, name: string, words: readonly T[]): T | undefined {
  const value = text(members, name)
  const chosen = words.find((word) => word === value)
  if (value === undefined || chosen !== undefined) return chosen
  throw badMetadata(`${name} is one of ${words.join(', ')}.`)
}

/** Of what an untrusted party wrote, only what cannot be mistaken. */
function plain(value: string): string {
  return value.slice(0, 64).replace(/[^\w.:-]/g, '?')
}

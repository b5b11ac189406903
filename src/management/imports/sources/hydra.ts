// Ory Hydra: one OAuth 2.0 client as `hydra get client` and its admin API print it, a list of them, or what
// `hydra list clients` prints. The fields are those of RFC 7591 §2 with Hydra's own beside them.

import {
  type Converting,
  type Imported,
  type Note,
  type RequestedPermission,
  reasons,
  signInWords,
} from './conversion.js'
import { type ImportRecord, importRecord } from './import-record.js'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const servedGrants = ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant]
/** About the registration itself, or true of every client here. */
const needless = [
  ...['created_at', 'updated_at', 'registration_access_token', 'registration_client_uri', 'client_secret_expires_at'],
  ...['skip_logout_consent', 'access_token_strategy', 'request_object_signing_alg'],
]

/** The clients of a parsed file. Throws RegistrationProblem for a file of another shape. */
export function* convertHydra(document: unknown): Converting {
  const imported: Imported[] = []
  for (const client of clientsOf(document)) {
    yield
    imported.push(convertClient(client))
  }
  return { imported, left: [] }
}

function clientsOf(document: unknown): ImportRecord[] {
  if (Array.isArray(document)) return document.map((one, index) => importRecord(one, `[${index}]`))
  const whole = importRecord(document, '')
  return Object.hasOwn(document as object, 'items') ? whole.records('items') : [whole]
}

function convertClient(client: ImportRecord): Imported {
  const notes: Note[] = []
  const note = (field: string, message: string) => void notes.push({ field, message })
  const sourceId = client.required('client_id')
  const method = client.text('token_endpoint_auth_method') || 'client_secret_basic'
  const grants = grantsOf(client, note)
  const usesCode = grants.includes('authorization_code')
  const redirectUris = client.texts('redirect_uris')
  if (!usesCode && redirectUris.length > 0) note('redirect_uris', 'its grant types do not use them: left out')
  const type = method === 'none' ? 'native' : 'web'
  const keys = keysOf(client, method, note)
  if (client.text('client_secret') !== '') note('client_secret', reasons.secret)
  const imported: Imported = {
    sourceId,
    // A bare identifier is no name here.
    name: client.text('client_name').trim() || `Hydra client ${sourceId}`,
    type,
    audience: 'home',
    disabled: false,
    publisher: '',
    idTokenAlg: undefined,
    redirectUris: usesCode ? redirectUris : [],
    logoutRedirectUris: client.texts('post_logout_redirect_uris'),
    requirePkce: type === 'native',
    jwks: keys,
    provesByKey: method === 'private_key_jwt',
    permissions: permissionsOf(client, grants),
    notes,
  }
  noteTheRest(client, note)
  return imported
}

type AddNote = (field: string, message: string) => void

function grantsOf(client: ImportRecord, note: AddNote): string[] {
  const named = client.texts('grant_types')
  const grants = named.length === 0 ? ['authorization_code'] : named
  for (const grant of grants.filter((one) => !servedGrants.includes(one))) {
    note('grant_types', grant === 'implicit' ? reasons.implicit : `the grant type ${grant} is not served`)
  }
  const answers = client.texts('response_types').filter((one) => one !== 'code')
  if (answers.length > 0 && !grants.includes('implicit')) note('response_types', reasons.implicit)
  return grants
}

function keysOf(client: ImportRecord, method: string, note: AddNote): unknown {
  const keys = client.value('jwks')
  const address = client.text('jwks_uri')
  const algorithm = client.text('token_endpoint_auth_signing_alg')
  if (method !== 'private_key_jwt') {
    if (!['client_secret_basic', 'client_secret_post', 'none'].includes(method)) {
      note('token_endpoint_auth_method', `${method} is not served: it proves itself by a secret`)
    }
    // Hydra writes an empty object for none.
    return JSON.stringify(keys) === '{}' ? undefined : keys
  }
  if (algorithm !== '' && !['RS256', 'ES256', 'EdDSA'].includes(algorithm)) {
    note('token_endpoint_auth_signing_alg', `${algorithm} is not served: use RS256, ES256 or EdDSA`)
  }
  if (address !== '') note('jwks_uri', reasons.keysByUrl)
  return address === '' ? (keys ?? null) : undefined
}

/** With both kinds of grant, a scope becomes a request for both kinds of permission. */
function permissionsOf(client: ImportRecord, grants: readonly string[]): RequestedPermission[] {
  const isForPeople = grants.includes('authorization_code') || grants.includes(deviceGrant)
  const kinds = [
    ...(grants.includes('client_credentials') ? (['application'] as const) : []),
    ...(isForPeople ? (['delegated'] as const) : []),
  ]
  const scopes = [...new Set(client.text('scope').split(/\s+/))].filter((one) => one !== '' && !signInWords.has(one))
  return scopes.map((name) => ({ name, aliases: [], kinds }))
}

function noteTheRest(client: ImportRecord, note: AddNote): void {
  if (client.texts('audience').length > 0) note('audience', 'here the resource of a permission says it: see --map')
  if (client.flag('skip_consent')) note('skip_consent', 'an administrator consents instead: portcullis consent grant')
  if (client.text('subject_type') === 'pairwise') note('subject_type', 'subjects are the same for all applications')
  if (!['', 'none'].includes(client.text('userinfo_signed_response_alg'))) {
    note('userinfo_signed_response_alg', 'userinfo answers JSON')
  }
  if (client.texts('request_uris').length > 0) note('request_uris', 'request objects are not served')
  if (client.texts('allowed_cors_origins').length > 0) {
    note('allowed_cors_origins', 'origins are those of the https redirect URIs')
  }
  client.skip(needless)
  for (const field of client.unread()) {
    note(field, field.endsWith('_lifespan') ? 'lifetimes are those of the server' : reasons.noCounterpart)
  }
}

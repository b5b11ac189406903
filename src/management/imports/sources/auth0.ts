// Auth0: one client, a list of them as `GET /api/v2/clients` answers it, with totals or without, or what the Deploy CLI
// exports: its files of clients, or the whole as JSON, whose client grants then become permissions.

import {
  type Conversion,
  type Converting,
  type Imported,
  type Note,
  type RequestedPermission,
  reasons,
  signInWords,
} from './conversion.js'
import { type ImportRecord, importRecord } from './import-record.js'

type AddNote = (field: string, message: string) => void

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const servedGrants = ['authorization_code', 'refresh_token', 'client_credentials', deviceGrant]
const passwordGrants = ['password', 'http://auth0.com/oauth/grant-type/password-realm']
/** Those that people or programs write themselves; the others are integrations with products. */
const ownTypes: readonly string[] = ['', 'native', 'spa', 'regular_web', 'non_interactive', 'resource_server']
/** What stands for another text until the Deploy CLI puts it in. */
const placeholder = /^(?:@@.*@@|##.*##)$/s
/** Its own API for administrators: nothing here has these permissions. */
const ownApi = /^https:\/\/[^/]+\.auth0\.com\/api\/v2\/?$/
/** About the client's place there, and defaults that say nothing. */
const needless = [
  ...['tenant', 'created_at', 'updated_at', 'global', 'signing_keys', 'client_aliases', 'allowed_clients', 'callback'],
  ...['is_token_endpoint_ip_header_trusted', 'sso', 'sso_disabled', 'cross_origin_auth', 'cross_origin_authentication'],
  ...['cross_origin_loc', 'custom_login_page', 'custom_login_page_on', 'custom_login_page_preview', 'form_template'],
  ...['oidc_conformant', 'resource_server_identifier', 'client_id', 'config_route', 'owners', 'clientGrants'],
]
const messages: Readonly<Record<string, string>> = {
  logo_uri: 'pictures are not fetched: save it and use app brand set --logo FILE',
  addons: 'SAML and other add-ons are not served',
  encryption_key: 'tokens are signed, not encrypted',
  refresh_token: 'refresh tokens rotate, and their lifetimes are those of the server',
  oidc_logout: 'the application is not told when somebody signs out',
  oidc_backchannel_logout: 'the application is not told when somebody signs out',
  signed_request_object: 'request objects are not served',
  organization_usage: 'who may sign in is said by the tenant and its members',
  organization_require_behavior: 'who may sign in is said by the tenant and its members',
  default_organization: 'who may sign in is said by the tenant and its members',
  client_metadata: reasons.noCounterpart,
}

/** The clients of a parsed file. Throws RegistrationProblem for a file of another shape. */
export function* convertAuth0(document: unknown): Converting {
  const conversion: Conversion = { imported: [], left: [] }
  const { clients, grants } = partsOf(document)
  const unclaimed = new Map<string, ImportRecord[]>()
  for (const grant of grants) {
    yield
    const of = grant.required('client_id')
    const others = unclaimed.get(of)
    if (others === undefined) unclaimed.set(of, [grant])
    else others.push(grant)
  }
  for (const client of clients) {
    yield
    // Its own settings for the whole tenant look like a client.
    if (client.flag('global')) continue
    const name = client.text('name').trim()
    const sourceId = client.text('client_id') || name || client.required('client_id')
    const type = client.text('app_type')
    if (!ownTypes.includes(type)) {
      conversion.left.push({ sourceId, why: `it is an integration with another product (${type.slice(0, 40)})` })
      continue
    }
    const granted = [...(unclaimed.get(sourceId) ?? []), ...(name === sourceId ? [] : (unclaimed.get(name) ?? []))]
    // Each is given once: clients that claim one name over and over would be given as many copies.
    for (const claimed of [sourceId, name]) unclaimed.delete(claimed)
    conversion.imported.push(convertClient(client, { sourceId, name, granted }))
  }
  return conversion
}

function partsOf(document: unknown): { clients: ImportRecord[]; grants: ImportRecord[] } {
  if (Array.isArray(document)) return { clients: document.map((one, at) => importRecord(one, `[${at}]`)), grants: [] }
  const whole = importRecord(document, '')
  if (!Object.hasOwn(document as object, 'clients')) return { clients: [whole], grants: [] }
  return { clients: whole.records('clients'), grants: whole.records('clientGrants') }
}

interface About {
  sourceId: string
  name: string
  granted: readonly ImportRecord[]
}

function convertClient(client: ImportRecord, { sourceId, name, granted }: About): Imported {
  const notes: Note[] = []
  const note: AddNote = (field, message) => void notes.push({ field, message })
  const type = typeOf(client, note)
  const grants = grantsOf(client, note)
  const usesCode = grants.includes('authorization_code') || grants.includes('implicit')
  const callbacks = addressesOf(client, 'callbacks', note)
  if (!usesCode && callbacks.length > 0) note('callbacks', 'its grant types do not use them: left out')
  if (client.text('client_secret') !== '') note('client_secret', reasons.secret)
  const imported: Imported = {
    sourceId,
    name: name || `Auth0 application ${sourceId}`,
    type,
    audience: 'home',
    disabled: false,
    publisher: '',
    redirectUris: usesCode ? callbacks : [],
    logoutRedirectUris: addressesOf(client, 'allowed_logout_urls', note),
    requirePkce: type === 'native',
    jwks: undefined,
    provesByKey: false,
    idTokenAlg: algorithmOf(client.record('jwt_configuration'), note),
    permissions: granted.flatMap((grant) => permissionsOf(grant, note)),
    notes,
  }
  noteTheRest(client, note)
  return imported
}

/** An application that is given to everybody keeps no secret, whatever it is registered with. */
function typeOf(client: ImportRecord, note: AddNote): Imported['type'] {
  const method = client.text('token_endpoint_auth_method')
  const methods = client.record('client_authentication_methods')
  if (methods.unread().length > 0) note('client_authentication_methods', reasons.certificates)
  const isGivenAway = ['native', 'spa'].includes(client.text('app_type'))
  if (isGivenAway && !['', 'none'].includes(method))
    note(
      'token_endpoint_auth_method',
      `${method.slice(0, 40)} is for applications that keep a secret: it has none here`,
    )
  return isGivenAway || method === 'none' ? 'native' : 'web'
}

/** Where nothing is said, what its kind is for. */
function grantsOf(client: ImportRecord, note: AddNote): string[] {
  const isSaid = client.value('grant_types') !== undefined
  const usual = client.text('app_type') === 'non_interactive' ? 'client_credentials' : 'authorization_code'
  const grants = isSaid ? client.texts('grant_types') : [usual]
  for (const grant of grants.filter((one) => !servedGrants.includes(one))) {
    if (grant === 'implicit') note('grant_types', reasons.implicit)
    else if (passwordGrants.includes(grant)) note('grant_types', reasons.password)
    else note('grant_types', `the grant type ${grant.slice(0, 100)} is not served`)
  }
  return grants
}

function addressesOf(client: ImportRecord, field: string, note: AddNote): string[] {
  const written = client.value(field)
  if (typeof written !== 'string' || !placeholder.test(written)) return client.texts(field)
  note(field, 'a placeholder of the Deploy CLI: export it with what stands there')
  return []
}

function algorithmOf(configuration: ImportRecord, note: AddNote): Imported['idTokenAlg'] {
  const alg = configuration.text('alg')
  configuration.skip(['secret_encoded'])
  if (Number(configuration.value('lifetime_in_seconds') ?? 0) > 0)
    note('jwt_configuration.lifetime_in_seconds', 'lifetimes are those of the server')
  for (const field of configuration.unread()) note(`jwt_configuration.${field}`, reasons.noCounterpart)
  if (alg === 'RS256' || alg === '') return undefined
  note('jwt_configuration.alg', `${alg.slice(0, 20)} is not served: ID tokens are signed with RS256`)
  return undefined
}

/** What a client grant gives is for the client itself, or where it says so for the people who use it. */
function permissionsOf(grant: ImportRecord, note: AddNote): RequestedPermission[] {
  const audience = grant.text('audience')
  const scopes = grant.texts('scope')
  if (ownApi.test(audience)) {
    note('clientGrants', 'permissions of Auth0’s own Management API are left out')
    return []
  }
  const kinds = [grant.text('subject_type') === 'user' ? ('delegated' as const) : ('application' as const)]
  return scopes
    .filter((name) => name !== '' && !signInWords.has(name))
    .map((name) => ({ name, aliases: [`${audience}/${name}`], kinds }))
}

function noteTheRest(client: ImportRecord, note: AddNote): void {
  if (client.flag('is_first_party')) {
    note('is_first_party', 'an administrator consents instead: portcullis consent grant')
  }
  if (client.value('oidc_conformant') === false)
    note('oidc_conformant', 'tokens and claims are those of OpenID Connect')
  if ([...addressesOf(client, 'web_origins', note), ...addressesOf(client, 'allowed_origins', note)].length > 0) {
    note('web_origins', 'origins are those of the https redirect URIs')
  }
  client.skip(needless)
  for (const field of client.unread()) note(field, messages[field] ?? reasons.noCounterpart)
}

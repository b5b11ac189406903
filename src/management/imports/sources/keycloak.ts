// Keycloak: a realm export, one client as the admin console exports it, or the list that the admin API answers. Its
// clients become registrations; what its service accounts may do, and client scopes, become permissions that are looked
// for here.

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
import { type AddNote, clientKeys, logoutUris, noteAttributes, redirectUrisOf } from './keycloak-attributes.js'

/** Every realm has them. */
const builtInClients = new Set([
  ...['account', 'account-console', 'admin-cli', 'broker', 'realm-management', 'security-admin-console'],
])
/** Scopes that every realm has, beyond the words of OpenID Connect: they choose claims. */
const builtInScopes = new Set([
  ...['roles', 'web-origins', 'acr', 'basic', 'microprofile-jwt', 'service_account', 'organization', 'role_list'],
  'saml_organization',
])
const builtInRoles = /^(?:default-roles-.*|offline_access|uma_authorization)$/
/** About the client's place in Keycloak, and defaults that say nothing. */
const needless = [
  ...['id', 'enabled', 'alwaysDisplayInConsole', 'surrogateAuthRequired', 'notBefore', 'nodeReRegistrationTimeout'],
  ...['fullScopeAllowed', 'access', 'protocol', 'bearerOnly', 'rootUrl', 'consentRequired', 'frontchannelLogout'],
  ...['adminUrl', 'defaultRoles', 'origin', 'clientTemplate', 'type'],
]
const messages: Readonly<Record<string, string>> = {
  protocolMappers: 'claims of tokens are not chosen by the client',
  authorizationSettings: 'policies are those of the routes and permissions of this server',
  authorizationServicesEnabled: 'policies are those of the routes and permissions of this server',
  authenticationFlowBindingOverrides: 'how people sign in is the same for all applications',
}

/** A realm, or clients that stand alone. */
interface Realm {
  name: string
  clients: ImportRecord[]
  /** Service accounts by the client that they belong to. */
  accounts: Map<string, ImportRecord>
}

/** The clients of a parsed file. Throws RegistrationProblem for a file of another shape. */
export function* convertKeycloak(document: unknown): Converting {
  const realms = realmsOf(document)
  const conversion: Conversion = { imported: [], left: [] }
  const ofRealms = realmClients(realms)
  for (const { name, clients, accounts } of realms) {
    for (const client of clients) {
      yield
      const clientId = client.required('clientId')
      const sourceId = realms.length > 1 ? `${name}/${clientId}` : clientId
      const why = ofRealms.has(clientId) ? '' : whyNot(client, clientId)
      if (why === undefined) conversion.imported.push(convertClient(client, sourceId, taken(accounts, clientId)))
      else if (why !== '') conversion.left.push({ sourceId, why })
    }
  }
  return conversion
}

/** Given once: clients that claim one identifier over and over would be given as many copies of its roles. */
function taken(accounts: Map<string, ImportRecord>, clientId: string): ImportRecord | undefined {
  const account = accounts.get(clientId)
  accounts.delete(clientId)
  return account
}

/** An export of all realms is a list of them; a list may also be one of clients. */
function realmsOf(document: unknown): Realm[] {
  if (!Array.isArray(document)) return [realmOf(document, '')]
  const isRealm = (one: unknown) => typeof one === 'object' && one !== null && Object.hasOwn(one, 'clients')
  if (document.some(isRealm)) return document.map((one, index) => realmOf(one, `[${index}]`))
  const clients = document.map((one, index) => importRecord(one, `[${index}]`))
  return [{ name: '', clients, accounts: new Map() }]
}

function realmOf(document: unknown, path: string): Realm {
  const whole = importRecord(document, path)
  if (!Object.hasOwn(document as object, 'clients')) return { name: '', clients: [whole], accounts: new Map() }
  const accounts = whole.records('users').map((user) => [user.text('serviceAccountClientId'), user] as const)
  return { name: whole.text('realm'), clients: whole.records('clients'), accounts: new Map(accounts) }
}

/** The first realm has such a client for every realm. */
function realmClients(realms: readonly Realm[]): ReadonlySet<string> {
  return new Set(realms.flatMap(({ name }) => (name === '' ? [] : [`${name}-realm`])))
}

/** Why a client is none here; empty: it comes with every realm, which nobody needs to hear. */
function whyNot(client: ImportRecord, clientId: string): string | undefined {
  if (builtInClients.has(clientId)) return ''
  const protocol = client.text('protocol') || 'openid-connect'
  if (protocol !== 'openid-connect') return `its protocol is ${protocol}: only OAuth 2.0 and OpenID Connect are served`
  if (!client.flag('bearerOnly')) return undefined
  return 'it is a resource (bearer only): put it behind the gate as an upstream'
}

function convertClient(client: ImportRecord, sourceId: string, account: ImportRecord | undefined): Imported {
  const notes: Note[] = []
  const note: AddNote = (field, message) => void notes.push({ field, message })
  const attributes = client.record('attributes')
  const type = client.flag('publicClient') ? 'native' : 'web'
  const usesCode = absentOrTrue(client, 'standardFlowEnabled')
  if (client.flag('implicitFlowEnabled')) note('implicitFlowEnabled', reasons.implicit)
  if (client.flag('directAccessGrantsEnabled')) note('directAccessGrantsEnabled', reasons.password)
  if (client.text('secret') !== '') note('secret', reasons.secret)
  const redirectUris = redirectUrisOf(client, usesCode, note)
  const challenge = attributes.text('pkce.code.challenge.method')
  if (challenge === 'plain') note('attributes.pkce.code.challenge.method', 'plain is not served: only S256')
  const imported: Imported = {
    sourceId,
    name: nameOf(client.text('name')) ?? client.text('clientId'),
    type,
    audience: 'home',
    publisher: '',
    disabled: !absentOrTrue(client, 'enabled'),
    redirectUris,
    logoutRedirectUris: logoutUris(attributes, redirectUris),
    requirePkce: type === 'native' || challenge !== '',
    jwks: clientKeys(client, attributes, note),
    provesByKey: client.text('clientAuthenticatorType') === 'client-jwt',
    idTokenAlg: algorithmOf(attributes, note),
    permissions: permissionsOf(client, account, usesCode, attributes),
    notes,
  }
  noteAttributes(attributes, note)
  if (client.texts('webOrigins').some((one) => one !== '+')) {
    note('webOrigins', 'origins are those of the https redirect URIs')
  }
  client.skip(needless)
  for (const field of client.unread()) note(field, messages[field] ?? reasons.noCounterpart)
  return imported
}

function absentOrTrue(client: ImportRecord, field: string): boolean {
  return (client.value(field) ?? true) === true || client.flag(field)
}

/** `${client_account}` stands for a text in the reader's language. */
function nameOf(name: string): string | undefined {
  return name.trim() === '' || name.includes('${') ? undefined : name.trim()
}

function algorithmOf(attributes: ImportRecord, note: AddNote): Imported['idTokenAlg'] {
  const named = attributes.text('id.token.signed.response.alg')
  if (named === '' || named === 'any') return undefined
  if (named === 'RS256' || named === 'ES256' || named === 'EdDSA') return named
  note('attributes.id.token.signed.response.alg', `${named} is not served: ID tokens are signed with RS256`)
  return undefined
}

/**
 * Client scopes are for people, or for the client itself where nobody signs in; roles of its service account are for
 * itself.
 */
function permissionsOf(
  client: ImportRecord,
  account: ImportRecord | undefined,
  usesCode: boolean,
  attributes: ImportRecord,
): RequestedPermission[] {
  const actsItself = client.flag('serviceAccountsEnabled')
  const isForPeople = usesCode || attributes.flag('oauth2.device.authorization.grant.enabled')
  const kind = isForPeople || !actsItself ? 'delegated' : 'application'
  const scopes = [...client.texts('defaultClientScopes'), ...client.texts('optionalClientScopes')]
    .filter((one) => !signInWords.has(one) && !builtInScopes.has(one))
    .map((name): RequestedPermission => ({ name, aliases: [], kinds: [kind] }))
  return [...distinct(scopes), ...(actsItself && account !== undefined ? rolesOf(account) : [])]
}

function rolesOf(account: ImportRecord): RequestedPermission[] {
  const kinds = ['application'] as const
  const realm = account.texts('realmRoles').filter((one) => !builtInRoles.test(one))
  const byClient = account.record('clientRoles')
  const ofClients = byClient
    .unread()
    .flatMap((clientId) =>
      byClient
        .texts(clientId)
        .map((role): RequestedPermission => ({ name: role, aliases: [`${clientId}/${role}`], kinds })),
    )
  return [...realm.map((name): RequestedPermission => ({ name, aliases: [], kinds })), ...ofClients]
}

function distinct(permissions: RequestedPermission[]): RequestedPermission[] {
  return [...new Map(permissions.map((one) => [one.name, one])).values()]
}

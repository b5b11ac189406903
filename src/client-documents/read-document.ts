// A client's metadata document, member by member (draft-ietf-oauth-client-id-metadata-document-00 §4, RFC 7591 §2):
// what is not known is ignored, what is known and wrong is told by name. Its logo and links are ignored: browsers would
// fetch them, and nobody vouches for what they show.

import { checkClientKeys } from '../directory/credentials/client-keys.js'
import type { ClientDocument } from '../directory/documents/client-document.js'
import { DirectoryRefusal } from '../directory/refusal.js'
import { redirectUriProblem } from '../oauth/requests/redirect-uri.js'
import { readExternalJson } from '../tokens/external/external-json.js'
import { plainClientName } from './client-name.js'
import { isOwnKeysAddress } from './document-keys.js'
import { DocumentRefused } from './document-refused.js'

type Members = Readonly<Record<string, unknown>>

/** Of those that this server serves: nobody acts for a person without having been sent to them. */
const servedGrants = ['authorization_code', 'refresh_token']
const mostRedirectUris = 20

/** The document at `url`, from its bytes. Throws DocumentRefused that says which member is wrong, and why. */
export function readDocument(url: string, bytes: Buffer, fetchedAt: number): ClientDocument {
  const members = membersOf(bytes)
  if (members['client_id'] !== url) {
    throw wrong('client_id is not the URL of the document, character by character.')
  }
  const secret = Object.keys(members).find((name) => name.startsWith('client_secret'))
  if (secret !== undefined) throw wrong(`${secret} stands in it: a document that everybody can read holds no secret.`)
  const isProved = methodOf(members) === 'private_key_jwt'
  const type = isProved ? 'web' : 'native'
  return {
    url,
    clientName: nameOf(members),
    type,
    redirectUris: redirectUrisOf(members, type),
    ...(isProved ? keysOf(url, members) : { jwks: undefined }),
    grantTypes: grantTypesOf(members),
    fetchedAt,
  }
}

function membersOf(bytes: Buffer): Members {
  try {
    return readExternalJson(bytes)
  } catch (cause) {
    throw wrong('It is not one JSON object in UTF-8 in which no member stands twice.', cause)
  }
}

/** What is served of what it offers; where it says nothing, it proves itself by nothing. */
function methodOf(members: Members): 'none' | 'private_key_jwt' {
  const preferred = members['token_endpoint_auth_method']
  const offered = textsOf(members, 'token_endpoint_auth_methods_supported')
  if (preferred !== undefined && typeof preferred !== 'string') {
    throw wrong('token_endpoint_auth_method is not a text.')
  }
  const shared = [preferred, ...(offered ?? [])].find((method) => method?.startsWith('client_secret') === true)
  if (preferred !== undefined && shared === preferred) {
    throw wrong(
      `token_endpoint_auth_method is ${preferred}: such a client shares no secret. Use none or private_key_jwt.`,
    )
  }
  const all = preferred === undefined ? (offered ?? ['none']) : [preferred, ...(offered ?? [])]
  const served = all.find((method) => method === 'none' || (method === 'private_key_jwt' && hasKeys(members)))
  if (served === 'none' || served === 'private_key_jwt') return served
  if (all.includes('private_key_jwt'))
    throw wrong('private_key_jwt needs the public keys of the client in jwks, or their address in jwks_uri.')
  throw wrong('token_endpoint_auth_method is not served to such clients. Use none or private_key_jwt.')
}

function redirectUrisOf(members: Members, type: ClientDocument['type']): readonly string[] {
  const uris = textsOf(members, 'redirect_uris')
  if (uris === undefined || uris.length === 0) throw wrong('redirect_uris is missing or empty.')
  if (uris.length > mostRedirectUris) throw wrong(`redirect_uris has more than ${mostRedirectUris} entries.`)
  for (const [at, uri] of uris.entries()) {
    const problem = redirectUriProblem(uri, type)
    if (problem !== undefined) throw wrong(`redirect_uris[${at}]: ${problem}`)
  }
  return [...new Set(uris)]
}

function hasKeys(members: Members): boolean {
  return 'jwks' in members || 'jwks_uri' in members
}

/** Those at an address are fetched later. */
function keysOf(url: string, members: Members): Pick<ClientDocument, 'jwks' | 'jwksUri'> {
  const { jwks, jwks_uri: jwksUri } = members
  if (jwks !== undefined && jwksUri !== undefined) {
    throw wrong('jwks_uri stands beside jwks: one of them says the keys.')
  }
  if (jwksUri !== undefined) {
    if (isOwnKeysAddress(url, jwksUri)) return { jwks: undefined, jwksUri }
    throw wrong(
      'jwks_uri is no address of the same scheme, host and port as the document, in its one canonical form, with a path and without query or fragment.',
    )
  }
  try {
    return { jwks: checkClientKeys(jwks) }
  } catch (error) {
    if (error instanceof DirectoryRefusal) throw wrong(`jwks: ${error.message}`, error)
    throw error
  }
}

/** RFC 7591 §2: the code alone where nothing is said. */
function grantTypesOf(members: Members): readonly string[] {
  const responses = textsOf(members, 'response_types')
  if (responses !== undefined && !responses.includes('code')) throw wrong('response_types does not have code.')
  const said = textsOf(members, 'grant_types') ?? ['authorization_code']
  if (!said.includes('authorization_code')) throw wrong('grant_types does not have authorization_code.')
  return servedGrants.filter((grant) => said.includes(grant))
}

function nameOf(members: Members): string {
  const name = members['client_name'] ?? ''
  if (typeof name !== 'string') throw wrong('client_name is not a text.')
  return plainClientName(name)
}

function textsOf(members: Members, name: string): string[] | undefined {
  const list = members[name]
  if (list === undefined) return undefined
  if (Array.isArray(list) && list.every((one): one is string => typeof one === 'string')) return list
  throw wrong(`${name} is not a list of texts.`)
}

function wrong(what: string, cause?: unknown): DocumentRefused {
  return new DocumentRefused('document_wrong', what, { cause })
}

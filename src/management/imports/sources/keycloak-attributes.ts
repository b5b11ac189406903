// The parts of a Keycloak client that hide in its `attributes` and in its own spelling of redirect URIs.

import { reasons } from './conversion.js'
import type { ImportRecord } from './import-record.js'

export type AddNote = (field: string, message: string) => void

/** Defaults, and what is true of every client here. */
const needless = [
  ...['client.secret.creation.time', 'realm_client', 'display.on.consent.screen', 'login_theme', 'acr.loa.map'],
  ...[
    'backchannel.logout.session.required',
    'backchannel.logout.revoke.offline.tokens',
    'saml_idp_initiated_sso_url_name',
  ],
  ...['oauth2.device.authorization.grant.enabled', 'use.refresh.tokens', 'exclude.session.state.from.auth.response'],
  ...['exclude.issuer.from.auth.response', 'use.jwks.string', 'use.jwks.url', 'token.endpoint.auth.signing.alg'],
  ...['frontchannel.logout.session.required', 'client.use.lightweight.access.token.enabled', 'default.acr.values'],
]
const messages: readonly (readonly [RegExp, string])[] = [
  [/^saml/, ''],
  [/lifespan|timeout/, 'lifetimes are those of the server'],
  [/^(?:backchannel|frontchannel)\.logout/, 'the application is not told when somebody signs out'],
  [/^oidc\.ciba\.grant\.enabled$/, 'the grant is not served'],
  [/^client_credentials\.use_refresh_token$/, 'the client credentials grant answers no refresh token'],
  [
    /^(?:request|user\.info|id\.token|authorization)\./,
    'encryption and signatures of requests and answers are not served',
  ],
  [/^tls\.client\.certificate|^x509\./, 'certificates of clients are not served'],
  [/^access\.token\.signed\.response\.alg$/, 'what access tokens are signed with is said by the server'],
  [/^jwt\.credential\./, 'register its public keys: app set --auth-method private_key_jwt --jwks FILE'],
]

/** Its redirect URIs as absolute ones, where they can be made so; none when it does not use them. */
export function redirectUrisOf(client: ImportRecord, usesCode: boolean, note: AddNote): string[] {
  const root = client.text('rootUrl').replace(/(?<!\/)\/+$/, '')
  const uris = client.texts('redirectUris')
  if (usesCode) return uris.map((uri) => (uri.startsWith('/') && !root.includes('${') ? `${root}${uri}` : uri))
  if (uris.length > 0) note('redirectUris', 'its standard flow is off, so it does not use them: left out')
  return []
}

/** Where it goes on after signing out: `+` is its redirect URIs, `-` nothing. */
export function logoutUris(attributes: ImportRecord, redirectUris: readonly string[]): string[] {
  const written = attributes.text('post.logout.redirect.uris')
  // Each once: `+` over and over would be as many copies of all of them.
  const uris = [...new Set(written.split('##'))].filter((uri) => uri !== '' && uri !== '-')
  return uris.flatMap((uri) => (uri === '+' ? redirectUris : [uri]))
}

/** Its JWK Set, when it is in the file; whether it proves itself by it is its method. */
export function clientKeys(client: ImportRecord, attributes: ImportRecord, note: AddNote): unknown {
  const method = client.text('clientAuthenticatorType') || 'client-secret'
  const keys = attributes.text('jwks.string')
  const address = attributes.text('jwks.url')
  if (method !== 'client-jwt') {
    if (method !== 'client-secret')
      note('clientAuthenticatorType', `${method} is not served: it proves itself by a secret`)
    if (keys === '') return undefined
  }
  if (attributes.flag('use.jwks.url') || (keys === '' && address !== '')) {
    note('attributes.jwks.url', reasons.keysByUrl)
    return undefined
  }
  try {
    return keys === '' ? null : JSON.parse(keys)
  } catch {
    note('attributes.jwks.string', 'is not JSON')
    return null
  }
}

/** Notes what the attributes say beyond what was read. */
export function noteAttributes(attributes: ImportRecord, note: AddNote): void {
  attributes.skip(needless)
  for (const field of attributes.unread()) {
    const message = messages.find(([pattern]) => pattern.test(field))?.[1] ?? reasons.noCounterpart
    if (message !== '') note(`attributes.${field}`, message)
  }
}

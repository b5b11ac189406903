// What comes back from a provider, checked (OpenID Connect Core 1.0 §3.1.3.7, RFC 9207): the state and the issuer of
// the answer, the code with its verifier, the ID token with its issuer, audience, time, nonce and signature.

import type { Configuration, IDToken } from 'openid-client'
import type { ProviderSettings } from '../../config/settings/settings.js'
import type { ExternalIdentity } from '../../users/accounts/external-identities.js'
import type { Provider } from './providers.js'

/** Who somebody is at a provider, and how they proved it there. */
export interface ProvenIdentity extends ExternalIdentity {
  /** `2` only when the provider says that there were several factors. */
  acr: '1' | '2'
  /** RFC 8176: `fed`, and what the provider says of its own. */
  amr: readonly string[]
  /**
   * When they proved it there, as the provider says it: epoch seconds. Undefined: it does not say, or they were
   * prompted just now.
   */
  provenAt: number | undefined
}

export interface Expected {
  /** Where the provider sent the browser, with its query, built from our own address. */
  callback: URL
  state: string
  nonce: string
  verifier: string
  /** The person had to prove it anew, not before this time. Epoch seconds. */
  provenSince: number | undefined
}

/** The answer is right in form, but does not fit the request. */
export class NotProven extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotProven'
  }
}

/** The values of RFC 8176 that say something here; a provider may write anything. */
const methods: ReadonlySet<unknown> = new Set(
  'face fpt geo hwk iris kba mca mfa otp pin pwd rba retina sc sms swk tel user vbm wia'.split(' '),
)
/** How far the provider's clock may be from ours. Seconds. */
const leewaySeconds = 60
/** OpenID Connect Core §2. */
const longestSubject = 255

/** Throws what openid-client throws, ProviderUnreachable, and NotProven. */
export async function proveIdentity(provider: Provider, expected: Expected): Promise<ProvenIdentity> {
  const client = await import('openid-client')
  const configuration = await provider.configuration()
  const tokens = await client.authorizationCodeGrant(configuration, expected.callback, {
    expectedState: expected.state,
    expectedNonce: expected.nonce,
    pkceCodeVerifier: expected.verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new NotProven('there is no ID token')
  const { settings } = provider
  checkClaims(claims, settings, expected)
  const amr = Array.isArray(claims['amr']) ? claims['amr'].filter((each) => methods.has(each)).map(String) : []
  return {
    issuer: settings.issuer,
    subject: claims.sub,
    roles: settings.roles === undefined ? [] : textsOf(claims[settings.roles.claim]),
    acr: amr.includes('mfa') ? '2' : '1',
    amr: ['fed', ...new Set(amr)],
    provenAt: provenAtOf(claims, expected),
    describe: async () => describe(await detailsOf(configuration, claims, tokens.access_token)),
  }
}

function checkClaims(claims: IDToken, { issuer }: ProviderSettings, { provenSince }: Expected): void {
  if (claims.iss !== issuer) throw new NotProven('the ID token is of another issuer')
  if (claims.sub === '' || claims.sub.length > longestSubject || /[^\x20-\x7e]/.test(claims.sub)) {
    throw new NotProven('the subject is not one')
  }
  if (provenSince === undefined) return
  const { auth_time: at } = claims
  if (typeof at !== 'number' || at < provenSince - leewaySeconds) {
    throw new NotProven('the person did not have to prove it anew')
  }
}

/**
 * A person who was prompted anew has just proved it; one who was signed in there already proved it when they signed in
 * there.
 */
function provenAtOf({ auth_time: at }: IDToken, { provenSince }: Expected): number | undefined {
  return provenSince === undefined && typeof at === 'number' && Number.isFinite(at) && at >= 0 ? at : undefined
}

/** Providers may keep the claims of scopes for their userinfo endpoint (OpenID Connect Core §5.4). */
async function detailsOf(
  configuration: Configuration,
  claims: IDToken,
  accessToken: string,
): Promise<Record<string, unknown>> {
  const known: Record<string, unknown> = { ...claims }
  const isWhole = known['email'] !== undefined && known['name'] !== undefined
  if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return known
  const client = await import('openid-client')
  const userInfo = await client.fetchUserInfo(configuration, accessToken, claims.sub)
  // The one says nothing of the other's address: an address counts with the word that came beside it (identity L8).
  const { email: _email, email_verified: _verified, ...rest } = known
  return { ...(userInfo.email === undefined ? known : rest), ...userInfo, ...verifiedOf(known, userInfo) }
}

/** `email_verified` of the source that told the address, and of no other. */
function verifiedOf(known: Record<string, unknown>, userInfo: Record<string, unknown>): { email_verified: unknown } {
  const source = userInfo['email'] === undefined ? known : userInfo
  return { email_verified: source['email_verified'] }
}

function describe(claims: Record<string, unknown>): Awaited<ReturnType<ExternalIdentity['describe']>> {
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : '')
  const name = text('name') || [text('given_name'), text('family_name')].join(' ').trim() || text('preferred_username')
  const email = claims['email_verified'] === true && text('email') !== '' ? text('email') : undefined
  // A directory of one organisation may say of no address whether it is verified.
  const address = claims['email_verified'] === undefined && text('email') !== '' ? text('email') : email
  return { name, email, address }
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string').slice(0, 1000)
}

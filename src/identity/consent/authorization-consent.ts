// Whether the person must be prompted for consent (contract §4; C6, C10). What was allowed before is remembered
// exactly; what is checked every time (prompt=consent, native clients that anybody could have started) prompts once in
// each request.

import type { Registration } from '../../directory/records.js'
import type { Statements } from '../../storage/sql/store.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'
import { type ConsentDependencies, consentNeeded } from './consent-step.js'

export interface WantedConsent {
  userId: string
  registration: Registration
  tenantId: string
  /** Those that the person's role allows. */
  permissions: readonly string[]
}

/** Whether the consent page has something to ask, by what `reader` sees. Throws StoreUnavailable. */
export async function needsConsent(
  deps: ConsentDependencies,
  reader: Statements,
  authorizeRequest: AuthorizeRequest,
  wanted: WantedConsent,
): Promise<boolean> {
  const { resource, redirectUri, prompt } = authorizeRequest
  const given = isConsentGiven(authorizeRequest, wanted)
  const answer = await consentNeeded(deps, reader, {
    ...wanted,
    resource,
    redirectUri,
    openidScopes: consentWords(authorizeRequest),
    prompt: given ? prompt.filter((value) => value !== 'consent') : prompt,
  })
  if (answer.kind === 'granted') return false
  return !(given && answer.kind === 'ask' && answer.missing.length === 0)
}

/** Whether this person has just said yes, for this tenant, in this request. */
export function isConsentGiven(authorizeRequest: AuthorizeRequest, who: { userId: string; tenantId: string }): boolean {
  const { consentGiven, consentAskedOf } = authorizeRequest
  return consentGiven === true && consentAskedOf?.userId === who.userId && consentAskedOf.tenantId === who.tenantId
}

/**
 * OpenID Connect's words that the person is prompted to allow: those of the scope, and those that claims requested by
 * name come under (OpenID Connect Core §5.5.1 leaves it to the server how consent is got).
 */
export function consentWords({ openidScopes, claims }: AuthorizeRequest): string[] {
  const named = new Set([...(claims?.idToken ?? []), ...(claims?.userinfo ?? [])])
  const words = [...openidScopes]
  for (const [word, names] of claimsOfWords) {
    if (!words.includes(word) && names.some((name) => named.has(name))) words.push(word)
  }
  return words
}

/** What each word stands for, of what is served (contract §3). */
const claimsOfWords = [
  ['profile', ['name', 'picture', 'updated_at', 'locale', 'preferred_username']],
  ['email', ['email', 'email_verified', 'preferred_username']],
] as const

// What the ID token and userinfo say about a person (OpenID Connect Core §5.1, §5.4, §5.5): what `profile` and `email`
// ask, and what was requested by name. Nothing else, whatever else is known. `preferred_username` is the address, which
// people were told of under `email`: it comes with both words together (decision 0039).

import type { Language } from '../../languages/language.js'
import { findProfile } from '../../storage/sql/resources/profiles.js'
import type { Statements } from '../../storage/sql/store.js'
import { releasedEmail } from '../../users/mail/confirmed-email.js'
import type { User } from '../../users/records.js'

/**
 * The names of the claims that can be had, for the metadata; `sub` and what belongs to a sign-in are not among them.
 */
export const personClaimNames: readonly string[] = [
  'name',
  'preferred_username',
  'updated_at',
  'locale',
  'email',
  'email_verified',
]

export interface PersonClaims {
  name?: string
  preferred_username?: string
  /** Epoch seconds. */
  updated_at?: number
  /** The language that they chose in their account, a BCP 47 tag. */
  locale?: Language
  email?: string
  email_verified?: boolean
}

const byScope: ReadonlyMap<string, readonly string[]> = new Map([
  ['profile', ['name', 'updated_at', 'locale']],
  ['email', ['email', 'email_verified']],
])

const ofAddress: ReadonlySet<string> = new Set(['preferred_username', 'email', 'email_verified'])

/**
 * The claims of a person in a tenant, for an application whose home tenant is `home`. `name` is the public name of
 * their profile there (contract §3), which they may have changed; a picture is never given, because profiles keep them
 * as data. An address that nobody confirmed is none: a client that knows people by it would take the person who typed
 * it for the person who has it. Throws StoreUnavailable.
 */
export async function personClaims(
  reader: Statements,
  { user, tenantId, home }: { user: User; tenantId: string; home: string },
  wanted: { scopes: readonly string[]; named: readonly string[] },
): Promise<PersonClaims> {
  const names = new Set([...wanted.scopes.flatMap((scope) => byScope.get(scope) ?? []), ...wanted.named])
  if (wanted.scopes.includes('profile') && wanted.scopes.includes('email')) names.add('preferred_username')
  if (!personClaimNames.some((name) => names.has(name))) return {}
  const profile = await findProfile(reader, { tenantId, userId: user.userId })
  const email = [...names].some((name) => ofAddress.has(name)) ? await releasedEmail(reader, user, home) : ''
  const updatedAt = Math.max(user.updatedAt, Number(profile?.updated_at ?? 0))
  const all: Required<Omit<PersonClaims, 'locale'>> & { locale: Language | null } = {
    name: profile?.public_name || user.name,
    preferred_username: email,
    updated_at: Math.floor(updatedAt / 1000),
    locale: user.language,
    email,
    email_verified: true,
  }
  // Who has no address has no claims about one; what is not known is left out (OpenID Connect Core §5.3.2).
  const known = Object.entries(all).filter(
    ([name, value]) => names.has(name) && value !== null && !(ofAddress.has(name) && email === ''),
  )
  return Object.fromEntries(known) as PersonClaims
}

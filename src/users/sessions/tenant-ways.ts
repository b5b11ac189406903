// With what a person has to have signed in to use a tenant (decision 130). It is a question about one session and one
// tenant: the account stays one, and another tenant of the same person may take what this one does not.

import type { Tenant } from '../../directory/records.js'
import type { Membership, Session } from '../records.js'

const through = 'provider:'

/** The way of a session that came from a provider, as Session has it. */
export function wayThrough(provider: string): string {
  return `${through}${provider}`
}

/** Whether a tenant takes a session of its person. One whose way is not known meets no restriction. */
export function takesWay(
  { ownSignIn, signInProviders }: Pick<Tenant, 'ownSignIn' | 'signInProviders'>,
  { way }: Pick<Session, 'way'>,
  { role }: Pick<Membership, 'role'>,
): boolean {
  if (ownSignIn === 'allowed' && signInProviders === null) return true
  if (way === 'password' || way === 'passkey') return ownSignIn === 'allowed' || role === 'owner'
  if (!way.startsWith(through)) return false
  return signInProviders === null || signInProviders.includes(way.slice(through.length))
}

/** Of the providers that the server has, those that the tenant takes; their order stays. */
export function takenProviders<T extends { name: string }>(
  { signInProviders }: Pick<Tenant, 'signInProviders'>,
  providers: Iterable<T>,
): T[] {
  return [...providers].filter(({ name }) => signInProviders === null || signInProviders.includes(name))
}

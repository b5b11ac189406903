// With what a person has to have signed in to use a tenant (decision 130). It is a question about one session and one
// tenant: the account stays one, and another tenant of the same person may take what this one does not.

import type { Tenant } from '../../directory/records.js'
import type { Membership, Session } from '../records.js'
import { providerOfWay } from './provider-way.js'

/** Providers by name, as the configuration has them now. */
type Configured = Pick<ReadonlyMap<string, unknown>, 'has'>
type Ways = Pick<Tenant, 'ownSignIn' | 'signInProviders'>

/**
 * Whether a tenant takes a session of its person. One whose way is not known meets no restriction, and neither does one
 * through a provider that the configuration has no more: one that gets its name later is another one.
 */
export function takesWay(
  tenant: Ways,
  { way }: Pick<Session, 'way'>,
  { role }: Pick<Membership, 'role'>,
  configured: Configured,
): boolean {
  const { ownSignIn, signInProviders } = tenant
  if (ownSignIn === 'allowed' && signInProviders === null) return true
  if (way === 'password' || way === 'passkey') return takesOwn(tenant, { role })
  const name = providerOfWay(way)
  return name !== undefined && configured.has(name) && names({ signInProviders }, name)
}

/** Whether a password or a passkey of this server is a way of this person there. */
export function takesOwn({ ownSignIn }: Pick<Tenant, 'ownSignIn'>, { role }: Pick<Membership, 'role'>): boolean {
  return ownSignIn === 'allowed' || role === 'owner'
}

/** Of the providers that the server has, those that the tenant takes; their order stays. */
export function takenProviders<T extends { name: string }>(
  tenant: Pick<Tenant, 'signInProviders'>,
  providers: Iterable<T>,
): T[] {
  return [...providers].filter(({ name }) => names(tenant, name))
}

function names({ signInProviders }: Pick<Tenant, 'signInProviders'>, provider: string): boolean {
  return signInProviders === null || signInProviders.includes(provider)
}

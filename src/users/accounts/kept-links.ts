// Whose links with a provider are a tenant's to say (decision 130): where a sign-in through a provider is what lets
// people in, the account there is what the tenant trusts, so they neither add one themselves nor take one away.

import type { Tenant } from '../../directory/records.js'
import { toTenant } from '../../directory/rows.js'
import { readTenant } from '../../storage/sql/registrations/tenants.js'
import type { Statements } from '../../storage/sql/store.js'
import { listMemberships } from '../memberships/memberships.js'
import type { Membership } from '../records.js'
import { UserRefusal } from '../refusal.js'
import { takenProviders, takesOwn } from '../sessions/tenant-ways.js'
import type { UserWrites } from '../writes.js'

/** A link that there is, or that somebody wants: with the provider's name in the configuration then. */
interface Link {
  issuer: string
  provider: string
}

/** The name of the tenant that keeps a link of this person; undefined: it is theirs to add and to take away. */
export type Keeper = (link: Link) => string | undefined

/**
 * The tenants of a person that keep links: also one that is switched off, since it may be switched on again. Links are
 * known by their issuer, so two providers of one issuer are one here. Throws StoreUnavailable.
 */
export async function keeperOf(
  { settings: { providers } }: Pick<UserWrites, 'settings'>,
  statements: Statements,
  userId: string,
): Promise<Keeper> {
  const memberships = await listMemberships(statements, { userId })
  const found = await Promise.all(
    memberships.map(async ({ tenantId, role }) => ({ role, row: await readTenant(statements, tenantId) })),
  )
  const tenants = found.flatMap(({ role, row }) => (row === undefined ? [] : [{ role, ...toTenant(row) }]))
  return ({ issuer, provider }) => {
    const sharing = [...providers.values()].filter((each) => each.issuer === issuer).map(({ name }) => name)
    const names = new Set([provider, ...sharing])
    return tenants.find((tenant) => [...names].some((name) => letsInThrough(tenant, tenant, name)))?.name
  }
}

/** Refuses a link that a tenant keeps, inside the transaction. Throws UserRefusal (TenantKeepsLink). */
export async function checkOwnLink(deps: UserWrites, tx: Statements, userId: string, link: Link): Promise<void> {
  const keeper = (await keeperOf(deps, tx, userId))(link)
  if (keeper !== undefined) throw new UserRefusal('TenantKeepsLink', keptLink)
}

/**
 * Whether the tenant lets this person in because they came through this provider, and not by what this server knows of
 * them. The name may be one that the configuration has no more: it may come back.
 */
function letsInThrough(tenant: Tenant, who: Pick<Membership, 'role'>, provider: string): boolean {
  return !takesOwn(tenant, who) && takenProviders(tenant, [{ name: provider }]).length > 0
}

const keptLink = 'An organisation of yours lets people in through this provider, so only its administrators link it.'

// Whose links with a provider are a tenant's to say (decision 130): where a sign-in through a provider is what lets
// people in, the account there is what the tenant trusts, so they neither add one themselves nor take one away.

import type { Tenant } from '../../directory/records.js'
import { toTenant } from '../../directory/rows.js'
import { listExternalIdentities } from '../../storage/sql/people/external-identities.js'
import { readMemberships } from '../../storage/sql/people/memberships.js'
import { readTenant } from '../../storage/sql/registrations/tenants.js'
import type { Statements } from '../../storage/sql/store.js'
import { type Membership, toMembership } from '../records.js'
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
 * known by their issuer, so two providers of one issuer are one here. `but`: without that tenant. Throws
 * StoreUnavailable.
 */
export async function keeperOf(
  deps: Pick<UserWrites, 'settings'>,
  statements: Statements,
  userId: string,
  but?: string,
): Promise<Keeper> {
  const rows = await readMemberships(statements, { userId })
  const memberships = rows.map(toMembership).filter(({ tenantId }) => tenantId !== but)
  const found = await Promise.all(
    memberships.map(async ({ tenantId, role }) => ({ role, row: await readTenant(statements, tenantId) })),
  )
  const tenants = found.flatMap(({ role, row }) => (row === undefined ? [] : [{ role, ...toTenant(row) }]))
  return keeperAmong(deps, tenants)
}

function keeperAmong(
  { settings: { providers } }: Pick<UserWrites, 'settings'>,
  tenants: readonly (Tenant & Pick<Membership, 'role'>)[],
): Keeper {
  return ({ issuer, provider }) => {
    const sharing = [...providers.values()].filter((each) => each.issuer === issuer).map(({ name }) => name)
    const names = new Set([provider, ...sharing])
    return tenants.find((tenant) => [...names].some((name) => letsInThrough(tenant, tenant, name)))?.name
  }
}

/**
 * Refuses a link that a tenant keeps, another one than `but`, inside the transaction. Throws UserRefusal
 * (TenantKeepsLink).
 */
export async function checkOwnLink(
  deps: UserWrites,
  tx: Statements,
  userId: string,
  link: Link,
  but?: string,
): Promise<void> {
  const keeper = (await keeperOf(deps, tx, userId, but))(link)
  if (keeper !== undefined) throw new UserRefusal('TenantKeepsLink', keptLink)
}

/**
 * Refuses to take somebody into a tenant that would let them in by a link which they made themselves before: nobody has
 * said that it is theirs. One that was made with the account is no choice of theirs, and one that another tenant keeps
 * has been looked at there. Throws UserRefusal (LinkedBefore).
 */
export async function checkNoOwnLinks(
  deps: UserWrites,
  tx: Statements,
  user: { id: string; created_at: number },
  into: { tenant: Tenant; role: Membership['role'] },
): Promise<void> {
  const links = await listExternalIdentities(tx, user.id)
  if (links.length === 0) return
  const [isKept, wouldBeKept] = [
    await keeperOf(deps, tx, user.id),
    keeperAmong(deps, [{ ...into.tenant, role: into.role }]),
  ]
  const isOwn = (link: (typeof links)[number]) =>
    Number(link.created_at) !== Number(user.created_at) && isKept(link) === undefined
  if (links.some((link) => wouldBeKept(link) !== undefined && isOwn(link)))
    throw new UserRefusal('LinkedBefore', linkedBefore)
}

/**
 * Whether the tenant lets this person in because they came through this provider, and not by what this server knows of
 * them. The name may be one that the configuration has no more: it may come back.
 */
function letsInThrough(tenant: Tenant, who: Pick<Membership, 'role'>, provider: string): boolean {
  return !takesOwn(tenant, who) && takenProviders(tenant, [{ name: provider }]).length > 0
}

const keptLink = 'An organisation of yours lets people in through this provider, so only its administrators link it.'
const linkedBefore =
  'This organisation lets people in through a provider that the person linked themselves before: they unlink it at /account/providers, join, and get a link of an administrator.'

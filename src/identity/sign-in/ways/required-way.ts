// A tenant that takes only some ways to sign in (decision 130): whatever a session is used for there is refused to one
// that was made another way, with a page that leads to those that the tenant takes. What was begun waits.

import type { Settings } from '../../../config/settings/settings.js'
import type { Directory } from '../../../directory/records.js'
import { toTenant } from '../../../directory/rows.js'
import { readTenant } from '../../../storage/sql/registrations/tenants.js'
import type { Statements } from '../../../storage/sql/store.js'
import type { Membership, Session } from '../../../users/records.js'
import { takenProviders, takesOwn, takesWay } from '../../../users/sessions/tenant-ways.js'
import { displayName } from '../../../web/pages/display-name.js'
import { PageError, type PageLink } from '../../../web/pages/page-error.js'
import type { PendingRequest } from '../../pending/pending-request.js'

interface Deps {
  directory: Pick<Directory, 'findTenant'>
  settings: { signIn: Pick<Settings['signIn'], 'providers'> }
}

/** Whether the tenant of this membership takes the session. Throws StoreUnavailable. */
export async function isTaken(
  { directory, settings }: Deps,
  session: Pick<Session, 'way'>,
  membership: Pick<Membership, 'tenantId' | 'role'>,
): Promise<boolean> {
  const tenant = await directory.findTenant(membership.tenantId)
  return tenant !== undefined && takesWay(tenant, session, membership, settings.signIn.providers)
}

/**
 * The same where nobody can change the answer meanwhile: in the transaction that writes what the session is used for.
 * Throws StoreUnavailable.
 */
export async function isStillTaken(
  { settings }: Pick<Deps, 'settings'>,
  tx: Statements,
  session: Pick<Session, 'way'>,
  membership: Pick<Membership, 'tenantId' | 'role'>,
): Promise<boolean> {
  const row = await readTenant(tx, membership.tenantId)
  return row !== undefined && takesWay(toTenant(row), session, membership, settings.signIn.providers)
}

/**
 * Refuses a session that the tenant does not take; `wait` is called then, and says what goes on after another sign-in.
 * Throws PageError 403, StoreUnavailable.
 */
export async function requireTaken(
  deps: Deps,
  session: Pick<Session, 'way'>,
  membership: Pick<Membership, 'tenantId' | 'role'>,
  wait: () => Pick<PendingRequest, 'id'>,
): Promise<void> {
  const configured = deps.settings.signIn.providers
  const tenant = await deps.directory.findTenant(membership.tenantId)
  if (tenant !== undefined && takesWay(tenant, session, membership, configured)) return
  if (tenant === undefined) throw refused('', [], [])
  const providers = takenProviders(tenant, configured.values())
  const request = `?request=${encodeURIComponent(wait().id)}`
  const links: PageLink[] = providers.map(({ name, label }) => ({
    href: `/sign-in/external/${name}${request}`,
    text: displayName(label),
  }))
  const own: PageLink = { href: `/sign-in${request}&another=yes&own=yes`, text: ({ signIn }) => signIn.ways.own }
  throw refused(
    tenant.name,
    providers.map(({ label }) => displayName(label)),
    takesOwn(tenant, membership) ? [...links, own] : links,
  )
}

function refused(tenant: string, labels: readonly string[], links: readonly PageLink[]): PageError {
  const name = displayName(tenant)
  return new PageError({
    status: 403,
    title: ({ signIn }) => signIn.ways.title,
    what: ({ signIn }) => signIn.ways.what(name, labels.join(' / ')),
    remedy: ({ signIn }) => (links.length === 0 ? signIn.ways.nothing(name) : signIn.ways.remedy),
    links: [...links, { href: '/sign-out', text: ({ frame }) => frame.signOut }],
    reason: 'way_not_taken',
  })
}

// A tenant that takes only some ways to sign in (decision 130): whatever a session is used for there is refused to one
// that was made another way, with a page that leads to those that the tenant takes. What was begun waits.

import type { Settings } from '../../../config/settings/settings.js'
import type { Directory } from '../../../directory/records.js'
import type { Membership, Session } from '../../../users/records.js'
import { takenProviders, takesWay } from '../../../users/sessions/tenant-ways.js'
import { displayName } from '../../../web/pages/display-name.js'
import { PageError, type PageLink } from '../../../web/pages/page-error.js'
import type { PendingRequest } from '../../pending/pending-request.js'

interface Deps {
  directory: Pick<Directory, 'findTenant'>
  settings: { signIn: Pick<Settings['signIn'], 'providers'> }
}

/** Whether the tenant of this membership takes the session. Throws StoreUnavailable. */
export async function isTaken(
  { directory }: Pick<Deps, 'directory'>,
  session: Pick<Session, 'way'>,
  membership: Pick<Membership, 'tenantId' | 'role'>,
): Promise<boolean> {
  const tenant = await directory.findTenant(membership.tenantId)
  return tenant !== undefined && takesWay(tenant, session, membership)
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
  const tenant = await deps.directory.findTenant(membership.tenantId)
  if (tenant !== undefined && takesWay(tenant, session, membership)) return
  if (tenant === undefined) throw refused('', [], [])
  const providers = takenProviders(tenant, deps.settings.signIn.providers.values())
  const mayUseOwn = tenant.ownSignIn === 'allowed' || membership.role === 'owner'
  const request = `?request=${encodeURIComponent(wait().id)}`
  const links: PageLink[] = providers.map(({ name, label }) => ({
    href: `/sign-in/external/${name}${request}`,
    text: displayName(label),
  }))
  const own: PageLink = { href: `/sign-in${request}&another=yes&own=yes`, text: ({ signIn }) => signIn.ways.own }
  throw refused(
    tenant.name,
    providers.map(({ label }) => displayName(label)),
    mayUseOwn ? [...links, own] : links,
  )
}

function refused(tenant: string, labels: readonly string[], links: readonly PageLink[]): PageError {
  const name = displayName(tenant)
  return new PageError({
    status: 403,
    title: ({ signIn }) => signIn.ways.title,
    what: ({ signIn }) => signIn.ways.what(name, labels.join(' / ')),
    remedy: ({ signIn }) => (links.length === 0 ? signIn.ways.nothing(name) : signIn.ways.remedy),
    links: [
      ...links,
      { href: '/account/providers', text: ({ signIn }) => signIn.ways.link },
      { href: '/sign-out', text: ({ frame }) => frame.signOut },
    ],
    reason: 'way_not_taken',
  })
}

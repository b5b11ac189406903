// Whether a device asks for what only an administrator can allow. Then a stolen decision is worth a tenant, so more is
// required of the person (contract §8): a code that they typed, a recent sign-in and a second factor.

import type { Catalogue } from '../../config/settings/settings.js'
import { needsAdministrator } from '../../directory/consents/consent-rules.js'
import type { Session } from '../../users/records.js'
import { isRecent } from '../sign-in/recent.js'

/** Whether some of what is requested needs an administrator. */
export function asksAdministrator(
  catalogue: Catalogue,
  { resource, permissions }: { resource: string; permissions: readonly string[] },
): boolean {
  return permissions.some((id) => needsAdministrator(catalogue, { kind: 'delegated', resource, id }))
}

/** Whether this sign-in is good enough for that: of two factors, and recent. */
export function isStrong(deps: Parameters<typeof isRecent>[0], session: Session): boolean {
  return session.acr === '2' && isRecent(deps, session)
}

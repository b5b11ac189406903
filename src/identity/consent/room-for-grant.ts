// How much one person may have allowed at a time: every grant has rows that stay while its tokens live, and an
// application that sends its people round in circles gets another one each time. None is dropped in silence: the person
// is told, and ends some.

import { hasManyGrants } from '../../storage/sql/registrations/quota-counts.js'
import type { Statements } from '../../storage/sql/store.js'
import { PageError } from '../../web/pages/page-error.js'
import type { IdentityDependencies } from '../dependencies.js'

/** Where nothing is configured. */
const mostGrants = 2_000

/** Throws PageError 409 when this person has `quotas.grants` of them that stand. */
export async function requireRoomForGrant(
  { settings }: { settings: Partial<Pick<IdentityDependencies['settings'], 'quotas'>> },
  tx: Statements,
  userId: string,
): Promise<void> {
  const most = settings.quotas?.grants ?? mostGrants
  if (!(await hasManyGrants(tx, userId, most))) return
  throw new PageError({
    status: 409,
    title: 'You have reached the limit of sign-ins',
    what: `You are signed in to applications ${most} times, and that is the most. Nothing was allowed now.`,
    remedy:
      'End the access of applications that you do not need any more, then go back to the application and start again.',
    links: [{ href: '/account/apps', text: 'Apps with access' }],
    reason: 'too_many_grants',
  })
}

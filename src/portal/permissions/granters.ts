// Who granted, in words, as far as the person who is signed in may know.

import { ApiError } from '../../http/answers/api-error.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { displayName } from '../../web/pages/display-name.js'
import type { PortalContext } from '../context.js'

/**
 * What to say after “by”, for each id that a grant names; `gone` for people who have left. Administrators may see
 * people; others are told that it was one.
 */
export async function granterNames(
  context: PortalContext,
  ids: Iterable<string>,
  gone = 'a former administrator',
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  for (const id of new Set(ids)) names.set(id, await nameOf(context, id, gone))
  return names
}

async function nameOf(context: PortalContext, id: string, gone: string): Promise<string> {
  if (id === context.person.user.userId) return 'you'
  if (id === 'local') return 'the operator'
  if (!isAdministrator(context.currentTenant.role)) return 'an administrator'
  try {
    const { name, email } = await context.api<{ name: string; email: string }>(
      'GET',
      `/users/${encodeURIComponent(id)}`,
    )
    return displayName(name === '' ? email : name)
  } catch (error) {
    // That person has left, or is not there any more.
    if (error instanceof ApiError && error.status < 500) return gone
    throw error
  }
}

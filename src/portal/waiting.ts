// What waits for an administrator in the tenant of a page: the number beside an entry of the navigation.

import type { Role } from '../config/settings/settings.js'
import { ApiError } from '../http/answers/api-error.js'
import type { ConsentAnswer } from '../management/consents/consent-schemas.js'
import { isAdministrator } from '../users/memberships/roles.js'

const most = 99

/** By the path of the entry; nothing for who decides on nothing. A page is shown also when they cannot be counted. */
export async function readWaiting(
  role: Role,
  api: <T>(method: 'GET', path: string) => Promise<T>,
): Promise<ReadonlyMap<string, string>> {
  if (!isAdministrator(role)) return new Map()
  try {
    const { value } = await api<ConsentAnswer<'requests'>>('GET', '/consentRequests?state=pending')
    const count = value.length
    return new Map(count === 0 ? [] : [['/portal/consents', count > most ? `${most}+` : String(count)]])
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return new Map()
  }
}

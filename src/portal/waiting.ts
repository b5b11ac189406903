// What waits for an administrator in the tenant of a page: the number beside an entry of the navigation.

import type { PlanRules } from '../config/plans/plan-settings.js'
import type { Role } from '../config/settings/settings.js'
import { ApiError } from '../http/answers/api-error.js'
import type { ConsentAnswer } from '../management/consents/consent-schemas.js'
import type { PlanAnswer } from '../management/plans/plan-schemas.js'
import type { ToolChangesAnswer } from '../management/server/tool-changes.js'
import { isAdministrator } from '../users/memberships/roles.js'

/** Where requests for plans are decided; not in the navigation where nothing can wait there. */
export const planRequestsPath = '/portal/plan-requests'

/** Where changed tools are approved; in the navigation where the configuration pins some. */
export const toolChangesPath = '/portal/server/tool-changes'

const most = 99

interface Decider {
  role: Role
  isOperator: boolean
  tenantId: string
  plans: PlanRules['plans']
  hasPins: boolean
}

/**
 * By the path of the entry; nothing for who decides on nothing. Of requests for plans, those that only
 * operators decide count for operators. A page is shown also when they cannot be counted.
 */
export async function readWaiting(
  decider: Decider,
  api: <T>(method: 'GET', path: string) => Promise<T>,
): Promise<ReadonlyMap<string, string>> {
  const counts: (readonly [string, number])[] = []
  try {
    if (decider.isOperator && decider.hasPins) {
      counts.push([toolChangesPath, (await api<ToolChangesAnswer>('GET', '/toolChanges')).value.length])
    }
    if (isAdministrator(decider.role)) counts.push(...(await countRequests(decider, api)))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  return new Map(
    counts.flatMap(([path, count]) => (count === 0 ? [] : [[path, count > most ? `${most}+` : `${count}`]])),
  )
}

async function countRequests(
  decider: Decider,
  api: <T>(method: 'GET', path: string) => Promise<T>,
): Promise<(readonly [string, number])[]> {
  const { value } = await api<ConsentAnswer<'requests'>>('GET', '/consentRequests?state=pending')
  return [
    ['/portal/consents', value.length],
    [planRequestsPath, await countPlanRequests(decider, api)],
  ]
}

async function countPlanRequests(
  { isOperator, tenantId, plans }: Decider,
  api: <T>(method: 'GET', path: string) => Promise<T>,
): Promise<number> {
  const { value } = await api<PlanAnswer<'requests'>>('GET', `/planRequests?tenantId=${tenantId}`)
  return value.filter(({ plan }) => isOperator || plans.get(plan)?.chosenBy !== 'operators').length
}

// What the caller of an import may not do, said at the first look: an application that is not theirs to change, and
// permissions that are not theirs to list. The operations of the API decide it again when it is carried out.

import { ApiError } from '../../http/answers/api-error.js'
import type { Caller } from '../access/access.js'
import { checkMayConfigure, checkMayList } from '../applications/ceiling.js'
import { checkMayChange } from '../applications/change-request.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { ImportItem } from './import-plan.js'
import { slices } from './slices.js'

type Deps = Pick<ManagementDependencies, 'store' | 'settings'>

/** The same, with what would be refused as failed, and why. Throws StoreUnavailable. */
export async function sayWhatIsNotAllowed(
  deps: Deps,
  caller: Caller,
  items: readonly ImportItem[],
): Promise<ImportItem[]> {
  if (caller.kind === 'local') return [...items]
  const next = slices()
  const said: ImportItem[] = []
  for (const item of items) {
    await next()
    said.push(await allowed(deps, caller, item))
  }
  return said
}

async function allowed(deps: Deps, caller: Caller, item: ImportItem): Promise<ImportItem> {
  const { plan, ...rest } = item
  try {
    if (plan?.result === 'created') checkMayList(deps.settings.catalogue, caller, plan.wanted.permissions ?? [])
    const applicationId = plan?.applicationId
    if (plan?.result === 'changed' && applicationId !== undefined) {
      const { catalogue } = deps.settings
      await deps.store.snapshot(async (tx) => {
        await checkMayChange({ tx, caller, applicationId })
        await checkMayConfigure({ tx, catalogue, caller, applicationId }, plan.permissions ?? [])
      })
    }
    return item
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error
    const known = plan?.applicationId === undefined ? {} : { applicationId: plan.applicationId }
    return { ...rest, result: 'failed', reason: error.message, ...known }
  }
}

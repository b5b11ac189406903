// What a route asks of a caller besides permissions: that the tenant in the path is theirs, that it is one of some
// applications.

import type { TokenPrincipal } from '../../access/principal.js'
import type { RouteSettings } from '../../config/settings/route-settings.js'

/** Why a caller with the permission may not make this call after all. */
export type UnmetCondition = 'other_tenant' | 'other_application'

/** Tells what is not met; `path` is the canonical path that came. */
export type Condition = (
  principal: Pick<TokenPrincipal, 'applicationId' | 'tenantId'>,
  path: string,
) => UnmetCondition | undefined

/**
 * The route's conditions as one; undefined when it has none. Throws Error when its path lacks the parameter that it
 * names.
 */
export function compileCondition({ id, path, tenant, applications }: RouteSettings): Condition | undefined {
  if (tenant === undefined && applications === undefined) return undefined
  const place = tenant === undefined ? undefined : path.split('/').indexOf(`{${tenant}}`)
  if (place === -1) throw new Error(`route ${id}: its path has no parameter ${tenant}`)
  const listed = applications === undefined ? undefined : new Set(applications)
  return (principal, path) => {
    if (listed !== undefined && !listed.has(principal.applicationId)) return 'other_application'
    // Letter by letter: a service that reads identifiers more loosely must not be led to another tenant's.
    if (place !== undefined && path.split('/')[place] !== principal.tenantId) return 'other_tenant'
    return undefined
  }
}

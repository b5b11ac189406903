// What a caller who may not is told, and the owners of their application with them.

import type { FastifyRequest } from 'fastify'
import { describeMissing } from '../../access/missing-permission.js'
import type { TokenPrincipal } from '../../access/principal.js'
import { refusedCall } from '../../access/refused-call.js'
import type { CountedRoute } from '../../access/token-uses.js'
import { isServerPermission } from '../../config/routes/management-permissions.js'
import type { Catalogue } from '../../config/settings/settings.js'
import { listConsents } from '../../directory/consents/consents.js'
import type { Directory, PermissionRef } from '../../directory/records.js'
import { missingPermissions } from '../../gateway/bearer-errors.js'
import { ApiError } from '../../http/answers/api-error.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { DecisionNotes } from '../../ledger/decisions.js'
import type { Store } from '../../storage/sql/store.js'
import type { Presented } from '../dependencies.js'

export interface RefusalDependencies {
  store: Pick<Store, 'reader'>
  directory: Pick<Directory, 'findRegistration' | 'findInstallation'>
  decisions: DecisionNotes
  settings: { catalogue: Catalogue; server: { baseUrl: string } }
}

/** Of a permission that is missing: 403 that says how to get it. Never fails for want of that. */
export async function refusalOf(
  deps: RefusalDependencies,
  presented: Exclude<Presented, { kind: 'local' }>,
  missing: PermissionRef,
): Promise<ApiError> {
  const { catalogue, server } = deps.settings
  const covering = catalogue.satisfying('delegated', missing.resource, missing.id)
  const holds = presented.kind !== 'session' && covering.some((id) => presented.permissions.has(id))
  if (presented.kind === 'session' || (presented.kind === 'delegated' && holds)) {
    if (isServerPermission(catalogue, missing)) return operatorRequired()
    const role = catalogue.find('delegated', missing.resource, missing.id)?.role ?? 'owner'
    const message = `This needs the role ${role} in the tenant, or a higher one.`
    return new ApiError(403, 'RoleRequired', message, { target: missing.id, more: { role } })
  }
  const consentsOf = (about: Parameters<typeof listConsents>[1]) => listConsents(deps.store.reader, about)
  const asking = { directory: deps.directory, consentsOf, baseUrl: server.baseUrl }
  const described = await describeMissing(asking, presented, missing).catch(() => undefined)
  return missingPermissions([missing], { described, baseUrl: server.baseUrl }).error
}

/** As the gate does, for the owners of the application. */
export function noteRefusal(
  { decisions }: Pick<RefusalDependencies, 'decisions'>,
  request: FastifyRequest,
  { presented, route, missing }: { presented: TokenPrincipal; route: CountedRoute; missing: PermissionRef },
): void {
  const { requestId, entry } = requestContext(request)
  entry.reason = 'insufficient_scope'
  decisions.note({
    ...refusedCall(presented),
    requestId,
    permissions: [missing.id],
    reason: 'insufficient_scope',
    status: 403,
    route: route.id,
    method: request.method,
  })
}

/** For what only operators may. */
export function operatorRequired(): ApiError {
  return new ApiError(403, 'OperatorRequired', 'This is for the operators of this installation.')
}

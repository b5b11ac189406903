// What every page about the permissions of an application begins with.

import type { FastifyRequest } from 'fastify'
import type { PermissionUseAnswer } from '../../management/permissions/usage-schemas.js'
import { type Application, applicationOfPage, applicationPath } from '../application-page.js'
import type { PortalContext } from '../context.js'
import { span } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { readPermissionUse } from '../usage/permission-use.js'
import { type PermissionStatus, permissionStatuses } from './permission-status.js'

export interface PermissionOverview {
  application: Application
  /** Of the page with the list, without the tenant. */
  path: string
  configured: readonly PermissionStatus[]
  /** What was granted in the current tenant and is not configured. */
  others: readonly PermissionStatus[]
  /** After how long without use one should ask whether it is needed: `30 days`. */
  unusedAfter: string
  /** Tools, prompts and resources of MCP servers that they open. */
  operations: PermissionUseAnswer['operations']
}

/** The application that the address names, with its permissions in the current tenant. Throws ApiError. */
export async function readOverview(
  { settings }: Pick<PortalDependencies, 'settings'>,
  request: FastifyRequest,
  context: PortalContext,
): Promise<PermissionOverview> {
  const application = await applicationOfPage(request, context)
  const uses = await readPermissionUse(context, application.applicationId)
  const { tenantId } = context.currentTenant
  const { unusedAfterSeconds: seconds } = uses
  return {
    application,
    path: applicationPath(application.applicationId, 'permissions'),
    ...permissionStatuses(settings.catalogue, application, { tenantId, uses }),
    operations: uses.operations,
    unusedAfter: seconds < 60 ? `${seconds} seconds` : span(seconds * 1000),
  }
}

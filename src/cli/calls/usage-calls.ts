// The usage part of the management API as the command uses it.

import type { PermissionUseAnswer, RemoveUnusedBody, UsageAnswer } from '../../management/permissions/usage-schemas.js'
import type { LocalClient } from './local-client.js'

export interface UsageCalls {
  usage(query: Record<string, string | undefined>): Promise<UsageAnswer>
  permissionUse(applicationId: string, tenantId: string | undefined): Promise<PermissionUseAnswer>
  removeUnused(applicationId: string, body: RemoveUnusedBody): Promise<unknown>
}

/** The calls over `client`; applications by their identifiers. */
export function usageCalls(client: LocalClient): UsageCalls {
  const call = async <T>(method: string, path: string, body?: unknown) => (await client.call(method, path, body)) as T
  return {
    usage: (query) => call('GET', `/usage${queryOf(query)}`),
    permissionUse: (id, tenantId) => call('GET', `/applications/${id}/permissionUse${queryOf({ tenantId })}`),
    removeUnused: (id, body) => call('POST', `/applications/${id}/removeUnused`, body),
  }
}

function queryOf(query: Record<string, string | undefined>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

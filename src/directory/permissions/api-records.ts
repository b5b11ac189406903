// The APIs of tenants as the other rooms see them, and reading them.

import type { PermissionDefinition } from '../../config/settings/settings.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { type ApiRecord, readApis } from '../../storage/sql/registrations/apis.js'
import type { Statements } from '../../storage/sql/store.js'
import { toDefinitions } from './live-catalogue.js'

export interface Api {
  apiId: string
  /** `api://<tenant>/<short name>`: `resource` and `aud`. */
  identifier: string
  tenantId: string
  name: string
  createdAt: number
  updatedAt: number
  permissions: readonly PermissionDefinition[]
}

/** All of a tenant, or of every tenant. Throws StoreUnavailable. */
export async function listApis(reader: Statements, tenantId: string | undefined): Promise<Api[]> {
  return (await readApis(reader, { tenantId })).map(toApi)
}

/** One by its id. Throws StoreUnavailable. */
export async function findApi(reader: Statements, apiId: string): Promise<Api | undefined> {
  const id = parseGuid(apiId)
  const [record] = id === undefined ? [] : await readApis(reader, { id })
  return record === undefined ? undefined : toApi(record)
}

/** An API from its rows. */
export function toApi(record: ApiRecord): Api {
  return {
    apiId: record.id,
    identifier: record.identifier,
    tenantId: record.tenant_id,
    name: record.name,
    createdAt: Number(record.created_at),
    updatedAt: Number(record.updated_at),
    permissions: toDefinitions(record),
  }
}

// The APIs of a tenant: a resource of its own, with an identifier that is made here, and the permissions that its
// developers define. Tokens for it are for the service behind it, which verifies them; no route of the gate can ask for
// its permissions.

import { randomUUID } from 'node:crypto'
import type { Role } from '../../config/settings/settings.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import {
  type ApiRecord,
  deleteApiRow,
  permissionsInUse,
  putApi,
  readApis,
} from '../../storage/sql/registrations/apis.js'
import { permissionsKept } from '../../storage/sql/registrations/deleted/kept-content.js'
import { checkName, checkNewName } from '../applications/names.js'
import { checkNameFree } from '../applications/taken-names.js'
import { momentOf } from '../deleted/moment.js'
import { DirectoryRefusal } from '../refusal.js'
import { requireTenant } from '../tenants/tenants.js'
import { type DirectoryWrites, type Writing, write } from '../writes.js'
import { type Api, toApi } from './api-records.js'
import { checkTranslationsFit, keptTranslations, rewordings, type WrittenTranslations } from './api-translations.js'

export interface ApiPermission {
  id: string
  /** In the language of the server. */
  describe: string
  /** The same in other languages, by their tags. */
  descriptions?: WrittenTranslations | undefined
  kinds: readonly ('application' | 'delegated')[]
  /** Whether a delegated grant needs an administrator; those that end in `.All` always do. */
  adminConsent?: boolean | undefined
  role?: Role | undefined
}

const mostApis = 50
const mostPermissions = 100
const shortName = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/
/** RFC 6749 §3.3 without comma and slash, which separate; short enough to read. */
const permissionId = /^[A-Za-z0-9_.:-]{1,100}$/
const reservedIds = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'default', '.default'])

/**
 * Defines one. Throws DirectoryRefusal (InvalidName, NameReserved, NameTaken, InvalidPermission, ApiExists, TooManyApis, TenantNotFound) and
 * StoreUnavailable.
 */
export async function createApi(
  deps: DirectoryWrites,
  input: { tenantId: string; shortName: string; name: string; permissions: readonly ApiPermission[] },
): Promise<Api> {
  const name = checkName(input.name, 'name', 'api')
  checkShortName(input.shortName)
  const id = randomUUID()
  return write(deps, async (writing) => {
    const { tx, nowMs } = writing
    const { tenantId } = await requireTenant(writing, input.tenantId)
    await checkNameFree(deps, tx, { name, tenantId, target: 'name', of: 'api' })
    const known = await readApis(tx, { tenantId })
    const identifier = `api://${tenantId}/${input.shortName}`
    if (known.some((api) => api.identifier === identifier)) {
      throw new DirectoryRefusal('ApiExists', 'There is an API of this short name already.', 'shortName')
    }
    if (known.length >= mostApis) throw new DirectoryRefusal('TooManyApis', `A tenant has ${mostApis} APIs at most.`)
    const api = { id, identifier, tenant_id: tenantId, name, created_at: nowMs, updated_at: nowMs }
    return put(deps, writing, [], { ...api, permissions: rowsOf(id, input.permissions) })
  })
}

/**
 * Changes the name, or the whole list of permissions. What an application has configured or was granted cannot be taken
 * away: that is withdrawn first, which ends its tokens. Throws as createApi, and ApiNotFound, PermissionInUse.
 */
export async function changeApi(
  deps: DirectoryWrites,
  apiId: string,
  changes: { name?: string | undefined; permissions?: readonly ApiPermission[] | undefined },
): Promise<Api> {
  return write(deps, async (writing) => {
    const before = await requireApi(writing, apiId)
    const permissions = changes.permissions === undefined ? before.permissions : rowsOf(before.id, changes.permissions)
    const kept = new Set(permissions.map((row) => `${row.permission_id} ${row.kinds}`))
    const gone = before.permissions.filter((row) => !kept.has(`${row.permission_id} ${row.kinds}`))
    await checkUnused(
      deps,
      writing,
      before,
      gone.map((row) => row.permission_id),
    )
    const name = checkNewName(before.name, changes.name ?? before.name, 'name', 'api')
    if (name !== before.name) {
      await checkNameFree(deps, writing.tx, { name, tenantId: before.tenant_id, target: 'name', of: 'api' })
    }
    const after = { ...before, name, permissions, updated_at: writing.nowMs }
    return put(deps, writing, before.permissions, after, 'api.changed')
  })
}

/**
 * Deletes one that nobody has configured. Throws DirectoryRefusal (ApiNotFound, PermissionInUse) and StoreUnavailable.
 */
export async function deleteApi(deps: DirectoryWrites, apiId: string): Promise<void> {
  await write(deps, async (writing) => {
    const before = await requireApi(writing, apiId)
    await checkUnused(deps, writing, before, undefined)
    await deleteApiRow(writing.tx, before.id)
    writing.record({ kind: 'apis' })
    const details = { identifier: before.identifier }
    await appendAudit(deps, writing.tx, { event: 'api.deleted', tenantId: before.tenant_id, details })
  })
}

async function put(
  deps: DirectoryWrites,
  { tx, record }: Writing,
  before: ApiRecord['permissions'],
  api: ApiRecord,
  event: 'api.created' | 'api.changed' = 'api.created',
): Promise<Api> {
  await putApi(tx, api)
  record({ kind: 'apis' })
  const { identifier, name, permissions } = api
  const reworded = rewordings(before, permissions)
  const details = {
    identifier,
    name,
    permissions: permissions.map((row) => row.permission_id),
    ...(reworded.length === 0 ? {} : { reworded }),
  }
  await appendAudit(deps, tx, { event, tenantId: api.tenant_id, details })
  return toApi(api)
}

async function requireApi({ tx }: Writing, apiId: string): Promise<ApiRecord> {
  const id = parseGuid(apiId)
  const [found] = id === undefined ? [] : await readApis(tx, { id })
  if (found === undefined) throw new DirectoryRefusal('ApiNotFound', 'There is no such API.')
  return found
}

/** `ids` undefined: all of it. */
async function checkUnused(
  deps: DirectoryWrites,
  { tx, nowMs }: Writing,
  api: ApiRecord,
  ids: readonly string[] | undefined,
): Promise<void> {
  if (ids?.length === 0) return
  const meant = (all: readonly string[]) => all.filter((id) => ids === undefined || ids.includes(id))
  const inUse = meant(await permissionsInUse(tx, api.identifier))
  const some = (all: readonly string[]) => all.slice(0, 5).join(', ')
  if (inUse.length > 0) {
    const message = `Applications have ${some(inUse)}: remove it from them first.`
    throw new DirectoryRefusal('PermissionInUse', message, 'permissions')
  }
  // Else it would come back with them, as whatever is called so by then.
  const kept = meant(await permissionsKept(tx, api.identifier, momentOf(deps, { nowMs })))
  if (kept.length === 0) return
  const message = `Deleted applications that can be restored have ${some(kept)}: delete them for good first.`
  throw new DirectoryRefusal('PermissionInUse', message, 'permissions')
}

function checkShortName(text: string): void {
  if (shortName.test(text)) return
  const message = 'A short name has 1 to 40 small letters, digits and hyphens, none of these at its ends.'
  throw new DirectoryRefusal('InvalidName', message, 'shortName')
}

function rowsOf(apiId: string, permissions: readonly ApiPermission[]): ApiRecord['permissions'] {
  if (permissions.length > mostPermissions) throw invalid(`An API has ${mostPermissions} permissions at most.`)
  const ids = new Set<string>()
  const rows = permissions.map(({ id, describe, descriptions, kinds, adminConsent, role = 'member' }) => {
    if (!permissionId.test(id)) throw invalid('A permission id has 1 to 100 letters, digits and . _ : -')
    if (reservedIds.has(id.toLowerCase())) throw invalid(`${id} is a word of the protocol, not a permission.`)
    if (ids.has(id)) throw invalid(`${id} is there twice.`)
    ids.add(id)
    const needsAdministrator = id.endsWith('.All')
    if (needsAdministrator && adminConsent === false) throw invalid(`${id} ends in .All: it needs an administrator.`)
    const both = ['application', 'delegated'] as const
    return {
      api_id: apiId,
      permission_id: id,
      describe: checkName(describe, 'permissions', 'permission'),
      translations: keptTranslations(id, descriptions),
      role,
      kinds: both.filter((kind) => kinds.includes(kind)).join(','),
      admin_consent: Number(adminConsent ?? needsAdministrator),
    }
  })
  checkTranslationsFit(rows)
  return rows
}

function invalid(message: string): DirectoryRefusal {
  return new DirectoryRefusal('InvalidPermission', message, 'permissions')
}

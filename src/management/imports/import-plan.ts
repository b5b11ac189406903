// What an import would do: for each application of the source whether it is made, changed, or left alone, and why. It
// reads and writes nothing but through the calls that it is given, so that a look beforehand and the import say the
// same, and the command line and the server too.

import type { PermissionCatalogue } from '../registrations/catalogue.js'
import type { FindRegistration } from '../registrations/find.js'
import { type Plan, planOf, type Wanted } from '../registrations/plan.js'
import { type Acceptable, acceptable, distinctOnes } from './acceptable.js'
import { mapPermissions, type PermissionMap } from './permission-map.js'
import { slices } from './slices.js'
import type { Conversion, Note } from './sources/conversion.js'

export interface ImportSurroundings {
  catalogue: PermissionCatalogue
  find: FindRegistration
  map: PermissionMap
  tenantId: string
  /** Whether an application that exists becomes what the source says. */
  update: boolean
  /** By the identifier in the source. */
  planOf: (sourceId: string) => string | undefined
  /** What an error says of one application alone; undefined: it ends the whole. */
  refusalOf: (error: unknown) => string | undefined
}

/** One application on its way: planned, or known not to be one. */
export interface ImportItem {
  one: Acceptable
  notes: Note[]
  plan?: Plan
  /** Why nothing is done. */
  result?: 'exists' | 'failed'
  reason?: string
  applicationId?: string
}

/** In the order of the source. Throws RegistrationProblem for a wrong map, and what is no refusal of one application. */
export async function planImport(
  { imported }: Pick<Conversion, 'imported'>,
  around: ImportSurroundings,
): Promise<ImportItem[]> {
  const items: ImportItem[] = []
  const next = slices()
  for (const one of distinctOnes(imported)) {
    await next()
    items.push(await itemOf(acceptable(one), around))
  }
  return items
}

async function itemOf(one: Acceptable, around: ImportSurroundings): Promise<ImportItem> {
  const mapped = mapPermissions(one, around.map, around.catalogue)
  const item = { one, notes: [...one.notes, ...mapped.notes] }
  if (one.refused !== undefined) return { ...item, result: 'failed', reason: one.refused }
  try {
    const found = await around.find(around.tenantId, one.name)
    const existing = found?.application
    if (existing !== undefined && !around.update) {
      const reason = 'exists, left alone: --update changes it'
      return { ...item, result: 'exists', reason, applicationId: existing.applicationId }
    }
    const kept = existing?.permissions ?? []
    const said = around.planOf(one.sourceId)
    const planned = said === undefined ? {} : { plan: said }
    const isKept = (ref: (typeof kept)[number]) =>
      kept.some(({ kind, resource, id }) => kind === ref.kind && resource === ref.resource && id === ref.id)
    const permissions = [...kept, ...mapped.permissions.filter((ref) => !isKept(ref))]
    return { ...item, plan: planOf({ ...wantedBy(one), ...planned, permissions, tenantId: around.tenantId }, found) }
  } catch (error) {
    const reason = around.refusalOf(error)
    if (reason === undefined) throw error
    return { ...item, result: 'failed', reason }
  }
}

/** What the source says nothing of is left as it is. An application that was stopped here stays so. */
function wantedBy(one: Acceptable): Omit<Wanted, 'tenantId' | 'permissions'> {
  const { name, type, audience, redirectUris, logoutRedirectUris, requirePkce, publisher, idTokenAlg, keys } = one
  return {
    name,
    type,
    audience,
    redirectUris,
    logoutRedirectUris,
    requirePkce,
    ...(one.disabled ? { state: 'disabled' } : {}),
    ...(publisher === '' ? {} : { publisher }),
    ...(idTokenAlg === undefined ? {} : { idTokenAlg }),
    ...(keys === undefined ? {} : { jwks: keys, ...(one.provesByKey ? { authMethod: 'private_key_jwt' } : {}) }),
  }
}

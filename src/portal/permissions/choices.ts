// What can be added to an application: the catalogue of one kind, by API, as far as it fits what somebody looks for.

import { managementPermissions } from '../../config/routes/management-permissions.js'
import type { Catalogue } from '../../config/settings/settings.js'
import { includesPermission, needsAdministrator } from '../../directory/consents/consent-rules.js'
import type { PermissionKind, PermissionRef } from '../../directory/records.js'
import { sentenceOf } from '../../identity/consent/sentences.js'
import { apiName, keyOf } from './permission-status.js'

export interface Choice {
  ref: PermissionRef
  key: string
  description: string
  needsAdministrator: boolean
  configured: boolean
  /** Chosen on the page before, and not added yet. */
  ticked: boolean
}

export interface ChoiceGroup {
  api: string
  /** Its identifier URI. */
  resource: string
  choices: readonly Choice[]
}

/**
 * What applications of the tenant can have, in the order of the configuration; those of the management API apart, for
 * few applications need them. What is `ticked`, by key, stays whatever is searched for.
 */
export function choicesOf(
  catalogue: Catalogue,
  configured: readonly PermissionRef[],
  {
    kind,
    search,
    tenantId,
    ticked = new Set(),
  }: { kind: PermissionKind; search: string; tenantId: string; ticked?: ReadonlySet<string> },
): ChoiceGroup[] {
  const ofManagement = new Set(managementPermissions(catalogue.own.id).map(({ id }) => id))
  const groups = new Map<string, { api: string; resource: string; choices: Choice[] }>()
  for (const { id, resource, kinds, tenantId: whose } of catalogue.permissions) {
    const ref = { kind, resource, id }
    const description = sentenceOf(catalogue, ref, 'everybody').text
    // What other tenants define is their business.
    if (!kinds.includes(kind) || (whose !== undefined && whose !== tenantId)) continue
    const manages = resource === catalogue.own.id && ofManagement.has(id)
    const api = manages ? `${apiName(catalogue, ref)} management` : apiName(catalogue, ref)
    const key = keyOf(ref)
    if (!ticked.has(key) && !fits(search, [id, description, api])) continue
    const group = groups.get(api) ?? { api, resource, choices: [] }
    group.choices.push({
      ref,
      key,
      description,
      needsAdministrator: needsAdministrator(catalogue, ref),
      configured: includesPermission(configured, ref),
      ticked: ticked.has(key),
    })
    groups.set(api, group)
  }
  return [...groups.values()]
}

/** Whether every word that is looked for is somewhere in the texts. */
function fits(search: string, texts: readonly string[]): boolean {
  const all = texts.join('\n').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

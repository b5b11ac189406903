// A permission of an API of the tenant as a form sends it, and the list that comes of it.

import { languages } from '../../../languages/language.js'
import type { ApiAnswer } from '../../../management/permissions/apis.js'
import type { FormFields } from '../../../web/form-token.js'

type Permission = ApiAnswer['permissions'][number]
/** As the management API takes it. */
export type PermissionInput = Pick<Permission, 'id' | 'describe' | 'descriptions' | 'kinds' | 'adminConsent' | 'role'>

export const permissionRoles = [
  ['member', 'Every member'],
  ['developer', 'Developers and above'],
  ['administrator', 'Administrators and owners'],
  ['owner', 'Owners'],
] as const

/** What was typed; whether it can be so is for the API to say. */
export function typedPermission(form: FormFields): PermissionInput {
  const id = (form.get('id') ?? '').trim()
  const kinds = form.all('kind')
  return {
    id,
    describe: form.get('describe') ?? '',
    descriptions: Object.fromEntries(
      languages
        .map((each) => [each, (form.get(`describe-${each}`) ?? '').trim()] as const)
        .filter(([, text]) => text !== ''),
    ),
    kinds: (['application', 'delegated'] as const).filter((kind) => kinds.includes(kind)),
    adminConsent: form.get('adminConsent') === 'yes' || id.endsWith('.All'),
    role: permissionRoles.find(([role]) => role === form.get('role'))?.[0] ?? 'member',
  }
}

/** The whole list with one permission set, or without one. */
export function changedPermissions(
  before: readonly Permission[],
  change: PermissionInput | { removed: string },
): PermissionInput[] {
  if ('removed' in change) return before.filter(({ id }) => id !== change.removed)
  return [...before.filter(({ id }) => id !== change.id), change]
}

// The permissions of Portcullis's own management API. They are part of the product, not of the configuration: deleting
// a line from the file must not open an operation to everybody, and a file cannot give them another meaning.

import type { Texts } from '../../languages/english/texts.js'
import { languages } from '../../languages/language.js'
import { textsIn } from '../../languages/texts.js'
import type { Catalogue, PermissionDefinition, Role } from '../settings/settings.js'

const both = ['application', 'delegated'] as const
const people = ['delegated'] as const

const definitions: readonly {
  id: keyof Texts['permissions']
  role: Role
  covers?: readonly string[]
  kinds?: PermissionDefinition['kinds']
}[] = [
  {
    id: 'Application.Read.All',
    role: 'developer',
  },
  {
    id: 'Application.ReadWrite.All',
    role: 'developer',
    covers: ['Application.Read.All'],
  },
  { id: 'Usage.Read.All', role: 'developer' },
  { id: 'Tenant.Read.All', role: 'member' },
  {
    id: 'Tenant.ReadWrite.All',
    role: 'administrator',
    covers: ['Tenant.Read.All'],
  },
  { id: 'Consent.Read.All', role: 'administrator' },
  {
    id: 'Consent.ReadWrite.All',
    role: 'administrator',
    covers: ['Consent.Read.All'],
  },
  { id: 'Member.Read.All', role: 'administrator' },
  {
    id: 'Member.ReadWrite.All',
    role: 'administrator',
    covers: ['Member.Read.All'],
  },
  { id: 'AuditLog.Read.All', role: 'administrator' },
  { id: 'Event.ReadWrite.All', role: 'administrator' },
  {
    id: 'Server.Read',
    role: 'member',
    kinds: people,
  },
  {
    id: 'Server.ReadWrite',
    role: 'member',
    covers: ['Server.Read'],
    kinds: people,
  },
]

/** Those that are about the whole installation: what they open is no tenant's to give away. */
export function isServerPermission(catalogue: Pick<Catalogue, 'own'>, ref: { resource: string; id: string }): boolean {
  return ref.resource === catalogue.own.id && (ref.id === 'Server.Read' || ref.id === 'Server.ReadWrite')
}

/** Whether a permission is one of these. */
export function isManagementPermission(
  catalogue: Pick<Catalogue, 'own'>,
  ref: { resource: string; id: string },
): boolean {
  return ref.resource === catalogue.own.id && definitions.some(({ id }) => id === ref.id)
}

/** Them, as permissions of `resource`, the own API. Every one needs an administrator's consent (contract §4). */
export function managementPermissions(resource: string): PermissionDefinition[] {
  return definitions.map(({ id, covers = [], kinds = both, role }) => ({
    id,
    describe: textsIn('en').permissions[id],
    descriptions: Object.fromEntries(languages.map((each) => [each, textsIn(each).permissions[id]])),
    role,
    resource,
    kinds,
    covers,
    adminConsent: true,
  }))
}

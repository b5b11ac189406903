// The permissions of Portcullis's own management API. They are part of the product, not of the configuration: deleting
// a line from the file must not open an operation to everybody, and a file cannot give them another meaning.

import type { Catalogue, PermissionDefinition, Role } from '../settings/settings.js'

const both = ['application', 'delegated'] as const
const people = ['delegated'] as const

const definitions: readonly {
  id: string
  describe: string
  role: Role
  covers?: readonly string[]
  kinds?: PermissionDefinition['kinds']
}[] = [
  {
    id: 'Application.Read.All',
    describe: 'Read the applications that are registered in the tenant',
    role: 'developer',
  },
  {
    id: 'Application.ReadWrite.All',
    describe: 'Register, change and delete applications of the tenant, and give them credentials',
    role: 'developer',
    covers: ['Application.Read.All'],
  },
  { id: 'Usage.Read.All', describe: 'Read how applications of the tenant are used', role: 'developer' },
  { id: 'Tenant.Read.All', describe: 'Read the settings of the tenant', role: 'member' },
  {
    id: 'Tenant.ReadWrite.All',
    describe: 'Change the settings of the tenant',
    role: 'administrator',
    covers: ['Tenant.Read.All'],
  },
  { id: 'Consent.Read.All', describe: 'Read consents in the tenant, and requests for them', role: 'administrator' },
  {
    id: 'Consent.ReadWrite.All',
    describe: 'Grant and withdraw consent in the tenant, and decide on requests for it',
    role: 'administrator',
    covers: ['Consent.Read.All'],
  },
  { id: 'Member.Read.All', describe: 'Read who belongs to the tenant', role: 'administrator' },
  {
    id: 'Member.ReadWrite.All',
    describe: 'Invite, change and remove people of the tenant',
    role: 'administrator',
    covers: ['Member.Read.All'],
  },
  { id: 'AuditLog.Read.All', describe: 'Read what was done in the tenant', role: 'administrator' },
  { id: 'Event.ReadWrite.All', describe: 'Send events of the tenant to other services', role: 'administrator' },
  {
    id: 'Server.Read',
    describe: 'See all tenants, signing keys, routes and the state of this server',
    role: 'member',
    kinds: people,
  },
  {
    id: 'Server.ReadWrite',
    describe: 'Create tenants and rotate the signing keys of this server',
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
  return definitions.map(({ covers = [], kinds = both, ...rest }) => ({
    ...rest,
    resource,
    kinds,
    covers,
    adminConsent: true,
  }))
}

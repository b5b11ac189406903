// What counts of the caller at this moment: what the person may by their role, and how much of it through what they
// came with.

import type { FastifyRequest } from 'fastify'
import type { SessionPrincipal, TokenPrincipal } from '../../access/principal.js'
import type { Catalogue, Role } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import type { Store } from '../../storage/sql/store.js'
import { findUser } from '../../users/accounts/users.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { type PersonAuthority, permissionsFor } from '../../users/memberships/roles.js'
import { roleThrough } from '../acting/role-through.js'
import type { Presented } from '../dependencies.js'

export interface AuthorityDependencies {
  store: Pick<Store, 'reader'>
  settings: { catalogue: Catalogue }
}

/**
 * What the person is at this moment; a session or a token may be older than what was decided about them. Throws
 * ApiError 403 for a caller that does not belong to the tenant, StoreUnavailable.
 */
export async function findAuthority(
  { store }: Pick<AuthorityDependencies, 'store'>,
  { userId, tenantId }: { userId: string; tenantId: string },
): Promise<PersonAuthority & { userId: string }> {
  const [user, membership] = await Promise.all([
    findUser(store.reader, userId),
    findMembership(store.reader, userId, tenantId),
  ])
  if (user?.state !== 'enabled' || membership === undefined) {
    throw new ApiError(403, 'NotAMember', 'You do not belong to this tenant.')
  }
  return { userId, role: membership.role, isOperator: user.isOperator }
}

/** With the permissions that count now: of a token those that the person's role allows, of a session all of these. */
export function effective(
  catalogue: Catalogue,
  presented: Exclude<Presented, { kind: 'local' }>,
  person: PersonAuthority | undefined,
): TokenPrincipal | SessionPrincipal {
  if (presented.kind === 'application' || person === undefined) return presented as TokenPrincipal
  const resource = catalogue.own.id
  const held =
    presented.kind === 'session'
      ? catalogue.permissions.filter((one) => one.resource === resource).map(({ id }) => id)
      : [...presented.permissions]
  const permissions = new Set(permissionsFor(person, catalogue, resource, held))
  return { ...presented, resource: presented.kind === 'session' ? resource : presented.resource, permissions }
}

/**
 * The role in which they act: their own by their own hand, the portal and the command line; else what roleThrough says.
 * Throws StoreUnavailable.
 */
export async function actingRole(
  { store, settings: { catalogue } }: AuthorityDependencies,
  presented: Exclude<Presented, { kind: 'local' }>,
  { role, permission }: { role: Role; permission: string },
): Promise<Role> {
  if (presented.kind === 'session' || presented.applicationId === commandLineClient.applicationId) return role
  const { applicationId, tenantId } = presented
  return roleThrough({ statements: store.reader, catalogue }, { applicationId, tenantId, role, permission })
}

/**
 * Whether what they come with was given for the server. An application that was given something of a tenant, by an
 * administrator there, does not look after the installation because an operator uses it.
 */
export function comesAsOperator(
  catalogue: Catalogue,
  principal: TokenPrincipal | SessionPrincipal,
  { method }: FastifyRequest,
): boolean {
  const least = method === 'GET' || method === 'HEAD' ? 'Server.Read' : 'Server.ReadWrite'
  return catalogue.satisfying('delegated', catalogue.own.id, least).some((id) => principal.permissions.has(id))
}

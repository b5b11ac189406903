// How far a caller has come with each permission that a route asks for, and which states stand in its way.

import type { CompiledRequirement } from '../../access/decide.js'
import type { TokenPrincipal } from '../../access/principal.js'
import type { Catalogue } from '../../config/settings/settings.js'
import { includesPermission } from '../../directory/consents/consent-rules.js'
import type { PermissionKind, PermissionRef } from '../../directory/records.js'
import { permissionsFor } from '../../users/memberships/roles.js'
import type { Explanation } from './explanation.js'
import type { CallerFacts } from './facts.js'

type Alternatives = Explanation['requirement']
type PermissionStatus = Alternatives[number]['permissions'][number]

interface RequirementQuestion {
  catalogue: Catalogue
  requirement: CompiledRequirement
  facts: CallerFacts | undefined
  /** What its token has. */
  principal: TokenPrincipal | undefined
}

/** The alternatives for this kind of caller; where there are none, or nobody is known, those for the others. */
export function requirementStatus(question: RequirementQuestion): Alternatives {
  const { requirement, facts } = question
  const kinds = (['application', 'delegated'] as const).filter((kind) => requirement[kind].length > 0)
  const own = kinds.filter((kind) => kind === facts?.about.kind)
  return (own.length > 0 ? own : kinds).flatMap((kind) =>
    requirement[kind].map(({ needs }) => {
      const permissions = needs.map((ids) => furthest(question, kind, ids))
      return { kind, met: permissions.every(({ inToken }) => inToken), permissions }
    }),
  )
}

/** `ids`: the permission itself, then those that cover it. Told is the one of them that has come furthest. */
function furthest(question: RequirementQuestion, kind: PermissionKind, ids: readonly string[]): PermissionStatus {
  const [id = ''] = ids
  const all = ids.map((one) => permissionStatus(question, kind, one))
  const steps = (one: PermissionStatus) =>
    Number(one.inToken) * 4 + Number(one.consentedBy !== null) * 2 + Number(one.configured)
  const best = all.reduce((a, b) => (steps(b) > steps(a) ? b : a))
  return { ...best, id, through: best.id === id ? null : best.id }
}

function permissionStatus(
  { catalogue, requirement, facts, principal }: RequirementQuestion,
  kind: PermissionKind,
  id: string,
): PermissionStatus {
  const ref: PermissionRef = { kind, resource: requirement.resource, id }
  const byAdministrator = facts?.installation?.granted.find((one) => includesPermission([one], ref))
  const byUser = facts?.ownConsents.find((one) => includesPermission([one], ref))
  const consent = byAdministrator ?? byUser
  const fits = principal?.kind === kind && principal.resource === requirement.resource
  return {
    id,
    kind,
    through: null,
    configured: facts?.registration !== undefined && includesPermission(facts.registration.configured, ref),
    consentedBy: byAdministrator !== undefined ? 'administrator' : byUser === undefined ? null : 'user',
    consentedAt: consent === undefined ? null : new Date(consent.grantedAt).toISOString(),
    inToken: fits && principal.permissions.has(id),
    role: kind === 'delegated' && facts?.about.kind === 'delegated' ? roleStatus(catalogue, ref, facts) : null,
  }
}

function roleStatus(
  catalogue: Catalogue,
  { resource, id }: PermissionRef,
  { person }: CallerFacts,
): PermissionStatus['role'] {
  const needed = catalogue.find('delegated', resource, id)?.role ?? 'owner'
  const has = person?.role
  const isOperator = person?.isOperator === true
  const enough = has !== undefined && permissionsFor({ role: has, isOperator }, catalogue, resource, [id]).length > 0
  return { needed, has: has ?? null, enough }
}

/** What of all that a call stands on is in order; `isStale` is the revocation view. */
export function statesOf(facts: CallerFacts | undefined, isStale: boolean, nowMs: number): Explanation['states'] {
  const view = { of: 'revocation view', state: isStale ? 'stale' : 'current', ok: !isStale }
  if (facts === undefined) return [view]
  const { about, registration, tenant, installation, person } = facts
  const state = (of: string, found: 'enabled' | 'disabled' | undefined) => ({
    of,
    state: found ?? 'unknown',
    ok: found === 'enabled',
  })
  const atHome = registration?.tenantId === about.tenantId
  const installed = installation !== undefined || atHome
  return [
    state('application', registration?.state),
    state('tenant', tenant?.state),
    { of: 'installation', state: installed ? 'installed' : 'not installed', ok: installed },
    ...(about.kind === 'application' && registration?.authMethod === 'secret'
      ? [secretState(registration.secrets, nowMs)]
      : []),
    ...(person === undefined
      ? []
      : [
          state('user', person.state),
          { of: 'membership', state: person.role ?? 'not a member', ok: person.role !== undefined },
        ]),
    view,
  ]
}

function secretState(secrets: readonly { startsAt: number; endsAt: number }[], nowMs: number) {
  const live = secrets.filter(({ startsAt, endsAt }) => startsAt <= nowMs && nowMs < endsAt).length
  return {
    of: 'client secret',
    state: live > 0 ? `${live} live` : secrets.length > 0 ? 'expired' : 'none',
    ok: live > 0,
  }
}

// How far somebody could go by themselves from here: whatever they hold, can equip, take over and allow, until nothing
// new comes. Nobody may come to more than their own place, or what was given to them.

import {
  type Actor,
  type Authority,
  authorityOf,
  covers,
  definitionOf,
  isActingOperator,
  isAtLeast,
  isServer,
  mayChange,
  mayConsentTo,
  mayEquip,
  mayList,
  type Rules,
  tokenOf,
} from './model.js'
import { type KnownApplication, type PermissionName, type Snapshot, spelled } from './snapshot.js'

interface Seeing {
  rules: Rules
  snapshot: Snapshot
  refs: readonly PermissionName[]
  holders: ReadonlyMap<string, ReadonlySet<string>>
}

/** What somebody could come to and must not; undefined when there is nothing. */
export function findEscalation(seeing: Seeing, attacker: string): string | undefined {
  const { snapshot, holders } = seeing
  const given = [...snapshot.applications.values()].filter((one) => holders.get(one.applicationId)?.has(attacker))
  const own = ownActors(seeing, attacker)
  const base = [...own, ...given.flatMap((one) => actorsOf(seeing, one))]
  const limits = base.flatMap((actor) => authoritiesOf(seeing, actor))
  const allowed = new Set(base.flatMap((actor) => powersOf(seeing, actor)))
  const reached = new Set(given.map(({ applicationId }) => applicationId))
  const acting = [...base]
  for (let actor = acting.pop(); actor !== undefined; actor = acting.pop()) {
    const authority = authorityOf(seeing.rules, snapshot, actor)
    if (authority === undefined) continue
    const problem = selfGrantable(seeing, authority).find((power) => !isAllowed(seeing, limits, allowed, power))
    if (problem !== undefined) return `${attacker} could allow a new application ${spelled(problem.ref)}`
    for (const application of changeableApplications(seeing, authority)) {
      if (!isTheirs(seeing, { attacker, own, actor, application })) {
        return `${attacker} could change ${application.applicationId} as ${JSON.stringify(actor)}`
      }
      if (reached.has(application.applicationId)) continue
      reached.add(application.applicationId)
      for (const next of actorsOf(seeing, application)) {
        const excess = powers(seeing, next).find((power) => !isAllowed(seeing, limits, allowed, power))
        if (excess !== undefined) return `${attacker} could be ${JSON.stringify(next)} with ${spelled(excess.ref)}`
        acting.push(next)
      }
    }
  }
  return undefined
}

/** As whom an actor counts where applications are changed, and where it may, where consent is granted. */
function authoritiesOf({ rules, snapshot }: Seeing, actor: Actor): Authority[] {
  const consenting = 'Consent.ReadWrite.All'
  return ['Application.ReadWrite.All', consenting]
    .map((permission) => ({ permission, authority: authorityOf(rules, snapshot, actor, permission) }))
    .flatMap(({ permission, authority }) => {
      if (authority === undefined) return []
      return permission !== consenting || covers(rules, authority.held, 'delegated', rules.own, consenting)
        ? [authority]
        : []
    })
}

/**
 * Whether the attacker may change an application without being somebody else, or it belongs to those who use theirs:
 * that one allows it. Judged by what is in the attacker's hands now; what they left behind is for its administrators to
 * see to.
 */
function isTheirs(
  { rules, snapshot }: Seeing,
  change: { attacker: string; own: readonly Actor[]; actor: Actor; application: KnownApplication },
): boolean {
  const { attacker, own, actor, application } = change
  const { userId } = actor.kind === 'delegated' ? actor : { userId: attacker }
  if (actor.kind !== 'delegated' || application.owners.has(userId)) return true
  const through = snapshot.applications.get(actor.applicationId)
  if (through?.registrant !== attacker && through?.owners.has(attacker) !== true) return true
  return own.some((one) => {
    const authority = authorityOf(rules, snapshot, one)
    return authority !== undefined && authority.tenantId === application.home && mayChange(authority, application)
  })
}

interface Power {
  tenantId: string
  ref: PermissionName
}

function ownActors(seeing: Seeing, attacker: string): Actor[] {
  const { snapshot } = seeing
  const person = snapshot.people.get(attacker)
  const application = snapshot.applications.get(attacker)
  if (application !== undefined) return actorsOf(seeing, application)
  return [...(person?.roles.keys() ?? [])].map((tenantId) => ({ kind: 'session', userId: attacker, tenantId }))
}

/** Everybody whom somebody with its credentials can be. */
function actorsOf({ snapshot }: Seeing, { applicationId, granted, consented }: KnownApplication): Actor[] {
  const applicationActors = [...granted.keys()].map((tenantId) => ({
    kind: 'application' as const,
    applicationId,
    tenantId,
  }))
  const users = new Map(consented.map(({ userId, tenantId }) => [`${userId} ${tenantId}`, { userId, tenantId }]))
  for (const [tenantId, refs] of granted) {
    if (!refs.some(({ kind }) => kind === 'delegated')) continue
    for (const { userId, roles } of snapshot.people.values()) {
      if (roles.has(tenantId)) users.set(`${userId} ${tenantId}`, { userId, tenantId })
    }
  }
  return [
    ...applicationActors,
    ...[...users.values()].map((each) => ({ kind: 'delegated' as const, applicationId, ...each })),
  ]
}

function powers({ rules, snapshot }: Seeing, actor: Actor): Power[] {
  if (actor.kind === 'session') return []
  return tokenOf(rules, snapshot, actor).map((ref) => ({ tenantId: actor.tenantId, ref }))
}

const powersOf = (seeing: Seeing, actor: Actor) => powers(seeing, actor).map(textOf)
const textOf = ({ tenantId, ref }: Power) => `${tenantId} ${spelled(ref)}`

function changeableApplications({ rules, snapshot }: Seeing, authority: Authority): KnownApplication[] {
  const { actor, held, tenantId } = authority
  const kind = actor.kind === 'application' ? 'application' : 'delegated'
  if (!covers(rules, held, kind, rules.own, 'Application.ReadWrite.All')) return []
  const isOperator = isActingOperator(rules, authority, false)
  return [...snapshot.applications.values()].filter(
    (one) => one.home === tenantId && mayChange(authority, one) && mayEquip(rules, authority, one, isOperator),
  )
}

/** What an application of one's own could be given without anybody else. */
function selfGrantable({ rules, refs, snapshot }: Seeing, { actor }: Authority): Power[] {
  const authority = authorityOf(rules, snapshot, actor, 'Consent.ReadWrite.All')
  if (authority === undefined) return []
  const { person, held, tenantId } = authority
  if (person === undefined || !isAtLeast(person.role, 'administrator')) return []
  if (!covers(rules, held, 'delegated', rules.own, 'Application.ReadWrite.All')) return []
  if (!covers(rules, held, 'delegated', rules.own, 'Consent.ReadWrite.All')) return []
  const isOperator = isActingOperator(rules, authority, false)
  return refs
    .filter((ref) => mayList(rules, authority, [ref], isOperator) && (isOperator || !isServer(rules, ref)))
    .filter((ref) => ref.kind === 'application')
    .filter((ref) => mayConsentTo(rules, person.role, ref))
    .map((ref) => ({ tenantId, ref }))
}

/** A power that was given, or one that the place of somebody whom the attacker may be anyway allows. */
function isAllowed(
  { rules }: Seeing,
  authorities: readonly Authority[],
  allowed: ReadonlySet<string>,
  power: Power,
): boolean {
  if (allowed.has(textOf(power))) return true
  const { ref } = power
  const role = definitionOf(rules, ref)?.role
  if (role === undefined) return true
  return authorities.some(({ person, token, held }) => {
    // What an application may do in everybody's name it may do in anybody's; a role it has none.
    if (person === undefined) {
      return (
        covers(rules, held, 'application', ref.resource, ref.id) && (ref.kind === 'application' || role === 'member')
      )
    }
    if (!isAtLeast(person.role, role) || (isServer(rules, ref) && !person.isOperator)) return false
    // Anyone who was given leave to consent in somebody's name was given all that they could consent to.
    const mayAllow = covers(rules, held, 'delegated', rules.own, 'Consent.ReadWrite.All')
    return token === undefined || mayAllow || covers(rules, held, 'delegated', ref.resource, ref.id)
  })
}

// Who may hold what: the rules of contract §4 and §8 and of decision 84, once more, over a snapshot. Written from the
// rules and not from the code, so that a mistake in one shows against the other.

import { managementPermissions } from '../../src/config/routes/management-permissions.js'
import type { PermissionDefinition, Role } from '../../src/config/settings/settings.js'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import type { KnownApplication, KnownPerson, PermissionName, Snapshot } from './snapshot.js'

/** Who calls: somebody at the portal, an application as itself, or a person through an application. */
export type Actor =
  | { kind: 'session'; userId: string; tenantId: string; acr?: '2' }
  | { kind: 'application'; applicationId: string; tenantId: string }
  | { kind: 'delegated'; userId: string; applicationId: string; tenantId: string; acr?: '2' }

/** What is the same in the whole run. */
export interface Rules {
  own: string
  permissions: readonly PermissionDefinition[]
}

/** An actor as it counts at this moment. */
export interface Authority {
  actor: Actor
  tenantId: string
  /** Undefined for an application as itself. */
  person: { userId: string; role: Role; isOperator: boolean } | undefined
  /** Of the own API; for a person those that their role allows. */
  held: ReadonlySet<string>
  /** Of what came with the token; undefined at the portal, where there is none. */
  token: readonly PermissionName[] | undefined
  /** Of anybody in the tenant; anyone who is nobody there, or disabled, counts as a member. */
  rolesHere(userId: string): Role
}

const order: readonly Role[] = ['member', 'developer', 'administrator', 'owner']
export const isAtLeast = (role: Role, least: Role): boolean => order.indexOf(role) >= order.indexOf(least)

const same = (one: PermissionName, other: PermissionName) =>
  one.kind === other.kind && one.resource === other.resource && one.id === other.id

export function definitionOf({ permissions }: Rules, ref: PermissionName): PermissionDefinition | undefined {
  return permissions.find(
    ({ kinds, resource, id }) => kinds.includes(ref.kind) && resource === ref.resource && id === ref.id,
  )
}

export const isServer = ({ own }: Rules, { resource, id }: PermissionName): boolean =>
  resource === own && id.startsWith('Server.')

/** Only an administrator can allow it to an application. */
export function needsAdministrator(rules: Rules, ref: PermissionName): boolean {
  const definition = definitionOf(rules, ref)
  return ref.kind === 'application' || definition === undefined || definition.adminConsent || ref.id.endsWith('.All')
}

/** What a token of the application has in the tenant: of itself, or of a person who uses it. */
export function tokenOf(
  rules: Rules,
  snapshot: Snapshot,
  actor: Exclude<Actor, { kind: 'session' }>,
): PermissionName[] {
  if (actor.applicationId === commandLineClient.applicationId) return allOfPeople(rules)
  const application = snapshot.applications.get(actor.applicationId)
  if (application === undefined || !application.isEnabled) return []
  const kind = actor.kind
  const forAll = (application.granted.get(actor.tenantId) ?? []).filter((ref) => ref.kind === kind)
  if (actor.kind === 'application') return forAll
  const own = application.consented.filter(
    ({ userId, tenantId }) => userId === actor.userId && tenantId === actor.tenantId,
  )
  return [...forAll, ...own.map(({ permission }) => permission)]
}

/** At the portal and the command line: the role says what of it counts. */
function allOfPeople({ permissions, own }: Rules): PermissionName[] {
  return permissions
    .filter(({ resource }) => resource === own)
    .map(({ id }) => ({ kind: 'delegated', resource: own, id }))
}

/** As whom somebody counts where a route takes `permission`; undefined for anyone who is nobody there. */
export function authorityOf(
  rules: Rules,
  snapshot: Snapshot,
  actor: Actor,
  permission = 'Application.ReadWrite.All',
): Authority | undefined {
  const { tenantId } = actor
  const rolesHere = (userId: string) => roleIn(snapshot.people, userId, tenantId)
  const token = actor.kind === 'session' ? undefined : tokenOf(rules, snapshot, actor)
  if (actor.kind === 'application') {
    const held = new Set(token?.filter(({ resource }) => resource === rules.own).map(({ id }) => id))
    return { actor, tenantId, person: undefined, held, token, rolesHere }
  }
  const known = snapshot.people.get(actor.userId)
  const own = known?.roles.get(tenantId)
  if (known === undefined || !known.isEnabled || own === undefined) return undefined
  const usable = (token ?? allOfPeople(rules))
    .filter((ref) => ref.resource === rules.own && mayBeOf(rules, known, own, ref))
    .map(({ id }) => id)
  const isOwnHand = actor.kind === 'session' || actor.applicationId === commandLineClient.applicationId
  const role = isOwnHand ? own : throughApplication(rules, snapshot, actor, { own, permission })
  const person = { userId: known.userId, role, isOperator: known.isOperator }
  return { actor, tenantId, person, held: new Set(usable), token, rolesHere }
}

/** Of anyone who is no enabled person there, a member's. */
function roleIn(people: Snapshot['people'], userId: string, tenantId: string): Role {
  const person = people.get(userId)
  return (person?.isEnabled === true ? person.roles.get(tenantId) : undefined) ?? 'member'
}

/**
 * Through an application nobody acts as more than an administrator, and as more than the permission asks for only where
 * nobody who registered or owns the application is less.
 */
function throughApplication(
  { own: resource, permissions }: Rules,
  { applications, people }: Snapshot,
  { applicationId, tenantId }: { applicationId: string; tenantId: string },
  { own, permission }: { own: Role; permission: string },
): Role {
  const needed = permissions.find((one) => one.resource === resource && one.id === permission)?.role ?? 'member'
  const application = applications.get(applicationId)
  const keepers = [...(application?.owners ?? []), ...(application?.registrant ? [application.registrant] : [])]
  const rolesOfKeepers = keepers.map((id) => order.indexOf(roleIn(people, id, tenantId)))
  const carried = application === undefined ? 0 : Math.min(order.indexOf('administrator'), ...rolesOfKeepers)
  const most = Math.min(order.indexOf(own), order.indexOf('administrator'))
  return order[Math.min(most, Math.max(order.indexOf(needed), carried))] ?? 'member'
}

function mayBeOf(rules: Rules, person: KnownPerson, role: Role, ref: PermissionName): boolean {
  const definition = definitionOf(rules, ref)
  if (definition === undefined || !isAtLeast(role, definition.role)) return false
  return person.isOperator || !isServer(rules, ref)
}

/** Whether one of `held` is the permission or covers it. */
export function covers(
  rules: Rules,
  held: ReadonlySet<string>,
  kind: PermissionName['kind'],
  resource: string,
  id: string,
) {
  return rules.permissions.some(
    (one) =>
      one.resource === resource &&
      one.kinds.includes(kind) &&
      held.has(one.id) &&
      (one.id === id || one.covers.includes(id)),
  )
}

/** Whether the actor acts as an operator: they are one, and what they came with was given for the server. */
export function isActingOperator(rules: Rules, { person, held }: Authority, isReading: boolean): boolean {
  const least = isReading ? 'Server.Read' : 'Server.ReadWrite'
  return person?.isOperator === true && covers(rules, held, 'delegated', rules.own, least)
}

/** The owner rule. */
export function mayChange(authority: Authority, application: KnownApplication): boolean {
  const { actor, person } = authority
  if (person !== undefined) return isAtLeast(person.role, 'administrator') || application.owners.has(person.userId)
  const id = actor.kind === 'application' ? actor.applicationId : ''
  return id === application.applicationId || application.owners.has(id)
}

/** The ceiling. */
export function mayEquip(
  rules: Rules,
  authority: Authority,
  application: KnownApplication,
  isOperator: boolean,
): boolean {
  const forAll = [...application.granted.values()].flat()
  if (!forAll.every((ref) => mayUse(rules, authority, ref, isOperator))) return false
  if (carriesMore(rules, authority, application)) return false
  if (!mayActForItsPeople(rules, authority, application)) return false
  const { person } = authority
  const isAdministrator = person === undefined || isAtLeast(person.role, 'administrator')
  return application.consented.every(
    ({ permission }) =>
      mayUse(rules, authority, permission, isOperator) && (isAdministrator || !needsAdministrator(rules, permission)),
  )
}

/**
 * What administrators change others' applications with is equipped by administrators, but where its registrant or
 * another owner is less.
 */
function carriesMore({ own }: Rules, { actor, person, rolesHere }: Authority, application: KnownApplication): boolean {
  const held = heldBy(application)
  if (
    !held.some(
      ({ kind, resource, id }) => kind === 'delegated' && resource === own && id === 'Application.ReadWrite.All',
    )
  )
    return false
  if (person !== undefined && isAtLeast(person.role, 'administrator')) return false
  const caller = person?.userId ?? (actor.kind === 'application' ? actor.applicationId : '')
  if (caller === application.applicationId) return false
  const others = [...application.owners].filter((id) => id !== caller)
  const keepers = application.registrant === '' ? others : [...others, application.registrant]
  return keepers.every((id) => isAtLeast(rolesHere(id), 'administrator'))
}

/** An application has no role: of another one it gets nothing that acts for people who are more than members. */
function mayActForItsPeople(rules: Rules, { actor }: Authority, application: KnownApplication): boolean {
  if (actor.kind !== 'application' || actor.applicationId === application.applicationId) return true
  return heldBy(application).every(
    (ref) => ref.kind !== 'delegated' || (definitionOf(rules, ref)?.role ?? 'member') === 'member',
  )
}

/** The ceiling over one that was deleted: it holds nothing any more, and is judged by what it held. */
export function mayRevive(
  rules: Rules,
  authority: Authority,
  { forAll, ofPeople }: { forAll: readonly PermissionName[]; ofPeople: readonly PermissionName[] },
  isOperator: boolean,
): boolean {
  const { actor, person } = authority
  const all = [...forAll, ...ofPeople]
  const isAdministrator = person !== undefined && isAtLeast(person.role, 'administrator')
  const isDelegated = ({ kind }: PermissionName) => kind === 'delegated'
  if (!all.every((ref) => mayUse(rules, authority, ref, isOperator))) return false
  if (!isAdministrator && all.some((ref) => isDelegated(ref) && changesApplications(rules, ref))) return false
  const ofMembers = (ref: PermissionName) => (definitionOf(rules, ref)?.role ?? 'member') === 'member'
  if (actor.kind === 'application' && !all.filter(isDelegated).every(ofMembers)) return false
  return person === undefined || isAdministrator || !ofPeople.some((ref) => needsAdministrator(rules, ref))
}

const changesApplications = ({ own }: Rules, { resource, id }: PermissionName) =>
  resource === own && id === 'Application.ReadWrite.All'

const heldBy = ({ granted, consented }: KnownApplication): PermissionName[] => [
  ...[...granted.values()].flat(),
  ...consented.map(({ permission }) => permission),
]

function mayUse(
  rules: Rules,
  { actor, person, token, held }: Authority,
  ref: PermissionName,
  isOperator: boolean,
): boolean {
  const definition = definitionOf(rules, ref)
  if (isServer(rules, ref) && !isOperator) return false
  if (definition === undefined) return person !== undefined && isAtLeast(person.role, 'administrator')
  if (person !== undefined && !isAtLeast(person.role, definition.role)) return false
  if (token === undefined) return true
  const isCommandLine = actor.kind === 'delegated' && actor.applicationId === commandLineClient.applicationId
  if (isCommandLine && !isManagement(rules, ref)) return true
  // Every token of this server is for one API; those here are for its own.
  const kind = actor.kind === 'application' ? 'application' : 'delegated'
  return ref.resource === rules.own && covers(rules, held, kind, ref.resource, ref.id)
}

function isManagement({ own }: Rules, { resource, id }: PermissionName): boolean {
  return resource === own && managementPermissions(own).some((one) => one.id === id)
}

/** Listing: of what an application gets, what people could allow it alone is within the lister's own role. */
export function mayList(
  rules: Rules,
  { person }: Authority,
  refs: readonly PermissionName[],
  isOperator: boolean,
): boolean {
  return refs.every((ref) => {
    if (isServer(rules, ref)) return isOperator
    const definition = definitionOf(rules, ref)
    if (definition === undefined || needsAdministrator(rules, ref)) return true
    return isAtLeast(person?.role ?? 'member', definition.role)
  })
}

/** Anyone who consents for a tenant could use it. */
export function mayConsentTo(rules: Rules, role: Role, ref: PermissionName): boolean {
  const definition = definitionOf(rules, ref)
  return definition === undefined || isAtLeast(role, definition.role)
}

/** Nobody gives, takes or changes a role above their own; an application is a member. */
export const mayGive = ({ person }: Authority, role: Role): boolean => isAtLeast(person?.role ?? 'member', role)

/** Those of `refs` that are not in `before`. */
export function added(before: readonly PermissionName[], refs: readonly PermissionName[]): PermissionName[] {
  return refs.filter((ref) => !before.some((one) => same(one, ref)))
}

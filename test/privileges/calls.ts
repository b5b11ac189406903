// The calls that are made at random, each with what the model says to it and what it may add to the world.

import { randomUUID } from 'node:crypto'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import {
  type Actor,
  added,
  covers,
  isActingOperator,
  isAtLeast,
  isServer,
  mayChange,
  mayConsentTo,
  mayEquip,
  mayGive,
  mayList,
  type Standing,
  standingOf,
} from './model.js'
import type { Chance } from './random.js'
import type { KnownApplication, KnownPerson, PermissionName, Snapshot } from './snapshot.js'
import { spelled } from './snapshot.js'
import type { World } from './world.js'

/** What the model says: done, 403, 404, or not done because the answer would have had somebody's link (409). */
export type Verdict = 'may' | 'refused' | 'gone' | 'no link'

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  verdict: Verdict
  /** Whether it may add this fact when it is done. */
  gives(fact: string): boolean
  /** The application of which the actor has a credential, or a way to one, when it is done; `new`: the one in the answer. */
  holds?: string
}

/** Everything that a call is made up from. */
export interface Making {
  world: World
  snapshot: Snapshot
  actor: Actor
  standing: Standing | undefined
  chance: Chance
}

type Maker = (making: Making) => Call

const none = () => false
const starts =
  (...beginnings: string[]) =>
  (fact: string) =>
    beginnings.some((beginning) => fact.startsWith(beginning))

/** So few that the same ones are met again and again. */
const mostApplications = 8

/** A call by chance. */
export function makeCall(world: World, snapshot: Snapshot, actor: Actor, chance: Chance): Call {
  const standing = standingOf(world.rules, snapshot, actor)
  const isFull = snapshot.applications.size >= mostApplications
  const choice = isFull ? makers.filter((maker) => maker !== create) : makers
  return chance.pick(choice)({ world, snapshot, actor, standing, chance })
}

/** Asks first what every route asks: the permission, then being an operator; `then` says the rest. */
function asked(
  making: Making,
  needs: { permission: string; operator?: boolean; reading?: boolean },
  then: (standing: Standing, isOperator: boolean) => Verdict | boolean,
): Verdict {
  const { world, standing, actor } = making
  if (standing === undefined) return 'refused'
  const kind = actor.kind === 'application' ? 'application' : 'delegated'
  if (!covers(world.rules, standing.held, kind, world.rules.own, needs.permission)) return 'refused'
  const isOperator = isActingOperator(world.rules, standing, needs.reading === true)
  if (needs.operator === true && !isOperator) return 'refused'
  const said = then(standing, isOperator)
  return typeof said === 'boolean' ? (said ? 'may' : 'refused') : said
}

const changing = { permission: 'Application.ReadWrite.All' }
const managing = { permission: 'Member.ReadWrite.All' }

/** More often one of the actor's own, where mistakes in the ceiling show. */
function anApplication({ snapshot, actor, chance }: Making): KnownApplication | undefined {
  const all = [...snapshot.applications.values()]
  const me = actor.kind === 'application' ? actor.applicationId : actor.userId
  const own = chance.next() < 0.4 ? all.filter(({ owners }) => owners.has(me)) : []
  const near = chance.next() < 0.8 ? all.filter(({ home }) => home === actor.tenantId) : []
  return chance.pick(own.length > 0 ? own : near.length > 0 ? near : all)
}

const pathOf = (application: KnownApplication | undefined) =>
  `/applications/${application?.applicationId ?? randomUUID()}`

/** Of an application of the caller's tenant only. */
function ofOwn(
  application: KnownApplication | undefined,
  standing: Standing,
  then: (application: KnownApplication) => Verdict | boolean,
): Verdict | boolean {
  return application?.home === standing.tenantId ? then(application) : 'gone'
}

function input({ world, chance }: Making): PermissionName[] {
  return chance.some(world.refs, 0.15)
}

const create: Maker = (making) => {
  const { world, snapshot, actor, chance } = making
  const permissions = chance.next() < 0.5 ? input(making) : []
  const consent = chance.next() < 0.2
  const verdict = asked(making, changing, (standing, isOperator) => {
    const isConsented = !consent || mayConsent(making, standing, permissions, isOperator)
    return isConsented && mayList(world.rules, standing, permissions, isOperator)
  })
  const me = actor.kind === 'application' ? actor.applicationId : actor.userId
  return {
    ...{ method: 'POST', path: '/applications', verdict, holds: 'new' },
    body: { name: `app ${randomUUID()}`, type: 'web', permissions, ...(consent ? { consent } : {}) },
    gives(fact) {
      const [what = '', id = '', third = ''] = fact.split(' ')
      if (snapshot.applications.has(id)) return false
      if (what === 'owner') return third === me
      if (what === 'granted') return consent && third === actor.tenantId
      return ['application', 'live', 'configured', 'secret'].includes(what)
    },
  }
}

const change: Maker = (making) => {
  const application = anApplication(making)
  const { world, chance } = making
  const uri = `https://${randomUUID()}.example/back`
  const body = chance.pick<Record<string, unknown>>([
    { redirectUris: [uri] },
    { state: 'enabled' },
    { state: 'disabled' },
    { name: `app ${randomUUID()}` },
    { requirePkce: false },
    { authMethod: 'secret', state: 'disabled' },
  ])
  const isHarmless = body['name'] !== undefined || (body['state'] === 'disabled' && body['authMethod'] === undefined)
  const verdict = asked(making, changing, (standing, isOperator) =>
    ofOwn(
      application,
      standing,
      (one) => mayChange(standing, one) && (isHarmless || mayEquip(world.rules, standing, one, isOperator)),
    ),
  )
  const id = application?.applicationId ?? ''
  const holds = body['redirectUris'] === undefined ? {} : { holds: id }
  return {
    method: 'PATCH',
    path: pathOf(application),
    body,
    verdict,
    gives: starts(`redirect ${id} `, `live ${id}`),
    ...holds,
  }
}

const remove: Maker = (making) => {
  const application = anApplication(making)
  const verdict = asked(making, changing, (standing) => ofOwn(application, standing, (one) => mayChange(standing, one)))
  return { method: 'DELETE', path: pathOf(application), verdict, gives: none }
}

const configure: Maker = (making) => {
  const application = anApplication(making)
  const { world, chance } = making
  const kept = chance.some(application?.configured ?? [], 0.7)
  const more = added(kept, input(making))
  const permissions = [...kept, ...more]
  const verdict = asked(making, changing, (standing, isOperator) =>
    ofOwn(application, standing, (one) => {
      if (!mayChange(standing, one)) return false
      const fresh = added(one.configured, permissions)
      if (fresh.length === 0) return true
      return mayList(world.rules, standing, fresh, isOperator) && mayEquip(world.rules, standing, one, isOperator)
    }),
  )
  const id = application?.applicationId ?? ''
  const path = `${pathOf(application)}/permissions`
  const gives = (fact: string) => permissions.some((ref) => fact === `configured ${id} ${spelled(ref)}`)
  return { method: 'PUT', path, body: { permissions }, verdict, gives }
}

/** What lets somebody be the application. */
function equipping(path: string, body: (making: Making) => unknown, fact: string, peopleOnly = false): Maker {
  return (making) => {
    const application = anApplication(making)
    const verdict = asked(making, changing, (standing, isOperator) =>
      ofOwn(application, standing, (one) => {
        if (peopleOnly && standing.person === undefined) return false
        return mayChange(standing, one) && mayEquip(making.world.rules, standing, one, isOperator)
      }),
    )
    const id = application?.applicationId ?? ''
    const gives = fact === '' ? none : starts(`${fact} ${id} `)
    return { method: 'POST', path: pathOf(application) + path, body: body(making), verdict, gives, holds: id }
  }
}

const addSecret = equipping('/secrets', ({ chance }) => (chance.next() < 0.3 ? { rotate: true } : {}), 'secret')
const token = equipping('/token', () => ({}), '', true)
const trust = equipping(
  '/federatedCredentials',
  () => ({ name: 'x', issuer: 'https://issuer.example', subject: randomUUID() }),
  'federated',
)

const addOwner: Maker = (making) => {
  const { snapshot, chance, world } = making
  const application = anApplication(making)
  const person = chance.pick([...snapshot.people.keys()])
  const other = chance.pick([...snapshot.applications.keys()])
  const isPerson = other === undefined || chance.next() < 0.7
  const verdict = asked(making, changing, (standing, isOperator) =>
    ofOwn(application, standing, (one) => mayChange(standing, one) && mayEquip(world.rules, standing, one, isOperator)),
  )
  const owner = isPerson ? person : other
  const gives = (fact: string) => fact === `owner ${application?.applicationId} ${owner}`
  const body = isPerson ? { userId: owner } : { applicationId: owner }
  return { method: 'POST', path: `${pathOf(application)}/owners`, body, verdict, gives }
}

const removeOwner: Maker = (making) => {
  const application = anApplication(making)
  const owner = making.chance.pick([...(application?.owners ?? [])]) ?? randomUUID()
  const verdict = asked(making, changing, (standing) =>
    ofOwn(application, standing, (one) => mayChange(standing, one) && (one.owners.has(owner) || 'gone')),
  )
  return { method: 'DELETE', path: `${pathOf(application)}/owners/${owner}`, verdict, gives: none }
}

function mayConsent(
  { world }: Making,
  standing: Standing,
  permissions: readonly PermissionName[],
  isOperator: boolean,
  before: readonly PermissionName[] = [],
): boolean {
  const { person, held } = standing
  if (person === undefined || !isAtLeast(person.role, 'administrator')) return false
  if (!covers(world.rules, held, 'delegated', world.rules.own, 'Consent.ReadWrite.All')) return false
  if (!added(before, permissions).every((ref) => mayConsentTo(world.rules, person.role, ref))) return false
  return isOperator || !permissions.some((ref) => isServer(world.rules, ref))
}

const consent: Maker = (making) => {
  const { chance } = making
  const application = anApplication(making)
  const all = chance.next() < 0.5
  const permissions = all ? (application?.configured ?? []) : chance.some(application?.configured ?? [], 0.5)
  const verdict = asked(making, { permission: 'Consent.ReadWrite.All' }, (standing, isOperator) =>
    ofOwn(application, standing, (one) =>
      mayConsent(making, standing, permissions, isOperator, one.granted.get(standing.tenantId)),
    ),
  )
  const begins = `granted ${application?.applicationId} ${making.actor.tenantId} `
  const gives = (fact: string) => permissions.some((ref) => fact === begins + spelled(ref))
  return { method: 'POST', path: `${pathOf(application)}/consents`, body: all ? {} : { permissions }, verdict, gives }
}

const withdraw: Maker = (making) => {
  const application = anApplication(making)
  const verdict = asked(making, { permission: 'Consent.ReadWrite.All' }, (standing) =>
    ofOwn(application, standing, () => true),
  )
  return { method: 'DELETE', path: `${pathOf(application)}/consents/${making.actor.tenantId}`, verdict, gives: none }
}

const somebody = ({ snapshot, chance }: Making): KnownPerson => chance.pick([...snapshot.people.values()])
const roles = ['member', 'developer', 'administrator', 'owner'] as const

const changeRole: Maker = (making) => {
  const { userId, roles: known } = somebody(making)
  const { world, chance } = making
  const tenantId = chance.next() < 0.8 ? making.actor.tenantId : chance.pick(world.tenants)
  const role = chance.next() < 0.8 ? chance.pick(roles) : undefined
  const verdict = asked(making, managing, (standing) => {
    const now = known.get(tenantId)
    if (tenantId !== standing.tenantId || now === undefined) return 'gone'
    return mayGive(standing, now) && (role === undefined || mayGive(standing, role))
  })
  const path = `/tenants/${tenantId}/memberships/${userId}`
  if (role === undefined) return { method: 'DELETE', path, verdict, gives: none }
  return {
    method: 'PATCH',
    path,
    body: { role },
    verdict,
    gives: (fact) => fact === `role ${tenantId} ${userId} ${role}`,
  }
}

const addMember: Maker = (making) => {
  const { userId } = somebody(making)
  const { world, chance, snapshot } = making
  const tenantId = chance.pick(world.tenants)
  const role = chance.pick(roles)
  const hasOwner = [...snapshot.people.values()].some((one) => one.roles.get(tenantId) === 'owner')
  const verdict = asked(making, { permission: 'Server.ReadWrite', operator: true }, (standing) =>
    tenantId === standing.tenantId ? mayGive(standing, role) : !hasOwner,
  )
  const gives = (fact: string) => fact === `role ${tenantId} ${userId} ${role}`
  return { method: 'POST', path: `/tenants/${tenantId}/memberships`, body: { userId, role }, verdict, gives }
}

/** The account of somebody below, who belongs here alone. */
function mayManage(standing: Standing, person: KnownPerson, isOperator: boolean): Verdict | boolean {
  if (!person.roles.has(standing.tenantId)) return 'gone'
  if (person.roles.size > 1 || (person.isOperator && !isOperator)) return false
  return [...person.roles.values()].every((role) => mayGive(standing, role))
}

const changePerson: Maker = (making) => {
  const person = somebody(making)
  const { userId } = person
  const body = making.chance.pick<Record<string, unknown>>([
    { operator: true },
    { operator: false },
    { state: 'disabled' },
    { state: 'enabled' },
    { name: 'Somebody' },
    { operator: true, state: 'enabled' },
  ])
  const verdict = asked(making, managing, (standing, isOperator) => {
    if (body['operator'] !== undefined && !isOperator) return false
    return mayManage(standing, person, isOperator)
  })
  const gives = (fact: string) =>
    (body['operator'] === true && fact === `operator ${userId}`) ||
    (body['state'] === 'enabled' && fact === `enabled ${userId}`)
  return { method: 'PATCH', path: `/users/${userId}`, body, verdict, gives }
}

/** Applications get no link of anybody, whoever uses them; the command line is the person's own hand. */
const mayHoldLinks = ({ actor }: Making) =>
  actor.kind === 'session' || (actor.kind === 'delegated' && actor.applicationId === commandLineClient.applicationId)

const resetPassword: Maker = (making) => {
  const person = somebody(making)
  const verdict = asked(making, managing, (standing, isOperator) => {
    const may = mayManage(standing, person, isOperator)
    return may === true && !mayHoldLinks(making) ? 'no link' : may
  })
  const gives = starts(`link password-reset ${person.userId} `)
  return { method: 'POST', path: `/users/${person.userId}/passwordReset`, verdict, gives }
}

const endAccess: Maker = (making) => {
  const person = somebody(making)
  const isDeleted = making.chance.next() < 0.2
  const verdict = asked(making, managing, (standing, isOperator) => mayManage(standing, person, isOperator))
  const path = `/users/${person.userId}`
  if (isDeleted) return { method: 'DELETE', path, verdict, gives: none }
  return { method: 'POST', path: `${path}/signOut`, verdict, gives: none }
}

const invite: Maker = (making) => {
  const { chance, world } = making
  const role = chance.pick(roles)
  const tenantId = chance.next() < 0.8 ? making.actor.tenantId : chance.pick(world.tenants)
  const verdict = asked(making, managing, (standing) => {
    if (tenantId !== standing.tenantId) return 'gone'
    if (!mayGive(standing, role)) return false
    return mayHoldLinks(making) || 'no link'
  })
  const body = { tenantId, role, email: `${randomUUID()}@invited.test` }
  return { method: 'POST', path: '/invitations', body, verdict, gives: starts(`link invitation ${role} ${tenantId} `) }
}

const letRegister: Maker = (making) => {
  const { world, actor } = making
  const permissions = input(making)
  const verdict = asked(making, changing, (standing, isOperator) => {
    const { person } = standing
    if (person !== undefined && !isAtLeast(person.role, 'administrator')) return false
    return mayList(world.rules, standing, permissions, isOperator)
  })
  const gives = starts(`registration-token ${actor.tenantId} `)
  return { method: 'POST', path: '/registrationTokens', body: { label: 'x', permissions }, verdict, gives }
}

const reading = (permission: string, operator = false) => ({ permission, operator, reading: true })

const read: Maker = (making) => {
  const application = anApplication(making)
  const person = somebody(making)
  const tenantId = making.chance.pick(making.world.tenants)
  const get = (path: string, verdict: Verdict): Call => ({ method: 'GET', path, verdict, gives: none })
  return making.chance.pick([
    () =>
      get(
        '/applications',
        asked(making, reading('Application.Read.All'), () => true),
      ),
    () =>
      get(
        pathOf(application),
        asked(making, reading('Application.Read.All'), (who) => ofOwn(application, who, () => true)),
      ),
    () =>
      get(
        '/keys',
        asked(making, reading('Server.Read', true), () => true),
      ),
    () =>
      get(
        `/users/${person.userId}`,
        asked(making, reading('Member.Read.All'), (who) => person.roles.has(who.tenantId) || 'gone'),
      ),
    () =>
      get(
        `/tenants/${tenantId}/memberships`,
        asked(making, reading('Member.Read.All'), (who) => tenantId === who.tenantId || 'gone'),
      ),
  ])()
}

/** Those by which somebody could rise come more often. */
const makers: readonly Maker[] = [
  ...[create, create, change, change, remove, configure, configure, configure, addSecret, addSecret, token, trust],
  ...[addOwner, removeOwner],
  ...[consent, consent, consent, withdraw, changeRole, changeRole, addMember, changePerson],
  ...[resetPassword, endAccess, invite, letRegister, read],
]

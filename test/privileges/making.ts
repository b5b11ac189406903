// What a call at random is made up from, and what every route asks first.

import { randomUUID } from 'node:crypto'
import { type Actor, type Authority, covers, isActingOperator } from './model.js'
import type { Chance } from './random.js'
import type { KnownApplication, KnownPerson, PermissionName, Snapshot } from './snapshot.js'
import type { World } from './world.js'

/**
 * What the model says: done, 403, 404, not done because the answer would have had somebody's link (409), or not before
 * a second factor (401).
 */
export type Verdict = 'may' | 'refused' | 'gone' | 'no link' | 'second factor'

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  verdict: Verdict
  /** Whether it may add this fact when it is done. */
  gives(fact: string): boolean
  /**
   * The application of which the actor has a credential, or a way to one, when it is done; `new`: the one in the
   * answer.
   */
  holds?: string
  /** What has to be so when it is done; a sentence when it is not. */
  leaves?(after: Snapshot): string | undefined
}

/** Everything that a call is made up from. */
export interface Making {
  world: World
  snapshot: Snapshot
  actor: Actor
  /** Of the actor where a route takes this permission. */
  authorityFor(permission: string): Authority | undefined
  chance: Chance
}

/** Makes a call that takes `needs`. */
export interface Maker {
  needs: string
  make(making: Making): Call
}

export const none = (): boolean => false
export const starts =
  (...beginnings: string[]) =>
  (fact: string): boolean =>
    beginnings.some((beginning) => fact.startsWith(beginning))

interface Needs {
  permission: string
  operator?: boolean
  reading?: boolean
}

/** Asks first what every route asks: the permission, then being an operator; `then` says the rest. */
export function checkAuthority(
  making: Making,
  needs: Needs,
  then: (authority: Authority, isOperator: boolean) => Verdict | boolean,
): Verdict {
  const { world } = making
  const authority = making.authorityFor(needs.permission)
  if (authority === undefined || !isOpen(making, needs.permission)) return 'refused'
  const isOperator = isActingOperator(world.rules, authority, needs.reading === true)
  if (needs.operator === true && !isOperator) return 'refused'
  const said = then(authority, isOperator)
  return typeof said === 'boolean' ? (said ? 'may' : 'refused') : said
}

/** Whether the actor has the permission at all. */
export function isOpen({ world, authorityFor, actor }: Making, permission: string): boolean {
  const kind = actor.kind === 'application' ? 'application' : 'delegated'
  const held = authorityFor(permission)?.held
  return held !== undefined && covers(world.rules, held, kind, world.rules.own, permission)
}

export const changing = { permission: 'Application.ReadWrite.All' }
export const managing = { permission: 'Member.ReadWrite.All' }

/** More often one of the actor's own, where mistakes in the ceiling show. */
export function anApplication({ snapshot, actor, chance }: Making): KnownApplication | undefined {
  const all = [...snapshot.applications.values()]
  const me = actor.kind === 'application' ? actor.applicationId : actor.userId
  const own = chance.next() < 0.4 ? all.filter(({ owners }) => owners.has(me)) : []
  const near = chance.next() < 0.8 ? all.filter(({ home }) => home === actor.tenantId) : []
  return chance.pick(own.length > 0 ? own : near.length > 0 ? near : all)
}

/** More often somebody of the actor's tenant. */
export function somebody({ snapshot, actor, chance }: Making): KnownPerson {
  const all = [...snapshot.people.values()]
  const near = chance.next() < 0.7 ? all.filter(({ roles }) => roles.has(actor.tenantId)) : []
  return chance.pick(near.length > 0 ? near : all)
}

export const pathOf = (application: KnownApplication | undefined): string =>
  `/applications/${application?.applicationId ?? randomUUID()}`

/** Of an application of the caller's tenant only. */
export function ofOwn(
  application: KnownApplication | undefined,
  authority: Authority,
  then: (application: KnownApplication) => Verdict | boolean,
): Verdict | boolean {
  return application?.home === authority.tenantId ? then(application) : 'gone'
}

export function input({ world, chance }: Making): PermissionName[] {
  return chance.some(world.refs, 0.15)
}

// Calls about people: roles, accounts, invitations, and who looks after the server.

import { randomUUID } from 'node:crypto'
import { commandLineClient } from '../../src/oauth/command-line-client.js'
import {
  type Call,
  checkAuthority,
  type Maker,
  type Making,
  managing,
  none,
  somebody,
  starts,
  type Verdict,
} from './making.js'
import { type Authority, mayGive } from './model.js'
import type { KnownPerson } from './snapshot.js'

const roles = ['member', 'developer', 'administrator', 'owner'] as const

function changeRole(making: Making): Call {
  const { userId, roles: known } = somebody(making)
  const { world, chance } = making
  const tenantId = chance.next() < 0.8 ? making.actor.tenantId : chance.pick(world.tenants)
  const role = chance.next() < 0.8 ? chance.pick(roles) : undefined
  const verdict = checkAuthority(making, managing, (authority) => {
    const now = known.get(tenantId)
    if (tenantId !== authority.tenantId || now === undefined) return 'gone'
    return mayGive(authority, now) && (role === undefined || mayGive(authority, role))
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

function addMember(making: Making): Call {
  const { userId } = somebody(making)
  const { world, chance, snapshot } = making
  const tenantId = chance.pick([...world.tenants, world.empty])
  const role = chance.pick(roles)
  const hasOwner = [...snapshot.people.values()].some((one) => one.roles.get(tenantId) === 'owner')
  const verdict = checkAuthority(making, { permission: 'Server.ReadWrite', operator: true }, (authority) =>
    tenantId === authority.tenantId ? mayGive(authority, role) : !hasOwner,
  )
  const gives = (fact: string) => fact === `role ${tenantId} ${userId} ${role}`
  return { method: 'POST', path: `/tenants/${tenantId}/memberships`, body: { userId, role }, verdict, gives }
}

/** The account of somebody below, who belongs here alone. */
function mayManage(authority: Authority, person: KnownPerson, isOperator: boolean): Verdict | boolean {
  if (!person.roles.has(authority.tenantId)) return 'gone'
  if (person.roles.size > 1 || (person.isOperator && !isOperator)) return false
  return [...person.roles.values()].every((role) => mayGive(authority, role))
}

function changePerson(making: Making): Call {
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
  const verdict = checkAuthority(making, managing, (authority, isOperator) => {
    if (body['operator'] !== undefined && !isOperator) return false
    return mayManage(authority, person, isOperator)
  })
  const gives = (fact: string) =>
    (body['operator'] === true && fact === `operator ${userId}`) ||
    (body['state'] === 'enabled' && fact === `enabled ${userId}`)
  return { method: 'PATCH', path: `/users/${userId}`, body, verdict, gives }
}

/** Applications get no link of anybody, no matter who uses them; the command line is the person's own hand. */
const mayHoldLinks = ({ actor }: Making) =>
  actor.kind === 'session' || (actor.kind === 'delegated' && actor.applicationId === commandLineClient.applicationId)

function resetPassword(making: Making): Call {
  const person = somebody(making)
  const verdict = checkAuthority(making, managing, (authority, isOperator) => {
    const may = mayManage(authority, person, isOperator)
    return may === true && !mayHoldLinks(making) ? 'no link' : may
  })
  const gives = starts(`link password-reset ${person.userId} `)
  return { method: 'POST', path: `/users/${person.userId}/passwordReset`, verdict, gives }
}

/** For oneself nobody makes one; an account that others have too may get one, for it takes its person to use it. */
function linkProvider(making: Making): Call {
  const { userId, roles: known } = somebody(making)
  const { chance, world } = making
  const tenantId = chance.next() < 0.8 ? making.actor.tenantId : chance.pick(world.tenants)
  const verdict = checkAuthority(making, managing, (authority) => {
    const role = known.get(authority.tenantId)
    if (role === undefined || tenantId !== authority.tenantId) return 'gone'
    if (authority.person?.userId === userId) return false
    return mayHoldLinks(making) ? mayGive(authority, role) : 'no link'
  })
  const gives = starts(`link invitation of the known ${userId} ${tenantId} `)
  const body = { tenantId, email: `${randomUUID()}@there.test` }
  return { method: 'POST', path: `/users/${userId}/providerLink`, body, verdict, gives }
}

/** How people sign in is a policy of the tenant: its administrators', and an operator's. */
function chooseWays(making: Making): Call {
  const { chance, world } = making
  const tenantId = chance.pick(world.tenants)
  const body = chance.pick<Record<string, unknown>>([{ ownSignIn: 'allowed' }, { signInProviders: null }])
  const verdict = checkAuthority(making, { permission: 'Tenant.ReadWrite.All' }, (authority, isOperator) =>
    tenantId === authority.tenantId || isOperator ? true : 'gone',
  )
  return { method: 'PATCH', path: `/tenants/${tenantId}`, body, verdict, gives: none }
}

function endAccess(making: Making): Call {
  const person = somebody(making)
  const isDeleted = making.chance.next() < 0.2
  const verdict = checkAuthority(making, managing, (authority, isOperator) => mayManage(authority, person, isOperator))
  const path = `/users/${person.userId}`
  if (isDeleted) return { method: 'DELETE', path, verdict, gives: none }
  return { method: 'POST', path: `${path}/signOut`, verdict, gives: none }
}

function invite(making: Making): Call {
  const { chance, world } = making
  const role = chance.pick(roles)
  const tenantId = chance.next() < 0.8 ? making.actor.tenantId : chance.pick(world.tenants)
  const verdict = checkAuthority(making, managing, (authority) => {
    if (tenantId !== authority.tenantId) return 'gone'
    if (!mayGive(authority, role)) return false
    return mayHoldLinks(making) || 'no link'
  })
  const body = { tenantId, role, email: `${randomUUID()}@invited.test` }
  return { method: 'POST', path: '/invitations', body, verdict, gives: starts(`link invitation ${role} ${tenantId} `) }
}

const needs = managing.permission

/** Those by which somebody could rise come more often. */
export const peopleMakers: readonly Maker[] = [
  ...[changeRole, changeRole, changeRole, changePerson, changePerson, resetPassword, endAccess, invite, invite].map(
    (make): Maker => ({ needs, make }),
  ),
  { needs, make: linkProvider },
  { needs: 'Tenant.ReadWrite.All', make: chooseWays },
  { needs: 'Server.ReadWrite', make: addMember },
]

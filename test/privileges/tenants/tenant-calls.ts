// Calls about tenants as a whole: who brings in the first owner, who demands a second factor of its people, which links
// nobody gets from afar, and the check of a provider.

import { randomUUID } from 'node:crypto'
import { commandLineClient } from '../../../src/oauth/command-line-client.js'
import { type Call, checkAuthority, type Maker, type Making, none, starts } from '../making.js'
import { mayGive } from '../model.js'

const server = { permission: 'Server.ReadWrite', operator: true }
const changing = { permission: 'Tenant.ReadWrite.All' }
const roles = ['owner', 'owner', 'administrator', 'member'] as const

/**
 * An operator brings an owner, and nobody else, into a tenant to which nobody belongs; they have the link in their own
 * hand only.
 */
function inviteFirst(making: Making): Call {
  const { world, snapshot, actor, chance } = making
  const tenantId = world.empty
  const role = chance.pick(roles)
  const isEmpty = ![...snapshot.people.values()].some((one) => one.roles.has(tenantId))
  const isOwnHand =
    actor.kind === 'session' || (actor.kind === 'delegated' && actor.applicationId === commandLineClient.applicationId)
  const verdict = checkAuthority(making, { permission: 'Member.ReadWrite.All' }, (authority, isOperator) => {
    const isFirst = isOperator && isEmpty && role === 'owner'
    if (!isFirst && tenantId !== authority.tenantId) return 'gone'
    if (!isFirst && !mayGive(authority, role)) return false
    return isOwnHand || 'no link'
  })
  const body = { tenantId, role, email: `${randomUUID()}@invited.test` }
  return { method: 'POST', path: '/invitations', body, verdict, gives: starts(`link invitation ${role} ${tenantId} `) }
}

/** Its administrators, and operators; switching it is for operators. */
function change(making: Making): Call {
  const { world, actor, chance } = making
  const tenantId = chance.next() < 0.6 ? actor.tenantId : chance.pick([...world.tenants, world.empty])
  // A demand that holds for nobody here would show nothing, one that holds for all would end the game.
  const body = chance.pick<Record<string, unknown>>([
    { secondFactor: 'owner' },
    { secondFactor: 'administrator' },
    { secondFactor: 'none' },
    { secondFactor: 'none' },
    { state: 'enabled' },
    { secondFactor: 'none', state: 'enabled' },
  ])
  const verdict = checkAuthority(making, changing, (authority, isOperator) => {
    if (!isOperator && tenantId !== authority.tenantId) return 'gone'
    return isOperator || body['state'] === undefined
  })
  const gives = (fact: string) => fact === `demand ${tenantId} ${body['secondFactor']}`
  return { method: 'PATCH', path: `/tenants/${tenantId}`, body, verdict, gives }
}

/** These make owners, and take away the factors of somebody else: only at the local socket. */
function linkOfOwner(making: Making): Call {
  const { world, snapshot, chance } = making
  const isSetUp = chance.next() < 0.3
  const body = { tenantId: chance.pick(world.tenants), email: `${chance.pick([...snapshot.people.keys()])}@world.test` }
  const path = isSetUp ? '/setUpLinks' : '/recoveryLinks'
  return { method: 'POST', path, ...(isSetUp ? {} : { body }), verdict: 'refused', gives: none }
}

/** There is none in this world, which only those learn who may know. */
function checkProvider(making: Making): Call {
  const verdict = checkAuthority(making, server, () => 'gone')
  return { method: 'POST', path: '/providers/corp/check', verdict, gives: none }
}

function readProviders(making: Making): Call {
  const verdict = checkAuthority(making, { permission: 'Server.Read', operator: true, reading: true }, () => 'may')
  return { method: 'GET', path: '/providers', verdict, gives: none }
}

export const tenantMakers: readonly Maker[] = [
  { needs: 'Member.ReadWrite.All', make: inviteFirst },
  { needs: changing.permission, make: change },
  { needs: server.permission, make: inviteFirst },
  { needs: server.permission, make: linkOfOwner },
  { needs: server.permission, make: checkProvider },
  { needs: 'Server.Read', make: readProviders },
]

// Calls about brands: what pages of a tenant look like, and what an application says of itself.

import {
  anApplication,
  type Call,
  changing,
  checkAuthority,
  type Maker,
  type Making,
  none,
  ofOwn,
  pathOf,
} from './making.js'
import { mayChange } from './model.js'

const [reads, writes] = ['Tenant.Read.All', 'Tenant.ReadWrite.All']
const terms = ['https://one.example/', 'https://two.example/', 'https://three.example/']

function aTenant({ world, actor, chance }: Making): string {
  return chance.next() < 0.6 ? actor.tenantId : chance.pick(world.tenants)
}

/** Administrators of the tenant; operators do not say what it looks like. */
function changeTenant(making: Making): Call {
  const tenantId = aTenant(making)
  const body = { terms: making.chance.pick(terms), accent: null }
  const verdict = checkAuthority(making, { permission: writes }, (authority) =>
    authority.tenantId === tenantId ? 'may' : 'gone',
  )
  const gives = (fact: string) => fact === `brand ${tenantId} ${body.terms}`
  return { method: 'PATCH', path: `/tenants/${tenantId}/brand`, body, verdict, gives }
}

/** Operators take one away that imitates another. */
function removeOfTenant(making: Making): Call {
  const tenantId = aTenant(making)
  const verdict = checkAuthority(making, { permission: writes }, (authority, isOperator) =>
    isOperator || authority.tenantId === tenantId ? 'may' : 'gone',
  )
  return { method: 'DELETE', path: `/tenants/${tenantId}/brand`, verdict, gives: none }
}

function readOfTenant(making: Making): Call {
  const tenantId = aTenant(making)
  const verdict = checkAuthority(making, { permission: reads, reading: true }, (authority, isOperator) =>
    isOperator || authority.tenantId === tenantId ? 'may' : 'gone',
  )
  return { method: 'GET', path: `/tenants/${tenantId}/brand`, verdict, gives: none }
}

/** It gives nobody a token or a code, so the ceiling says nothing to it. */
function ofApplication(making: Making): Call {
  const application = anApplication(making)
  const isChanged = making.chance.next() < 0.7
  const verdict = checkAuthority(making, changing, (authority) =>
    ofOwn(application, authority, (one) => mayChange(authority, one)),
  )
  const path = `${pathOf(application)}/brand`
  if (!isChanged) return { method: 'DELETE', path, verdict, gives: none }
  const body = { terms: making.chance.pick(terms) }
  const gives = (fact: string) => fact === `brand ${application?.applicationId} ${body.terms}`
  return { method: 'PATCH', path, body, verdict, gives }
}

/** Operators take away that of any tenant and any application, and say why. */
function takeAway(making: Making): Call {
  const application = making.chance.next() < 0.5 ? anApplication(making) : undefined
  const path = application === undefined ? `/tenants/${aTenant(making)}` : pathOf(application)
  const verdict = checkAuthority(making, { permission: 'Server.ReadWrite', operator: true }, () => 'may')
  return { method: 'POST', path: `${path}/brand/removal`, body: { reason: 'It imitates.' }, verdict, gives: none }
}

export const brandMakers: readonly Maker[] = [
  { needs: writes, make: changeTenant },
  { needs: writes, make: removeOfTenant },
  { needs: reads, make: readOfTenant },
  { needs: changing.permission, make: ofApplication },
  { needs: 'Server.ReadWrite', make: takeAway },
]

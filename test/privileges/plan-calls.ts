// Calls about plans: choosing one, numbers of one application's own, requesting and deciding.

import { randomUUID } from 'node:crypto'
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
  type Verdict,
} from './making.js'
import { type Authority, covers, isAtLeast, mayChange } from './model.js'
import type { KnownApplication } from './snapshot.js'

/** Whose word puts an application on each plan: 0 developers, 1 administrators, 2 operators. */
const levels: Readonly<Record<string, number>> = { free: 0, team: 1, partner: 2 }
const names = Object.keys(levels)

/** An administrator decides only with what lets them consent; an application as itself has the word of developers. */
function wordOf({ world }: Making, { person, held }: Authority, isOperator: boolean): number {
  if (isOperator) return 2
  if (person === undefined || !isAtLeast(person.role, 'administrator')) return 0
  return covers(world.rules, held, 'delegated', world.rules.own, 'Consent.ReadWrite.All') ? 1 : 0
}

/** Both the plan that it comes to and the one that it leaves are theirs to give. */
function mayMove(word: number, from: string, to: string): boolean {
  return from === to || [from, to].every((plan) => word >= (levels[plan] ?? 0))
}

function choose(making: Making): Call {
  const application = anApplication(making)
  const { chance } = making
  const plan = chance.next() < 0.8 ? chance.pick(names) : null
  const numbers = { limits: {}, concurrent: 1 + Math.floor(chance.next() * 9) }
  const overrides = chance.next() < 0.2 ? numbers : undefined
  const decide = (one: KnownApplication, authority: Authority, isOperator: boolean): Verdict | boolean => {
    if (overrides !== undefined && !isOperator) return false
    if (!isOperator && !mayChange(authority, one)) return false
    return mayMove(wordOf(making, authority, isOperator), one.plan, plan ?? '')
  }
  const verdict = checkAuthority(making, changing, (authority, isOperator) => {
    if (isOperator) return application === undefined ? 'gone' : decide(application, authority, true)
    return ofOwn(application, authority, (one) => decide(one, authority, false))
  })
  const id = application?.applicationId ?? ''
  return {
    ...{ method: 'PUT', path: `${pathOf(application)}/plan`, verdict },
    body: { plan, ...(overrides === undefined ? {} : { overrides }) },
    gives: (fact) =>
      fact === `plan ${id} ${plan}` || (overrides !== undefined && fact.startsWith(`plan-numbers ${id} `)),
  }
}

function request(making: Making): Call {
  const application = anApplication(making)
  const verdict = checkAuthority(making, changing, (authority) =>
    ofOwn(application, authority, (one) => mayChange(authority, one)),
  )
  const body = { plan: making.chance.pick(names), reason: 'We grow' }
  return { method: 'POST', path: `${pathOf(application)}/planRequest`, body, verdict, gives: none }
}

function decide(making: Making): Call {
  const { snapshot, chance } = making
  const waiting = [...snapshot.applications.values()].filter(({ planRequest }) => planRequest !== undefined)
  const application = chance.pick(waiting)
  const requested = application?.planRequest
  const verb = chance.next() < 0.7 ? 'approve' : 'decline'
  const verdict = checkAuthority(making, { permission: 'Tenant.Read.All' }, (authority, isOperator) => {
    const word = wordOf(making, authority, isOperator)
    if (word === 0) return false
    if (application === undefined || requested === undefined) return 'gone'
    if (!isOperator && application.home !== authority.tenantId) return 'gone'
    return verb === 'approve' ? mayMove(word, application.plan, requested.plan) : mayMove(word, requested.plan, '')
  })
  const path = `/planRequests/${requested?.requestId ?? randomUUID()}/${verb}`
  const given = `plan ${application?.applicationId} ${requested?.plan}`
  return { method: 'POST', path, verdict, gives: (fact) => verb === 'approve' && fact === given }
}

export const planMakers: readonly Maker[] = [
  ...[choose, choose, request].map((make) => ({ needs: changing.permission, make })),
  { needs: 'Tenant.Read.All', make: decide },
]

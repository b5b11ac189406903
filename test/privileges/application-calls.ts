// Calls about applications: registering, changing, equipping, owning, consenting and letting others register.

import { randomUUID } from 'node:crypto'
import {
  anApplication,
  type Call,
  changing,
  checkAuthority,
  input,
  type Maker,
  type Making,
  none,
  ofOwn,
  pathOf,
  starts,
} from './making.js'
import {
  type Authority,
  added,
  covers,
  isAtLeast,
  isServer,
  mayChange,
  mayConsentTo,
  mayEquip,
  mayList,
} from './model.js'
import { type PermissionName, type Snapshot, spelled } from './snapshot.js'

function create(making: Making): Call {
  const { world, snapshot, actor, chance } = making
  const permissions = chance.next() < 0.5 ? input(making) : []
  const consent = chance.next() < 0.2
  const verdict = checkAuthority(making, changing, (authority, isOperator) => {
    const isConsented = !consent || mayConsent(making, authority, permissions, isOperator)
    return isConsented && mayList(world.rules, authority, permissions, isOperator)
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
      return ['application', 'live', 'configured', 'secret', 'device-codes'].includes(what)
    },
  }
}

function change(making: Making): Call {
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
    { deviceCodes: 'off' },
    { verified: true, publisher: 'Somebody' },
    { deviceCodes: 'allowed' },
  ])
  const isVouching = body['verified'] !== undefined
  const isSwitchingOff =
    (body['state'] === 'disabled' && body['authMethod'] === undefined) || body['deviceCodes'] === 'off'
  const isHarmless = body['name'] !== undefined || isSwitchingOff || isVouching
  const verdict = checkAuthority(making, changing, (authority, isOperator) =>
    ofOwn(
      application,
      authority,
      (one) =>
        mayChange(authority, one) &&
        (isOperator || !isVouching) &&
        (isHarmless || mayEquip(world.rules, authority, one, isOperator)),
    ),
  )
  const id = application?.applicationId ?? ''
  const holds = body['redirectUris'] === undefined ? {} : { holds: id }
  return {
    method: 'PATCH',
    path: pathOf(application),
    body,
    verdict,
    gives: starts(`redirect ${id} `, `live ${id}`, `device-codes ${id}`, `verified ${id}`),
    ...holds,
    leaves(after) {
      if (body['redirectUris'] === undefined || (after.applications.get(id)?.epoch ?? 0) > (application?.epoch ?? 0))
        return
      return 'people are not prompted again for a new origin'
    },
  }
}

function remove(making: Making): Call {
  const application = anApplication(making)
  const verdict = checkAuthority(making, changing, (authority) =>
    ofOwn(application, authority, (one) => mayChange(authority, one)),
  )
  return { method: 'DELETE', path: pathOf(application), verdict, gives: none }
}

function configure(making: Making): Call {
  const application = anApplication(making)
  const { world, chance } = making
  const kept = chance.some(application?.configured ?? [], 0.7)
  const more = added(kept, input(making))
  const permissions = [...kept, ...more]
  const verdict = checkAuthority(making, changing, (authority, isOperator) =>
    ofOwn(application, authority, (one) => {
      if (!mayChange(authority, one)) return false
      const fresh = added(one.configured, permissions)
      if (fresh.length === 0) return true
      return mayList(world.rules, authority, fresh, isOperator) && mayEquip(world.rules, authority, one, isOperator)
    }),
  )
  const id = application?.applicationId ?? ''
  const path = `${pathOf(application)}/permissions`
  const gives = (fact: string) => permissions.some((ref) => fact === `configured ${id} ${spelled(ref)}`)
  return { method: 'PUT', path, body: { permissions }, verdict, gives }
}

/** It lists what is missing, as configure does, and gives nothing else, no matter who requests it. */
function requestAccess(making: Making): Call {
  const application = anApplication(making)
  const { world, actor } = making
  const permissions = input(making)
  const verdict = checkAuthority(making, changing, (authority, isOperator) =>
    ofOwn(application, authority, (one) => {
      if (actor.kind === 'application') return false
      const fresh = added(one.configured, permissions)
      if (fresh.length === 0) return true
      if (!mayChange(authority, one)) return false
      return mayList(world.rules, authority, fresh, isOperator) && mayEquip(world.rules, authority, one, isOperator)
    }),
  )
  const id = application?.applicationId ?? ''
  const gives = (fact: string) => permissions.some((ref) => fact === `configured ${id} ${spelled(ref)}`)
  return { method: 'POST', path: `${pathOf(application)}/consentRequests`, body: { permissions }, verdict, gives }
}

/** Each takes back only what they requested themselves, also when the application is theirs no more. */
function takeBack(making: Making): Call {
  const { snapshot, chance } = making
  const waiting = [...snapshot.applications.values()].filter(({ consentRequests }) => consentRequests.length > 0)
  const application = chance.pick(waiting)
  const request = chance.pick(application?.consentRequests ?? [])
  const verdict = checkAuthority(making, changing, (authority) =>
    ofOwn(application, authority, () => {
      if (authority.person === undefined) return false
      if (request?.tenantId !== authority.tenantId) return 'gone'
      return making.actor.kind !== 'application' && request.requestedBy === making.actor.userId
    }),
  )
  const path = `${pathOf(application)}/consentRequests/${request?.requestId ?? randomUUID()}`
  const leaves = (after: Snapshot) =>
    after.applications
      .get(application?.applicationId ?? '')
      ?.consentRequests.some(({ requestId }) => requestId === request?.requestId)
      ? 'what was taken back still waits'
      : undefined
  return { method: 'DELETE', path, verdict, gives: none, leaves }
}

/** What lets somebody be the application. */
function equipping(
  path: string,
  body: (making: Making) => unknown,
  fact: string,
  peopleOnly = false,
): (making: Making) => Call {
  return (making) => {
    const application = anApplication(making)
    const verdict = checkAuthority(making, changing, (authority, isOperator) =>
      ofOwn(application, authority, (one) => {
        if (peopleOnly && authority.person === undefined) return false
        return mayChange(authority, one) && mayEquip(making.world.rules, authority, one, isOperator)
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

function addOwner(making: Making): Call {
  const { snapshot, chance, world } = making
  const application = anApplication(making)
  const person = chance.pick([...snapshot.people.keys()])
  const other = chance.pick([...snapshot.applications.keys()])
  const isPerson = other === undefined || chance.next() < 0.7
  const verdict = checkAuthority(making, changing, (authority, isOperator) =>
    ofOwn(
      application,
      authority,
      (one) => mayChange(authority, one) && mayEquip(world.rules, authority, one, isOperator),
    ),
  )
  const owner = isPerson ? person : other
  const gives = (fact: string) => fact === `owner ${application?.applicationId} ${owner}`
  const body = isPerson ? { userId: owner } : { applicationId: owner }
  return { method: 'POST', path: `${pathOf(application)}/owners`, body, verdict, gives }
}

function removeOwner(making: Making): Call {
  const application = anApplication(making)
  const owner = making.chance.pick([...(application?.owners ?? [])]) ?? randomUUID()
  const verdict = checkAuthority(making, changing, (authority) =>
    ofOwn(application, authority, (one) => mayChange(authority, one) && (one.owners.has(owner) || 'gone')),
  )
  return { method: 'DELETE', path: `${pathOf(application)}/owners/${owner}`, verdict, gives: none }
}

function mayConsent(
  { world }: Making,
  authority: Authority,
  permissions: readonly PermissionName[],
  isOperator: boolean,
  before: readonly PermissionName[] = [],
): boolean {
  const { person, held } = authority
  if (person === undefined || !isAtLeast(person.role, 'administrator')) return false
  if (!covers(world.rules, held, 'delegated', world.rules.own, 'Consent.ReadWrite.All')) return false
  if (!added(before, permissions).every((ref) => mayConsentTo(world.rules, person.role, ref))) return false
  return isOperator || !permissions.some((ref) => isServer(world.rules, ref))
}

function consent(making: Making): Call {
  const { chance } = making
  const application = anApplication(making)
  const all = chance.next() < 0.5
  const permissions = all ? (application?.configured ?? []) : chance.some(application?.configured ?? [], 0.5)
  const verdict = checkAuthority(making, { permission: 'Consent.ReadWrite.All' }, (authority, isOperator) =>
    ofOwn(application, authority, (one) =>
      mayConsent(making, authority, permissions, isOperator, one.granted.get(authority.tenantId)),
    ),
  )
  const begins = `granted ${application?.applicationId} ${making.actor.tenantId} `
  const gives = (fact: string) => permissions.some((ref) => fact === begins + spelled(ref))
  return { method: 'POST', path: `${pathOf(application)}/consents`, body: all ? {} : { permissions }, verdict, gives }
}

function withdraw(making: Making): Call {
  const application = anApplication(making)
  const verdict = checkAuthority(making, { permission: 'Consent.ReadWrite.All' }, (authority) =>
    ofOwn(application, authority, () => true),
  )
  return { method: 'DELETE', path: `${pathOf(application)}/consents/${making.actor.tenantId}`, verdict, gives: none }
}

function letRegister(making: Making): Call {
  const { world, actor } = making
  const permissions = input(making)
  const verdict = checkAuthority(making, changing, (authority, isOperator) => {
    const { person } = authority
    if (person !== undefined && !isAtLeast(person.role, 'administrator')) return false
    return mayList(world.rules, authority, permissions, isOperator)
  })
  const gives = starts(`registration-token ${actor.tenantId} `)
  return { method: 'POST', path: '/registrationTokens', body: { label: 'x', permissions }, verdict, gives }
}

const needs = changing.permission

/** Those by which somebody could rise come more often. */
export const creating: Maker = { needs, make: create }
const consenting = [consent, consent, consent, withdraw].map((make) => ({ needs: 'Consent.ReadWrite.All', make }))
export const applicationMakers: readonly Maker[] = [
  ...[
    change,
    change,
    change,
    remove,
    configure,
    configure,
    configure,
    requestAccess,
    requestAccess,
    takeBack,
    addSecret,
    addSecret,
    token,
    trust,
    addOwner,
  ],
  ...[removeOwner, letRegister],
]
  .map((make): Maker => ({ needs, make }))
  .concat(consenting)

// Calls about deleted applications: bringing one back with what is chosen, and deleting it for good.

import { randomUUID } from 'node:crypto'
import { type Call, changing, checkAuthority, type Maker, type Making, none, starts } from './making.js'
import { type Authority, covers, isAtLeast, isServer, mayConsentTo, mayList, mayRevive } from './model.js'
import { type DeletedApplication, spelled } from './snapshot.js'

function aDeleted({ snapshot, actor, chance }: Making): DeletedApplication | undefined {
  const all = [...snapshot.deleted.values()]
  const near = chance.next() < 0.8 ? all.filter(({ home }) => home === actor.tenantId) : []
  const some = near.length > 0 ? near : all
  return some.length === 0 ? undefined : chance.pick(some)
}

/** Operators, where one deleted it at the local socket; else administrators of its tenant, and the owner who did. */
function mayDecide({ actor, person }: Authority, deleted: DeletedApplication, isOperator: boolean): boolean {
  const { deletedBy, owners } = deleted
  if (deletedBy === '') return isOperator
  if (isAdministrator(person)) return true
  const id = person?.userId ?? (actor.kind === 'application' ? actor.applicationId : '')
  return id === deletedBy && owners.includes(id)
}

const isAdministrator = (person: Authority['person']) => person !== undefined && isAtLeast(person.role, 'administrator')

/** Nobody brings back what they could not have equipped: it would hold nothing, and be theirs to equip. */
function mayRestore(
  { world }: Making,
  authority: Authority,
  deleted: DeletedApplication,
  isOperator: boolean,
): boolean {
  if (!mayDecide(authority, deleted, isOperator)) return false
  const isTrusted = isAdministrator(authority.person) || (isOperator && deleted.deletedBy === '')
  if (deleted.isVerified && !isTrusted) return false
  const { forAll, ofPeople } = deleted
  return (
    mayList(world.rules, authority, deleted.configured, isOperator) &&
    mayRevive(world.rules, authority, { forAll, ofPeople }, isOperator)
  )
}

function restore(making: Making): Call {
  const { chance } = making
  const deleted = aDeleted(making)
  const body = { credentials: chance.next() < 0.5, consents: chance.next() < 0.5 }
  const verdict = checkAuthority(making, changing, (authority, isOperator) => {
    if (deleted === undefined || deleted.home !== authority.tenantId) return 'gone'
    if (!mayRestore(making, authority, deleted, isOperator)) return false
    return !body.consents || mayConsent(making, authority, deleted, isOperator)
  })
  const id = deleted?.applicationId ?? randomUUID()
  const comes = [
    'application',
    'live',
    'verified',
    'plan',
    'plan-numbers',
    'device-codes',
    'configured',
    'owner',
    'redirect',
    'brand',
  ]
  const credentials = body.credentials ? [`secret ${id} `, `federated ${id} `] : []
  const granted = body.consents
    ? (deleted?.granted ?? []).map((ref) => `granted ${id} ${deleted?.home} ${spelled(ref)}`)
    : []
  const gives = starts(...comes.map((word) => `${word} ${id}`), ...credentials, ...granted)
  return { method: 'POST', path: `/deletedApplications/${id}/restore`, body, verdict, gives }
}

/** As for any consent; what is not configured any more is not consented to. */
function mayConsent(
  { world }: Making,
  { person, held }: Authority,
  { configured, granted }: DeletedApplication,
  isOperator: boolean,
): boolean {
  if (person === undefined || !isAtLeast(person.role, 'administrator')) return false
  if (!covers(world.rules, held, 'delegated', world.rules.own, 'Consent.ReadWrite.All')) return false
  const names = configured.map(spelled)
  const again = granted.filter((ref) => names.includes(spelled(ref)))
  return again.every(
    (ref) => mayConsentTo(world.rules, person.role, ref) && (isOperator || !isServer(world.rules, ref)),
  )
}

function purge(making: Making): Call {
  const deleted = aDeleted(making)
  const verdict = checkAuthority(making, changing, (authority, isOperator) => {
    if (deleted === undefined || deleted.home !== authority.tenantId) return 'gone'
    return mayDecide(authority, deleted, isOperator)
  })
  const path = `/deletedApplications/${deleted?.applicationId ?? randomUUID()}`
  return { method: 'DELETE', path, verdict, gives: none }
}

/** Bringing back comes more often. */
export const deletedMakers: readonly Maker[] = [restore, restore, restore, purge].map((make) => ({
  needs: changing.permission,
  make,
}))

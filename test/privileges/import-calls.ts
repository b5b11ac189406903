// Calls about imports: a look gives nothing to anyone, and an import what its sender could do one by one.

import { randomUUID } from 'node:crypto'
import { anApplication, type Call, changing, checkAuthority, type Maker, type Making, none } from './making.js'
import { type Authority, added, isActingOperator, mayChange, mayEquip, mayList } from './model.js'
import { type KnownApplication, type PermissionName, type Snapshot, spelled } from './snapshot.js'

/** One client of the export, and the application of the sender's tenant that has its name. */
interface Wanted {
  name: string
  existing: KnownApplication | undefined
  uri: string
  permissions: PermissionName[]
}

function aClient(making: Making): Wanted {
  const { world, actor, chance } = making
  const application = anApplication(making)
  const isThere = application !== undefined && application.home === actor.tenantId && chance.next() < 0.6
  return {
    name: isThere ? application.name : `app ${randomUUID()}`,
    existing: isThere ? application : undefined,
    uri: `https://${randomUUID()}.example/back`,
    permissions: chance.some(world.refs, 0.1),
  }
}

/** As Hydra writes it; the map says which permission each of its scopes is. */
function bodyOf({ name, uri, permissions }: Wanted, update: boolean) {
  const scopes = permissions.map((ref, at) => [`s${at}`, spelledTarget(ref)] as const)
  const client = {
    ...{ client_id: 'c', client_name: name, redirect_uris: [uri], scope: scopes.map(([scope]) => scope).join(' ') },
    grant_types: ['authorization_code', 'client_credentials'],
  }
  return { content: JSON.stringify([client]), source: 'hydra', update, permissionMap: Object.fromEntries(scopes) }
}

const spelledTarget = ({ kind, resource, id }: PermissionName) => `${kind}:${resource}/${id}`

/** What the parts of the import come to for this sender: each on its own, in the order in which they are done. */
function outcome({ world }: Making, wanted: Wanted, authority: Authority, update: boolean) {
  const { existing, permissions } = wanted
  const isOperator = isActingOperator(world.rules, authority, false)
  if (existing === undefined) return { made: mayList(world.rules, authority, permissions, isOperator) }
  if (!update || !mayChange(authority, existing) || !mayEquip(world.rules, authority, existing, isOperator)) return {}
  const fresh = added(existing.configured, permissions)
  // One permission that they may not list is known before anything is changed.
  if (!mayList(world.rules, authority, fresh, isOperator)) return {}
  return { redirected: true, configured: fresh.length > 0 }
}

function carryOut(making: Making): Call {
  const { snapshot, actor, chance } = making
  const wanted = aClient(making)
  const update = chance.next() < 0.7
  const authority = making.authorityFor(changing.permission)
  const verdict = checkAuthority(making, changing, () => 'may')
  const does = authority === undefined || verdict !== 'may' ? {} : outcome(making, wanted, authority, update)
  const me = actor.kind === 'application' ? actor.applicationId : actor.userId
  const id = wanted.existing?.applicationId
  return {
    ...{ method: 'POST', path: '/imports', body: bodyOf(wanted, update), verdict },
    ...(does.redirected === true && id !== undefined ? { holds: id } : {}),
    gives(fact) {
      const [what = '', about = '', third = ''] = fact.split(' ')
      if (!snapshot.applications.has(about) && does.made === true) {
        if (what === 'owner') return third === me
        return ['application', 'live', 'configured', 'secret', 'device-codes', 'redirect'].includes(what)
      }
      if (about !== id) return false
      if (what === 'redirect') return does.redirected === true
      return does.configured === true && wanted.permissions.some((ref) => fact === `configured ${id} ${spelled(ref)}`)
    },
    leaves: (after) => missing(wanted, does, after),
  }
}

/** What its sender could have done one by one, and the import did not. */
function missing(
  { name, uri, existing }: Wanted,
  does: { made?: boolean; redirected?: boolean },
  after: Snapshot,
): string | undefined {
  if (does.made === true && ![...after.applications.values()].some((one) => one.name === name)) {
    return `the import did not register ${name}`
  }
  const fact = `redirect ${existing?.applicationId} ${uri}`
  if (does.redirected === true && !after.facts.has(fact)) return `the import did not change ${name}`
  return undefined
}

function look(making: Making): Call {
  const verdict = checkAuthority(making, changing, () => 'may')
  const body = bodyOf(aClient(making), making.chance.next() < 0.7)
  return { method: 'POST', path: '/imports/plan', body, verdict, gives: none }
}

export const importMakers: readonly Maker[] = [carryOut, carryOut, carryOut, look].map((make) => ({
  needs: changing.permission,
  make,
}))

// The calls that are made at random, each with what the model says to it and what it may add to the world.

import { applicationMakers, creating } from './application-calls.js'
import { brandMakers } from './brand-calls.js'
import { deletedMakers } from './deleted-calls.js'
import { importMakers } from './import-calls.js'
import {
  anApplication,
  type Call,
  checkAuthority,
  isOpen,
  type Maker,
  type Making,
  none,
  ofOwn,
  pathOf,
  somebody,
  type Verdict,
} from './making.js'
import { type Actor, authorityOf } from './model.js'
import { peopleMakers } from './people-calls.js'
import { planMakers } from './plan-calls.js'
import type { Chance } from './random.js'
import type { Snapshot } from './snapshot.js'
import { lacksFactor } from './tenants/factors.js'
import { tenantMakers } from './tenants/tenant-calls.js'
import { webhookMakers } from './tenants/webhook-calls.js'
import type { World } from './world.js'

/** These are closed to everybody who comes from afar, before anything is said of them. */
const localOnly = ['/setUpLinks', '/recoveryLinks']
/** So few that the same ones are met again and again. */
const mostApplications = 14

/** A call by chance; more often one that the actor's permissions open, where the finer rules decide. */
export function makeCall(world: World, snapshot: Snapshot, actor: Actor, chance: Chance): Call {
  const authorityFor = (permission: string) => authorityOf(world.rules, snapshot, actor, permission)
  const making = { world, snapshot, actor, authorityFor, chance }
  const all = snapshot.applications.size < mostApplications ? [...makers, creating, creating] : makers
  const open = chance.next() < 0.85 ? all.filter(({ needs }) => isOpen(making, needs)) : []
  const call = chance.pick(open.length > 0 ? open : all).make(making)
  // Before anything else, but for those who are nobody there.
  const isLate = authorityFor('Tenant.Read.All') !== undefined && lacksFactor(snapshot, actor)
  return isLate && !localOnly.includes(call.path) ? { ...call, verdict: 'second factor' } : call
}

const reading = (permission: string, operator = false) => ({ permission, operator, reading: true })

function read(making: Making): Call {
  const application = anApplication(making)
  const person = somebody(making)
  const tenantId = making.chance.pick(making.world.tenants)
  const get = (path: string, verdict: Verdict): Call => ({ method: 'GET', path, verdict, gives: none })
  return making.chance.pick([
    () =>
      get(
        '/applications',
        checkAuthority(making, reading('Application.Read.All'), () => true),
      ),
    () =>
      get(
        pathOf(application),
        checkAuthority(making, reading('Application.Read.All'), (who) => ofOwn(application, who, () => true)),
      ),
    () =>
      get(
        '/keys',
        checkAuthority(making, reading('Server.Read', true), () => true),
      ),
    () =>
      get(
        '/operators',
        checkAuthority(making, reading('Server.Read', true), () => true),
      ),
    () =>
      get(
        `/users/${person.userId}`,
        checkAuthority(making, reading('Member.Read.All'), (who) => person.roles.has(who.tenantId) || 'gone'),
      ),
    () =>
      get(
        `/tenants/${tenantId}/memberships`,
        checkAuthority(making, reading('Member.Read.All'), (who) => tenantId === who.tenantId || 'gone'),
      ),
  ])()
}

const makers: readonly Maker[] = [
  ...applicationMakers,
  ...brandMakers,
  ...deletedMakers,
  ...importMakers,
  ...peopleMakers,
  ...planMakers,
  ...tenantMakers,
  ...webhookMakers,
  { needs: 'Application.Read.All', make: read },
]

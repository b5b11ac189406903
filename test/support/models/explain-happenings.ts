// What happens between two calls of the test that explanations agree with the gate: done to the product and to the
// model.

import type { Role } from '../../../src/config/settings/settings.js'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { grantConsent } from '../../../src/directory/permissions/permissions.js'
import { changeTenant } from '../../../src/directory/tenants/tenants.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { setUserState } from '../../../src/users/accounts/user-state.js'
import { setRole } from '../../../src/users/memberships/memberships.js'
import { withdrawConsent } from '../rooms/directory.js'
import type { ManagementApp } from '../rooms/management.js'
import { ranks, type World } from './explain-world.js'

export const happenings = [
  'application',
  'tenant',
  'user',
  'token',
  'tokens of application',
  'tokens of tenant',
  'withdraw',
  'consent',
  'role',
  'stale',
  'later',
] as const

/** One thing happens, to both. `pick` chooses whom it concerns. */
export async function happen(
  testApp: ManagementApp,
  world: World,
  what: (typeof happenings)[number],
  pick: number,
): Promise<void> {
  const { writes, deps, clock } = testApp
  const { model } = world
  const one = <T>(list: readonly T[]) => list[pick % list.length] as T
  const [application, tenant, person] = [one(world.applications), one(world.tenants), one(world.users)]
  const at = ++world.order
  const revocation = { ...writes, actor: { kind: 'operator' } } as const
  switch (what) {
    case 'application':
      application.disabled = !application.disabled
      await changeApplication(writes, application.id, { state: application.disabled ? 'disabled' : 'enabled' })
      return
    case 'tenant': {
      const disable = !model.disabledTenants.delete(tenant)
      if (disable) model.disabledTenants.add(tenant)
      await changeTenant(writes, tenant, { state: disable ? 'disabled' : 'enabled' })
      return
    }
    case 'user':
      person.disabled = !person.disabled
      if (person.disabled) person.revokedAt = at
      await setUserState(deps.users, person.id, person.disabled ? 'disabled' : 'enabled')
      return
    case 'token': {
      const token = world.tokens.at(-1 - (pick % 8))
      if (token === undefined) return
      token.isRevoked = true
      await revoke(revocation, { what: 'token', id: token.jti })
      return
    }
    case 'tokens of application':
      application.revokedAt = at
      await revoke(revocation, { what: 'application', id: application.id })
      return
    case 'tokens of tenant':
      model.tenantRevokedAt.set(tenant, at)
      await revoke(revocation, { what: 'tenant', id: tenant })
      return
    case 'withdraw': {
      const granted = application.granted.get(application.home)
      if (granted === undefined || granted.size === 0) return
      application.granted.set(application.home, new Map())
      application.revokedAt = at
      await withdrawConsent(writes, application.id, { permissions: 'all' })
      return
    }
    case 'consent': {
      if (application.configured.size === 0 || model.disabledTenants.has(application.home)) return
      await grantConsent(writes, application.id, { permissions: 'all', by: 'test' })
      const before = application.granted.get(application.home)
      application.granted.set(
        application.home,
        new Map([...application.configured].map((name) => [name, before?.get(name) ?? at])),
      )
      return
    }
    case 'role': {
      const [[where = '', rank = 0] = []] = person.roles
      const next = (rank + 1) % 3
      person.roles.set(where, next)
      if (next < rank)
        for (const token of world.tokens)
          if (token.user === person && token.tenant === where)
            token.isGrantRevoked ||= token.issuedAt > person.revokedAt
      await setRole(deps.users, { userId: person.id, tenantId: where, role: ranks[next] as Role })
      return
    }
    case 'stale':
      model.stale = !model.stale
      return
    case 'later':
      clock.nowMs += 25 * 60_000
      model.nowMs = clock.nowMs
      return
  }
}

/** What stands in the way of everything is put right again after a while, or there would be little left to decide. */
export async function repair(testApp: ManagementApp, world: World, pick: number): Promise<void> {
  const { model, tenants, applications, users } = world
  if (model.stale && pick % 8 === 0) await happen(testApp, world, 'stale', 0)
  for (const [index, tenant] of tenants.entries()) {
    if (model.disabledTenants.has(tenant) && pick % 10 === 1) await happen(testApp, world, 'tenant', index)
  }
  const application = applications.findIndex(({ disabled }) => disabled)
  if (application !== -1 && pick % 20 === 2) await happen(testApp, world, 'application', application)
  const user = users.findIndex(({ disabled }) => disabled)
  if (user !== -1 && pick % 20 === 3) await happen(testApp, world, 'user', user)
  const bare = applications.findIndex(
    ({ granted, home, configured }) => granted.get(home)?.size === 0 && configured.size > 0,
  )
  if (bare !== -1 && pick % 20 === 4) await happen(testApp, world, 'consent', bare)
}

/** All of it at once. */
export async function repairAll(testApp: ManagementApp, world: World): Promise<void> {
  // Anyone who grants needs a tenant that is enabled, so those come first; each time one of a kind is fixed.
  for (const pick of [0, 1]) await repair(testApp, world, pick)
  for (const _ of world.applications) for (const pick of [2, 3, 4]) await repair(testApp, world, pick)
}

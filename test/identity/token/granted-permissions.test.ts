// What an application gets of what it asks for, over catalogues that a default configuration does not have: one id in
// two kinds, one id in several resources, an id that is gone.

import t from 'tap'
import type { Catalogue, PermissionDefinition } from '../../../src/config/settings/settings.js'
import type { PermissionRef, Registration } from '../../../src/directory/records.js'
import { grantedPermissions } from '../../../src/identity/token/granted-permissions.js'
import type { ScopeRequest } from '../../../src/oauth/requests/scope-request.js'

const own = 'https://id.test/api/v2'
const [one, two] = ['https://one.test', 'https://two.test']

function catalogue(...definitions: [resource: string, id: string, ...kinds: PermissionRef['kind'][]][]): Catalogue {
  const permissions: PermissionDefinition[] = definitions.map(([resource, id, ...kinds]) => ({
    ...{ id, resource, kinds, describe: '', adminConsent: true, role: 'member', covers: [] },
  }))
  const resources = new Map([own, one, two].map((id) => [id, { id, name: id, own: id === own }]))
  return {
    own: { id: own, name: own, own: true },
    language: 'en',
    resources,
    permissions,
    find: (kind, resource, id) =>
      permissions.find((each) => each.kinds.includes(kind) && each.resource === resource && each.id === id),
    resourcesOf: (id) => permissions.filter((each) => each.id === id).map((each) => each.resource),
    satisfying: () => [],
  }
}

const ref = (kind: PermissionRef['kind'], resource: string, id: string): PermissionRef => ({ kind, resource, id })
const ids = (...list: string[]): ScopeRequest => ({
  kind: 'permissions',
  permissions: list.map((id) => ({ id, resource: undefined })),
})
const everything: ScopeRequest = { kind: 'default', written: 'default', resource: undefined }

/** Decides for an application that has configured and got consent for `held`. */
function decide(known: Catalogue, held: readonly PermissionRef[], request: ScopeRequest, resources: string[] = []) {
  const registration = { applicationId: 'app', tenantId: 'tenant', configured: held } as unknown as Registration
  const granted = held.map((each) => ({ ...each, grantedAt: 0, grantedBy: 'test' }))
  const installation = { applicationId: 'app', tenantId: 'tenant', granted }
  return grantedPermissions(
    { catalogue: known, baseUrl: 'https://id.test', registration, installation },
    request,
    resources,
  )
}

t.test('a delegated permission of the same id is another permission', async (t) => {
  const known = catalogue([own, 'read', 'application', 'delegated'])
  const delegated = [ref('delegated', own, 'read')]
  t.throws(() => decide(known, delegated, ids('read')), { code: 'invalid_scope', number: 70011 })
  t.throws(() => decide(known, delegated, everything), { code: 'invalid_scope', number: 90094 })
  const both = [...delegated, ref('application', own, 'read')]
  t.same(decide(known, both, everything), { resource: own, permissions: ['read'] }, 'once, not twice')
  t.same(decide(known, both, ids('read')), { resource: own, permissions: ['read'] })
})

t.test('a permission of the same id in another resource is another permission', async (t) => {
  const known = catalogue([own, 'read', 'application'], [one, 'read', 'application'])
  const held = [ref('application', one, 'read')]
  t.throws(
    () => decide(known, held, ids('read')),
    { code: 'invalid_scope', number: 70011 },
    'a bare id is the own API when it has it',
  )
  t.same(decide(known, held, ids('read'), [one]), { resource: one, permissions: ['read'] })
  t.same(decide(known, held, everything), { resource: one, permissions: ['read'] })
  t.throws(() => decide(known, held, everything, [own]), { code: 'invalid_scope', number: 90094 })
})

t.test('an id of several foreign resources is refused until one is named', async (t) => {
  const known = catalogue([one, 'read', 'application'], [two, 'read', 'application'], [two, 'write', 'application'])
  const held = known.permissions.map(({ resource, id }) => ref('application', resource, id))
  t.throws(() => decide(known, held, ids('read')), { code: 'invalid_scope', number: 700022 })
  t.same(decide(known, held, ids('read'), [two]), { resource: two, permissions: ['read'] })
  t.same(
    decide(known, held, ids('read', 'write')),
    { resource: two, permissions: ['read', 'write'] },
    'only one has both',
  )
  t.throws(
    () => decide(known, held, everything),
    { code: 'invalid_scope', number: 90094 },
    'two resources: the own API, which has none',
  )
})

t.test('T19 what the catalogue no longer has is not granted, although it was consented', async (t) => {
  const before = catalogue([own, 'read', 'application'], [own, 'write', 'application'])
  const held = before.permissions.map(({ id }) => ref('application', own, id))
  t.same(decide(before, held, everything).permissions, ['read', 'write'])
  const after = catalogue([own, 'read', 'application'])
  t.same(decide(after, held, everything).permissions, ['read'])
  t.throws(() => decide(after, held, ids('write')), { code: 'invalid_scope', number: 70011 })
  t.throws(
    () => decide(after, held, ids('read', 'write'), [own]),
    { code: 'invalid_scope', number: 70011 },
    'never narrowed',
  )
  t.throws(() => decide(catalogue(), held, everything), { code: 'invalid_scope', number: 90094 })
})

t.test('a permission that is delegated only cannot be requested', async (t) => {
  const known = catalogue([own, 'read', 'delegated'])
  const held = [ref('application', own, 'read')]
  for (const resources of [[], [own]]) {
    t.throws(() => decide(known, held, ids('read'), resources), {
      code: 'invalid_scope',
      number: 70011,
      message: /only as a delegated/,
    })
  }
})

t.test('a permission that was requested twice, plain and with its resource, is granted once', async (t) => {
  const known = catalogue([own, 'read', 'application'])
  const twice: ScopeRequest = {
    kind: 'permissions',
    permissions: [
      { id: 'read', resource: own },
      { id: 'read', resource: undefined },
    ],
  }
  t.same(decide(known, [ref('application', own, 'read')], twice), { resource: own, permissions: ['read'] })
})

// Names that are somebody else's already (identity L2, decision 0101).

import t, { type Test } from 'tap'
import { createTenant } from '../../src/directory/tenants/tenants.js'
import type { Presented } from '../../src/management/dependencies.js'
import { atPortal, openWorld, type World } from '../support/models/isolation.js'
import { openManagement, refusal } from '../support/rooms/management.js'

async function open(t: Test, options: Parameters<typeof openManagement>[1] = {}) {
  const world = await openWorld(await openManagement(t, options))
  const as = async (principal: Presented, name: string, more: object = {}) => {
    world.testApp.caller.principal = principal
    const answer = await world.testApp.manage('POST', '/applications', { name, type: 'web', ...more })
    return answer.statusCode < 300 ? 'made' : `${answer.statusCode} ${refusal(answer).code}`
  }
  return { world, as }
}

const inA = ({ tenantA, a }: World, role: 'developer' | 'administrator') => atPortal(a[role], tenantA)

t.test('identity L2: a developer takes no name of another’s application in the tenant', async (t) => {
  const { world, as } = await open(t)
  t.equal(await as(inA(world, 'administrator'), 'Payroll', { tenantId: world.tenantA }), 'made')
  for (const name of ['Payroll', 'PAYROLL', 'PayroII', 'Pay-roll']) {
    t.equal(await as(inA(world, 'developer'), name, { tenantId: world.tenantA }), '409 NameTaken', name)
  }
  t.equal(await as(inA(world, 'developer'), 'Payroll 2', { tenantId: world.tenantA }), 'made')
  t.equal(await as(inA(world, 'developer'), 'Payroll 2', { tenantId: world.tenantA }), 'made', 'her own')
  t.equal(await as(inA(world, 'administrator'), 'Payroll 2', { tenantId: world.tenantA }), 'made', 'an administrator')
  t.equal(await as({ kind: 'local' }, 'Payroll', { tenantId: world.tenantA }), 'made', 'an operator')
})

t.test('identity L2: nobody learns what an unverified tenant calls its own', async (t) => {
  const { world, as } = await open(t)
  t.equal(await as(inA(world, 'administrator'), 'Secret project', { tenantId: world.tenantA }), 'made')
  const eve = atPortal(world.ownerOfB, world.tenantB)
  t.equal(await as(eve, 'Secret project', { tenantId: world.tenantB }), 'made')
  t.equal(await as(eve, 'Tenant A of the matrix', { tenantId: world.tenantB }), 'made')
})

t.test('identity L2: what an operator verified is taken in every tenant', async (t) => {
  const { world, as } = await open(t)
  const { tenantA, tenantB, testApp } = world
  const verified = { tenantId: tenantA, publisher: 'Contoso AG', verified: true }
  t.equal(await as({ kind: 'local' }, 'Apple', verified), 'made')
  const eve = atPortal(world.ownerOfB, tenantB)
  for (const name of ['Apple', 'аррӏе', 'APPLE', 'Contoso AG', 'Tenant A of the matrix']) {
    t.equal(await as(eve, name, { tenantId: tenantB }), '409 NameTaken', name)
  }
  t.equal(await as(eve, 'Other', { tenantId: tenantB, publisher: 'Contoso AG' }), '409 NameTaken', 'as a publisher')
  testApp.caller.principal = eve
  t.match(refusal(await testApp.manage('PATCH', `/tenants/${tenantB}`, { name: 'Tenant-A of the matrix' })), {
    ...{ status: 409, code: 'NameTaken', target: 'name' },
  })
  t.equal(await as(inA(world, 'administrator'), 'Apple', { tenantId: tenantA }), 'made', 'whose tenant it is')
  t.equal(await as({ kind: 'local' }, 'Apple', { tenantId: tenantB }), 'made', 'an operator')
})

t.test('C17 the name of the server is no tenant’s, application’s or publisher’s; operators may say it', async (t) => {
  const { world, as } = await open(t, { identity: { brand: { name: 'Northwind ID' } } })
  const { tenantA: tenantId, testApp } = world
  const owner = atPortal(world.a.owner, tenantId)
  for (const name of ['Northwind ID', 'NORTHWIND-ID', 'Northwind lD']) {
    t.equal(await as(owner, name, { tenantId }), '400 NameReserved', `application ${name}`)
    t.equal(await as(owner, 'Other', { tenantId, publisher: name }), '400 NameReserved', `publisher ${name}`)
    testApp.caller.principal = owner
    t.match(refusal(await testApp.manage('PATCH', `/tenants/${tenantId}`, { name })), {
      ...{ status: 400, code: 'NameReserved', target: 'name' },
    })
  }
  t.equal(await as(owner, 'Northwind', { tenantId }), 'made', 'another name')
  const actor = { kind: 'user', userId: 'nobody' } as const
  await t.rejects(createTenant({ ...testApp.writes, actor }, { name: 'Northwind ID' }), { code: 'NameReserved' })
  t.equal(await as({ kind: 'local' }, 'Northwind ID', { tenantId }), 'made', 'an operator')
})

t.test('C17 what the pages of a verified tenant are headed with is nobody else’s name', async (t) => {
  const { world, as } = await open(t)
  const { tenantA, tenantB, testApp } = world
  t.equal(await as({ kind: 'local' }, 'Apple', { tenantId: tenantA, publisher: 'Contoso AG', verified: true }), 'made')
  testApp.caller.principal = inA(world, 'administrator')
  const brand = await testApp.manage('PATCH', `/tenants/${tenantA}/brand`, { name: 'Contoso Sign-on' })
  t.equal(brand.statusCode, 200, brand.body)
  const eve = atPortal(world.ownerOfB, tenantB)
  const refused = { status: 409, code: 'NameTaken' }
  for (const name of ['Contoso Sign-on', 'C0ntoso Sign-0n', 'CONTOSO SIGN ON', 'Contoso AG', 'Apple']) {
    testApp.caller.principal = eve
    const api = {
      shortName: 'pay',
      name,
      permissions: [{ id: 'Pay.Read', describe: 'Reads payments', kinds: ['delegated'] }],
    }
    for (const [method, path, body] of [
      ['PATCH', `/tenants/${tenantB}/brand`, { name }],
      ['PATCH', `/tenants/${tenantB}`, { name }],
      ['POST', '/applications', { name, type: 'web', tenantId: tenantB }],
      ['POST', '/applications', { name: 'Other', publisher: name, type: 'web', tenantId: tenantB }],
      ['POST', '/apis', api],
    ] as const) {
      t.match(refusal(await testApp.manage(method, path, body)), refused, `${name}: ${method} ${path}`)
    }
  }
  t.equal(await as(inA(world, 'administrator'), 'Contoso Sign-on', { tenantId: tenantA }), 'made', 'whose it is')
  t.equal(await as({ kind: 'local' }, 'Contoso Sign-on', { tenantId: tenantB }), 'made', 'an operator')
})

// The page about operators: who they are, making and ending them after a question, and that one is always left.

import t, { type Test } from 'tap'
import { textOf } from '../../support/browser/scripted-browser.js'
import { refusal } from '../../support/rooms/management.js'
import { openPortal } from '../../support/rooms/portal.js'

const path = '/portal/server/operators'

async function open(t: Test) {
  const testApp = await openPortal(t)
  const ada = await testApp.person('Ada', 'owner')
  const operator = testApp.browser()
  await testApp.signIn(operator, ada.userId)
  testApp.caller.principal = { kind: 'local' }
  await testApp.manage('PATCH', `/users/${ada.userId}`, { operator: true })
  const operators = async (): Promise<string[]> => {
    testApp.caller.principal = { kind: 'local' }
    const { value } = (await testApp.manage('GET', '/operators')).json()
    return value.map(({ name }: { name: string }) => name)
  }
  return { testApp, ada, operator, operators }
}

t.test('somebody is made an operator after a question, and is none any more after another', async (t) => {
  const { testApp, operator, operators } = await open(t)
  const grace = await testApp.person('Grace', 'administrator')
  const page = await operator.get(path)
  t.match(textOf(page, 'operators'), /Ada Example.*you.*none/s)
  t.match(page.body, 'The last operator cannot be dropped')
  const unknown = await operator.submit(page, 'make-form', { email: 'nobody@example.test' })
  t.equal(unknown.status, 404)
  t.match(textOf(unknown, 'email-error'), /Nobody in this tenant/)
  const question = await operator.submit(page, 'make-form', { email: 'grace@example.test' })
  t.match(textOf(question, 'consequences'), /Second factor\s*none/)
  t.same(await operators(), ['Ada Example'], 'a question changes nothing')
  const made = await operator.submit(question, 'confirm-form')
  t.match(textOf(made, 'done'), /whole installation/)
  t.same(await operators(), ['Ada Example', 'Grace Example'])
  const ending = await operator.submit(made, `drop-${grace.userId}`)
  t.match(textOf(ending, 'consequences'), /Sign-ins that applications hold/)
  const ended = await operator.submit(ending, 'confirm-form')
  t.match(textOf(ended, 'done'), /no operator any more/)
  t.same(await operators(), ['Ada Example'])
})

t.test('the last operator whose account works stays one, also of two who end each other at once', async (t) => {
  const { testApp, ada, operators } = await open(t)
  const drop = (userId: string) => testApp.manage('PATCH', `/users/${userId}`, { operator: false })
  const refused = await drop(ada.userId)
  t.equal(refused.statusCode, 409)
  t.match(refusal(refused), { code: 'LastOperator', message: /make-operator/ })
  // Beside them Ada's tenant has another owner: it is not for its sake that they stay.
  await testApp.person('Otto', 'owner')
  for (const act of [
    () => testApp.manage('PATCH', `/users/${ada.userId}`, { state: 'disabled' }),
    () => testApp.manage('DELETE', `/users/${ada.userId}`),
  ]) {
    t.match(refusal(await act()), { code: 'LastOperator' })
  }
  t.same(await operators(), ['Ada Example'])
  const grace = await testApp.person('Grace', 'owner')
  await testApp.manage('PATCH', `/users/${grace.userId}`, { operator: true })
  await testApp.manage('PATCH', `/users/${grace.userId}`, { state: 'disabled' })
  t.equal((await drop(ada.userId)).statusCode, 409, 'one whose account is disabled looks after nothing')
  await testApp.manage('PATCH', `/users/${grace.userId}`, { state: 'enabled' })
  const both = await Promise.all([drop(ada.userId), drop(grace.userId)])
  t.same(both.map(({ statusCode }) => statusCode).sort(), [200, 409])
  t.equal((await operators()).length, 1)
})

t.test('of two operators who are disabled and deleted at once, one stays', async (t) => {
  const { testApp, ada, operators } = await open(t)
  await testApp.person('Otto', 'owner')
  const grace = await testApp.person('Grace', 'owner')
  await testApp.manage('PATCH', `/users/${grace.userId}`, { operator: true })
  const both = await Promise.all([
    testApp.manage('PATCH', `/users/${ada.userId}`, { state: 'disabled' }),
    testApp.manage('DELETE', `/users/${grace.userId}`),
  ])
  const refused = both.filter(({ statusCode }) => statusCode === 409)
  t.equal(refused.length, 1)
  t.match(refusal(refused[0] as (typeof both)[0]), { code: 'LastOperator' })
  t.equal((await operators()).length, 1)
})

t.test('an account that other tenants share is nobody’s to change here, and the page says where', async (t) => {
  const { testApp, operator, operators } = await open(t)
  const { tenantId } = (await testApp.manage('POST', '/tenants', { name: 'Fabrikam' })).json()
  const shared = await testApp.person('Mary', 'member')
  await testApp.manage('POST', `/tenants/${tenantId}/memberships`, { userId: shared.userId, role: 'member' })
  const question = await operator.submit(await operator.get(path), 'make-form', { email: 'mary@example.test' })
  const refused = await operator.submit(question, 'confirm-form')
  t.equal(refused.status, 403)
  t.match(textOf(refused, 'problem'), /portcullis user make-operator/)
  t.same(await operators(), ['Ada Example'])
})

t.test('nobody else sees it', async (t) => {
  const { testApp } = await open(t)
  for (const role of ['member', 'developer', 'administrator', 'owner'] as const)
    t.equal((await (await testApp.as(role)).get(path)).status, 403, role)
})

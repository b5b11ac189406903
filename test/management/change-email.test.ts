// Addresses through the management API: who may confirm one, and what others learn.

import t from 'tap'
import { secretValue } from '../../src/config/read/secret-value.js'
import { atPortal } from '../support/models/isolation.js'
import { mailRates } from '../support/people/mail-server.js'
import { openManagement, refusal } from '../support/rooms/management.js'

const mail = { url: secretValue('smtp://127.0.0.1:1'), from: 'x@example.test', ...mailRates }

async function openTenant(t: Parameters<typeof openManagement>[0], withMail: boolean) {
  const testApp = await openManagement(t, { identity: { signIn: { perAccount: { limit: 3, periodMs: 600_000 } } } })
  if (withMail) Object.assign(testApp.deps.users, { mail })
  const { manage, caller } = testApp
  const local = caller.principal
  const { tenantId } = (await manage('POST', '/tenants', { name: 'Contoso' })).json()
  const add = async (name: string, role: string) =>
    (await manage('POST', '/users', { email: `${name}@example.test`, name, tenantId, role })).json().userId as string
  const [adam, max] = [await add('adam', 'administrator'), await add('max', 'member')]
  const as = (userId: string | undefined) => {
    caller.principal = userId === undefined ? local : atPortal(userId, tenantId)
  }
  return { testApp, manage, as, adam, max, tenantId, add }
}

t.test('identity M10: without mail the administrator confirms what somebody requested', async (t) => {
  const { manage, as, adam, max } = await openTenant(t, false)
  as(adam)
  const response = await manage('PATCH', `/users/${max}`, { email: 'maximilian@example.test' })
  t.match(response.json(), { email: 'max@example.test', emailVerified: false, pendingEmail: 'maximilian@example.test' })
  const confirmed = await manage('PATCH', `/users/${max}`, { email: 'maximilian@example.test', emailVerified: true })
  t.match(confirmed.json(), { email: 'maximilian@example.test', pendingEmail: null })
  as(max)
  t.equal((await manage('PATCH', `/users/${adam}`, { emailVerified: true })).statusCode, 403, 'a member may not')
  as(undefined)
  t.match((await manage('PATCH', `/users/${max}`, { emailVerified: true })).json(), { emailVerified: true })
  t.equal((await manage('PATCH', `/users/${max}`, { emailVerified: false })).statusCode, 400)
})

t.test('identity M10: where mail is set up, only the link and an operator confirm', async (t) => {
  const { manage, as, adam, max } = await openTenant(t, true)
  as(adam)
  const refused = await manage('PATCH', `/users/${max}`, { email: 'mine@example.test', emailVerified: true })
  t.match(refusal(refused), { status: 403, code: 'OperatorRequired' })
  t.match((await manage('GET', `/users/${max}`)).json(), { email: 'max@example.test', pendingEmail: null })
  as(undefined)
  const body = { email: 'maximilian@example.test', emailVerified: true }
  t.match((await manage('PATCH', `/users/${max}`, body)).json(), { ...body, pendingEmail: null })
})

t.test('identity L5: an administrator does not find out by trying who has an account elsewhere', async (t) => {
  const { manage, as, adam, max, add } = await openTenant(t, false)
  const elsewhere = (await manage('POST', '/tenants', { name: 'Fabrikam' })).json().tenantId
  await manage('POST', '/users', { email: 'eve@fabrikam.test', name: 'Eve', tenantId: elsewhere })
  await add('other', 'member')
  as(adam)
  const answers = []
  for (const email of ['eve@fabrikam.test', 'nobody@fabrikam.test']) {
    const answer = await manage('PATCH', `/users/${max}`, { email })
    answers.push([answer.statusCode, answer.json().email, answer.json().pendingEmail === email])
  }
  t.same(answers, [
    [200, 'max@example.test', true],
    [200, 'max@example.test', true],
  ])
  const confirm = () => manage('PATCH', `/users/${max}`, { email: 'eve@fabrikam.test', emailVerified: true })
  t.match(refusal(await confirm()), { status: 409, code: 'EmailTaken' })
  const statuses = new Set<number>()
  for (let i = 0; i < 9; i += 1) statuses.add((await confirm()).statusCode)
  t.same([...statuses], [409, 429], 'trying many is slowed')
})

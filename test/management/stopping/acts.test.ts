// The table of acts that stop others: every change of the management API stands in it or says why it asks nothing, and
// what a change takes away decides, not what it is called.

import t from 'tap'
import { lightActs, weightyActs } from '../../../src/management/recent-sign-in/acts.js'
import { type Change, findStop } from '../../../src/management/stopping/find-stop.js'
import { harmlessActs } from '../../../src/management/stopping/harmless-acts.js'
import { stoppingActs } from '../../../src/management/stopping/stopping-acts.js'

t.test('every act of the management API asks before it stops others, or says why it asks nothing', async (t) => {
  const named = [...Object.keys(stoppingActs), ...Object.keys(harmlessActs)].sort()
  t.same(named, [...Object.keys(weightyActs), ...Object.keys(lightActs)].sort())
  for (const [act, reason] of Object.entries(harmlessActs)) t.ok(reason.length > 12, act)
  for (const [act, each] of Object.entries(stoppingActs)) {
    for (const { question, what, undo, button } of each) {
      t.match(question, /\?$/, act)
      for (const text of [what, undo]) t.match(text, /^[A-Z].*\.$/, `${act}: ${text}`)
      t.ok(button.length > 2, act)
    }
  }
})

const application = {
  ...{ name: 'Reports', tenantId: 't', deviceCodes: 'allowed', authMethod: 'secret' },
  redirectUris: ['https://a.test/1', 'https://a.test/2'],
  ...{ adminConsentRedirectUris: [], logoutRedirectUris: ['https://a.test/out'] },
  jwks: { keys: [{ kid: 'one' }] },
  permissions: [{ kind: 'application', id: 'Posts.Read', resource: 'https://api.test' }],
}
const person = { name: '', email: 'mia@example.test', memberships: [{ tenantId: 't', role: 'administrator' }] }
const things: Readonly<Record<string, Record<string, unknown>>> = {
  '/applications/1': application,
  '/tenants/t': { name: 'Contoso', deviceCodes: 'allowed' },
  '/users/mia': person,
}

const cases: readonly [method: string, path: string, body: unknown, question: string | undefined][] = [
  ['PATCH', '/applications/1', { state: 'disabled' }, 'Disable Reports?'],
  ['PATCH', '/applications/1', { state: 'enabled' }, undefined],
  ['PATCH', '/applications/1', { name: 'New' }, undefined],
  ['PATCH', '/applications/1', { redirectUris: ['https://a.test/1'] }, 'Remove this address from Reports?'],
  ['PATCH', '/applications/1', { logoutRedirectUris: [] }, 'Remove this address from Reports?'],
  ['PATCH', '/applications/1', { redirectUris: [...application.redirectUris, 'https://a.test/3'] }, undefined],
  ['PATCH', '/applications/1', { authMethod: 'private_key_jwt' }, 'Change how Reports proves itself?'],
  ['PATCH', '/applications/1', { authMethod: 'secret', jwks: application.jwks }, undefined],
  ['PATCH', '/applications/1', { jwks: null }, 'Change how Reports proves itself?'],
  ['PATCH', '/applications/1', { jwks: { keys: [{ kid: 'one' }, { kid: 'two' }] } }, undefined],
  ['PATCH', '/applications/1', { deviceCodes: 'off' }, 'Switch off device codes of Reports?'],
  ['PATCH', '/applications/1', { deviceCodes: 'allowed' }, undefined],
  ['PATCH', '/applications/2', { redirectUris: [] }, 'Remove this address from this application?'],
  ['DELETE', '/applications/1', undefined, 'Delete Reports?'],
  ['DELETE', '/deletedApplications/1', undefined, 'Delete this application for good?'],
  ['POST', '/deletedApplications/1/restore', {}, undefined],
  ['POST', '/deletedApplications/1/restore', { credentials: true }, 'Restore it with its credentials?'],
  ['POST', '/deletedApplications/1/restore', { consents: true }, 'Restore it, and consent to what it had?'],
  [
    ...(['POST', '/deletedApplications/1/restore'] as const),
    { credentials: true, consents: true },
    'Restore it with its credentials, and consent to what it had?',
  ],
  ['POST', '/applications/1/secrets', { rotate: true }, 'End the other client secrets of Reports now?'],
  ['POST', '/applications/1/secrets', { rotate: true, overlapSeconds: 3600 }, undefined],
  ['POST', '/applications/1/secrets', {}, undefined],
  ['PUT', '/applications/1/permissions', { permissions: [] }, 'Take permissions from Reports?'],
  ['PUT', '/applications/1/permissions', { permissions: [{ kind: 'application', id: 'Posts.Read' }] }, undefined],
  ['POST', '/consents/withdraw', { applicationId: '1', tenantId: 't' }, 'Withdraw the consent for Reports?'],
  ['PATCH', '/tenants/t', { state: 'disabled' }, 'Switch off Contoso?'],
  ['PATCH', '/tenants/t', { name: 'x', deviceCodes: 'off' }, 'Switch off device codes in Contoso?'],
  ['PATCH', '/tenants/t', { userConsent: 'administrators' }, undefined],
  ['PATCH', '/tenants/t/memberships/mia', { role: 'developer' }, 'Give mia@example.test a lesser role?'],
  ['PATCH', '/tenants/t/memberships/mia', { role: 'owner' }, undefined],
  ['PATCH', '/tenants/u/memberships/mia', { role: 'member' }, undefined],
  ['PATCH', '/users/mia', { operator: false }, 'Take the operator role from mia@example.test?'],
  ['PATCH', '/users/mia', { operator: true }, undefined],
  ['PATCH', '/users/nobody', { state: 'disabled' }, 'Disable this person?'],
  ['POST', '/revocations', { what: 'token', id: 'x' }, undefined],
  ['POST', '/revocations', { what: 'tenant', id: 't' }, 'Refuse every token of Contoso?'],
  ['POST', '/revocations', { what: 'credential', id: 'x' }, 'End this client secret now?'],
  ['PATCH', '/webhooks/1', { enabled: false }, 'Disable this webhook?'],
  ['PATCH', '/webhooks/1', { enabled: true }, undefined],
  ['POST', '/keys/rotate', { immediately: true }, 'Let new keys sign at once?'],
  ['POST', '/keys/rotate', {}, undefined],
  ['DELETE', '/sessions/1?x=y', undefined, undefined],
  ['POST', '/somethingElse', undefined, undefined],
]

t.test('what is taken away decides whether a change asks', async (t) => {
  for (const [method, path, body, question] of cases) {
    const stop = await findStop({ method, path, body } as Change, async (read) => things[read])
    t.equal(stop?.question, question, `${method} ${path} ${JSON.stringify(body)}`)
  }
})

t.test('numbers are counted where it stops', async (t) => {
  const of = async (method: string, path: string, body?: unknown) =>
    (await findStop({ method, path, body }, async (read) => things[read]))?.consequences
  t.equal(await of('DELETE', '/applications/1'), '/applications/1/consequences')
  const withdrawn = { applicationId: '1', tenantId: 't' }
  t.equal(await of('POST', '/consents/withdraw', withdrawn), '/applications/1/consequences?tenantId=t')
  t.equal(await of('DELETE', '/applications/1/consents/t'), '/applications/1/consequences?tenantId=t')
  t.equal(await of('DELETE', '/tenants/t/memberships/mia'), '/users/mia/consequences')
  t.equal(await of('DELETE', '/keys/k'), '/keys/consequences')
  t.equal(await of('DELETE', '/registrationTokens/r'), '/registrationTokens/r/consequences')
  t.equal(await of('POST', '/revocations', { what: 'credential', id: 'k/1' }), '/credentials/k%2F1/consequences')
  const recovery = await of('POST', '/recoveryLinks', { tenantId: 't', email: 'a+b&c@example.test' })
  t.equal(recovery, '/recoveryLinks/consequences?email=a%2Bb%26c%40example.test')
  t.equal(await of('DELETE', '/webhooks/w'), undefined)
})

// U2: every management route × every role × another tenant, generated from the routes that are registered: a route that
// is not in the table below fails the test, and so does one that answers about what is not the caller's.

import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import type { Role } from '../../src/config/settings/settings.js'
import { deleteApplication } from '../../src/directory/applications/delete-application.js'
import { followLedger } from '../../src/events/follow-ledger.js'
import { isAtLeast } from '../../src/users/memberships/roles.js'
import { plantProvider } from '../support/browser/planted-provider.js'
import { atPortal, openWorld, type RouteCase, roles, type World, withToken } from '../support/models/isolation.js'
import { makePerson } from '../support/rooms/delegation.js'
import { openManagement } from '../support/rooms/management.js'
import { threePlans } from '../support/settings/plan-rules.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const app = async ({ make }: World) => (await make.application()).id
const gone = async (w: World) => {
  const id = await app(w)
  // By an administrator of the tenant: what an operator deletes is for operators.
  await deleteApplication({ ...w.testApp.writes, actor: { kind: 'user', userId: w.a.owner } }, id)
  return id
}
const read = { kind: 'application', id: 'assets_read' }

const api = () => ({ shortName: `a-${randomUUID()}`, name: 'An API', permissions: [] })
const apiOf = async ({ testApp, tenantA, secretsOfA }: World) => {
  const { apiId, identifier } = (await testApp.manage('POST', '/apis', { ...api(), tenantId: tenantA })).json()
  secretsOfA.push(apiId, identifier)
  return apiId
}

const forgetWebhooks = async ({ testApp }: World) => {
  const { value } = (await testApp.manage('GET', '/webhooks')).json()
  for (const { id } of value) await testApp.manage('DELETE', `/webhooks/${id}`)
}

/** With one event on its way. Nobody answers at its address. */
const webhookOf = async (w: World) => {
  await forgetWebhooks(w)
  const { testApp, tenantA, secretsOfA } = w
  const url = `https://127.0.0.1:1/${randomUUID()}`
  const made = await testApp.manage('POST', '/webhooks', { url, events: ['*'], tenantId: tenantA })
  const { id } = made.json()
  await app(w)
  const { store, now } = testApp
  await followLedger({ store, baseUrl: 'x', now, planOf: () => undefined, onError: () => undefined })
  const [delivery] = (await testApp.manage('GET', `/webhooks/${id}/deliveries`)).json().value
  secretsOfA.push(id, url, delivery.id, delivery.eventId)
  return { id, deliveryId: delivery.id }
}

const planRequestOf = async (w: World) => {
  const id = await app(w)
  const { request } = (await w.testApp.manage('POST', `/applications/${id}/planRequest`, { plan: 'team' })).json()
  w.secretsOfA.push(request.requestId)
  return request as { requestId: string; applicationId: string }
}

const table: Readonly<Record<string, RouteCase>> = {
  'POST /applications': {
    path: () => '/applications',
    body: ({ tenantA }) => ({ name: `made ${randomUUID()}`, type: 'web', tenantId: tenantA }),
    otherTenant: 'gone',
  },
  'GET /applications': { path: () => '/applications', otherTenant: 'own' },
  'GET /applications/:id': { path: async (w) => `/applications/${await app(w)}`, otherTenant: 'gone' },
  'PATCH /applications/:id': {
    path: async (w) => `/applications/${await app(w)}`,
    body: () => ({ name: 'another' }),
    otherTenant: 'gone',
  },
  'DELETE /applications/:id': { path: async (w) => `/applications/${await app(w)}`, otherTenant: 'gone' },
  'GET /deletedApplications': { path: () => '/deletedApplications', otherTenant: 'own' },
  'GET /deletedApplications/:id': { path: async (w) => `/deletedApplications/${await gone(w)}`, otherTenant: 'gone' },
  'POST /deletedApplications/:id/restore': {
    path: async (w) => `/deletedApplications/${await gone(w)}/restore`,
    body: () => ({}),
    otherTenant: 'gone',
    least: 'administrator',
  },
  'DELETE /deletedApplications/:id': {
    path: async (w) => `/deletedApplications/${await gone(w)}`,
    otherTenant: 'gone',
    least: 'administrator',
  },
  'POST /applications/:id/secrets': {
    path: async (w) => `/applications/${await app(w)}/secrets`,
    body: () => ({}),
    otherTenant: 'gone',
  },
  'DELETE /applications/:id/secrets/:keyId': {
    async path({ make }) {
      const { id, keyId } = await make.application()
      return `/applications/${id}/secrets/${keyId}`
    },
    otherTenant: 'gone',
  },
  'POST /applications/:id/token': {
    path: async (w) => `/applications/${await app(w)}/token`,
    body: () => ({}),
    otherTenant: 'gone',
  },
  'GET /applications/:id/federatedCredentials': {
    path: async (w) => `/applications/${await app(w)}/federatedCredentials`,
    otherTenant: 'gone',
  },
  'POST /applications/:id/federatedCredentials': {
    path: async (w) => `/applications/${await app(w)}/federatedCredentials`,
    body: () => ({ name: 'workload', issuer: 'https://issuer.example', subject: 'workload' }),
    otherTenant: 'gone',
  },
  'DELETE /applications/:id/federatedCredentials/:credentialId': {
    path: async ({ make }) => `/applications/${await make.federatedCredential()}`,
    otherTenant: 'gone',
  },
  'GET /applications/:id/owners': { path: async (w) => `/applications/${await app(w)}/owners`, otherTenant: 'gone' },
  'POST /applications/:id/owners': {
    path: async (w) => `/applications/${await app(w)}/owners`,
    body: ({ a }) => ({ userId: a.administrator }),
    otherTenant: 'gone',
  },
  'PUT /applications/:id/owners': {
    path: async (w) => `/applications/${await app(w)}/owners`,
    body: ({ a }) => ({ owners: [a.administrator] }),
    otherTenant: 'gone',
  },
  'GET /tenants/:id/possibleOwners': {
    path: ({ tenantA, a }) => `/tenants/${tenantA}/possibleOwners?owner=${a.developer}`,
    otherTenant: 'gone',
  },
  'DELETE /applications/:id/owners/:ownerId': {
    path: async (w) => `/applications/${await app(w)}/owners/${w.a.developer}`,
    otherTenant: 'gone',
  },
  'GET /applications/:id/newRedirectOrigins': {
    path: async (w) => `/applications/${await app(w)}/newRedirectOrigins`,
    otherTenant: 'gone',
  },
  'DELETE /applications/:id/newRedirectOrigins': {
    path: async (w) => `/applications/${await app(w)}/newRedirectOrigins?until=2999-01-01T00:00:00Z`,
    otherTenant: 'gone',
    least: 'administrator',
  },
  'GET /tenants/:id/newRedirectOrigins': {
    path: ({ tenantA }) => `/tenants/${tenantA}/newRedirectOrigins`,
    otherTenant: 'gone',
  },
  'GET /registrationTokens': { path: () => '/registrationTokens', otherTenant: 'own', least: 'administrator' },
  'POST /registrationTokens': {
    path: () => '/registrationTokens',
    body: ({ tenantA }) => ({ label: 'pipeline', tenantId: tenantA }),
    otherTenant: 'gone',
    least: 'administrator',
  },
  'POST /imports/plan': {
    path: () => '/imports/plan',
    body: ({ tenantA }) => ({ tenantId: tenantA, content: '{"client_id":"a"}' }),
    otherTenant: 'gone',
  },
  'POST /imports': {
    path: () => '/imports',
    body: ({ tenantA }) => ({ tenantId: tenantA, content: '{"client_id":"a"}' }),
    otherTenant: 'gone',
  },
  'DELETE /registrationTokens/:id': {
    path: async ({ make }) => `/registrationTokens/${await make.registrationToken()}`,
    otherTenant: 'gone',
    least: 'administrator',
  },
  'PUT /applications/:id/permissions': {
    path: async (w) => `/applications/${await app(w)}/permissions`,
    body: () => ({ permissions: [read] }),
    otherTenant: 'gone',
  },
  'POST /applications/:id/consents': {
    path: async (w) => `/applications/${await app(w)}/consents`,
    body: () => ({}),
    otherTenant: 'gone',
  },
  'GET /applications/:id/consentRequests': {
    path: async (w) => `/applications/${await app(w)}/consentRequests`,
    otherTenant: 'gone',
  },
  'POST /applications/:id/consentRequests': {
    path: async (w) => `/applications/${await app(w)}/consentRequests`,
    body: () => ({ permissions: [read] }),
    otherTenant: 'gone',
  },
  'DELETE /applications/:id/consentRequests/:requestId': {
    // Of another application: who takes back which has tests of its own (access-requests.test.ts).
    path: async (w) => `/applications/${await app(w)}/consentRequests/${await w.make.request()}`,
    otherTenant: 'gone',
    done: 404,
  },
  'DELETE /applications/:id/consents/:tenantId': {
    path: async (w) => `/applications/${await app(w)}/consents/${w.tenantA}`,
    otherTenant: 'gone',
  },
  'GET /consents': { path: ({ tenantA }) => `/consents?tenantId=${tenantA}`, otherTenant: 'gone' },
  'POST /consents': {
    path: () => '/consents',
    body: async (w) => ({ applicationId: await app(w), tenantId: w.tenantA }),
    otherTenant: 'gone',
  },
  'POST /consents/withdraw': {
    path: () => '/consents/withdraw',
    body: async (w) => ({ applicationId: await app(w) }),
    otherTenant: 'gone',
  },
  'GET /consentRequests': { path: () => '/consentRequests', otherTenant: 'own' },
  'GET /consentRequests/own': { path: () => '/consentRequests/own', otherTenant: 'own', ownHand: true },
  'DELETE /consentRequests/:id': {
    // Of nobody’s: who takes back which has tests of its own (api-catalogue/access-requests.test.ts).
    path: () => `/consentRequests/${randomUUID()}`,
    otherTenant: 'gone',
    ownHand: true,
    done: 404,
  },
  'POST /consentRequests/:id/approve': {
    path: async ({ make }) => `/consentRequests/${await make.request()}/approve`,
    otherTenant: 'gone',
  },
  'POST /consentRequests/:id/decline': {
    path: async ({ make }) => `/consentRequests/${await make.request()}/decline`,
    otherTenant: 'gone',
  },
  'GET /plans': { path: () => '/plans', otherTenant: 'open' },
  'GET /applications/:id/brand': { path: async (w) => `/applications/${await app(w)}/brand`, otherTenant: 'gone' },
  'PATCH /applications/:id/brand': {
    path: async (w) => `/applications/${await app(w)}/brand`,
    body: () => ({ home: 'https://app.example' }),
    otherTenant: 'gone',
  },
  'DELETE /applications/:id/brand': { path: async (w) => `/applications/${await app(w)}/brand`, otherTenant: 'gone' },
  'GET /applications/:id/plan': { path: async (w) => `/applications/${await app(w)}/plan`, otherTenant: 'gone' },
  'GET /applications/:id/planUsage': {
    path: async (w) => `/applications/${await app(w)}/planUsage`,
    otherTenant: 'gone',
  },
  'PUT /applications/:id/plan': {
    path: async (w) => `/applications/${await app(w)}/plan`,
    body: () => ({ plan: 'free' }),
    otherTenant: 'gone',
  },
  'POST /applications/:id/planRequest': {
    path: async (w) => `/applications/${await app(w)}/planRequest`,
    body: () => ({ plan: 'team' }),
    otherTenant: 'gone',
  },
  'DELETE /applications/:id/planRequest': {
    path: async (w) => `/applications/${(await planRequestOf(w)).applicationId}/planRequest`,
    otherTenant: 'gone',
  },
  'GET /usage/export': { path: () => '/usage/export', otherTenant: 'own' },
  'GET /usage/export.csv': { path: () => '/usage/export.csv', otherTenant: 'own' },
  'GET /planUse': { path: () => '/planUse', otherTenant: 403 },
  'GET /planUse/applications': { path: () => '/planUse/applications?plan=free', otherTenant: 403 },
  'GET /planRequests': { path: () => '/planRequests', otherTenant: 'own' },
  'POST /planRequests/:id/approve': {
    path: async (w) => `/planRequests/${(await planRequestOf(w)).requestId}/approve`,
    otherTenant: 'gone',
    least: 'administrator',
  },
  'POST /planRequests/:id/decline': {
    path: async (w) => `/planRequests/${(await planRequestOf(w)).requestId}/decline`,
    otherTenant: 'gone',
    least: 'administrator',
  },
  'GET /tenants': { path: () => '/tenants', otherTenant: 'own' },
  'POST /tenants': { path: () => '/tenants', body: () => ({ name: `T ${randomUUID()}` }), otherTenant: 403 },
  'GET /tenants/:id': { path: ({ tenantA }) => `/tenants/${tenantA}`, otherTenant: 'gone' },
  'PATCH /tenants/:id': {
    path: ({ tenantA }) => `/tenants/${tenantA}`,
    body: () => ({ userConsent: 'administrators' }),
    otherTenant: 'gone',
  },
  'GET /tenants/:id/brand': { path: ({ tenantA }) => `/tenants/${tenantA}/brand`, otherTenant: 'gone' },
  'PATCH /tenants/:id/brand': {
    path: ({ tenantA }) => `/tenants/${tenantA}/brand`,
    body: () => ({ accent: '#0b5cad' }),
    otherTenant: 'gone',
  },
  'GET /tenants/:id/toolRules': { path: ({ tenantA }) => `/tenants/${tenantA}/toolRules`, otherTenant: 'gone' },
  'PATCH /tenants/:id/toolRules': {
    path: ({ tenantA }) => `/tenants/${tenantA}/toolRules`,
    body: () => ({ rules: [{ route: '/desk/mcp', tool: 'close', rule: 'allowed' }] }),
    otherTenant: 'gone',
  },
  'DELETE /tenants/:id/brand': { path: ({ tenantA }) => `/tenants/${tenantA}/brand`, otherTenant: 'gone' },
  'POST /tenants/:id/brand/removal': {
    path: ({ tenantA }) => `/tenants/${tenantA}/brand/removal`,
    body: () => ({ reason: 'It passes for somebody else.' }),
    otherTenant: 403,
  },
  'POST /applications/:id/brand/removal': {
    path: async (w) => `/applications/${await app(w)}/brand/removal`,
    body: () => ({ reason: 'It passes for somebody else.' }),
    otherTenant: 403,
  },
  'GET /users': { path: () => '/users', otherTenant: 'own' },
  'POST /users': {
    path: () => '/users',
    body: ({ tenantA }) => ({ name: 'New', email: `${randomUUID()}@x.test`, tenantId: tenantA }),
    otherTenant: 403,
  },
  'GET /users/:id': { path: async ({ make }) => `/users/${await make.user()}`, otherTenant: 'gone' },
  'PATCH /users/:id': {
    path: async ({ make }) => `/users/${await make.user()}`,
    body: () => ({ name: 'Somebody else' }),
    otherTenant: 'gone',
  },
  'DELETE /users/:id': { path: async ({ make }) => `/users/${await make.user()}`, otherTenant: 'gone' },
  'POST /users/:id/providerLink': {
    path: async ({ make }) => `/users/${await make.user()}/providerLink`,
    body: () => ({ email: 'x@example.test' }),
    otherTenant: 'gone',
  },
  'POST /users/:id/passwordReset': {
    path: async ({ make }) => `/users/${await make.user()}/passwordReset`,
    otherTenant: 'gone',
  },
  'POST /users/:id/signOut': { path: async ({ make }) => `/users/${await make.user()}/signOut`, otherTenant: 'gone' },
  'GET /tenants/:id/memberships': { path: ({ tenantA }) => `/tenants/${tenantA}/memberships`, otherTenant: 'gone' },
  'POST /tenants/:id/memberships': {
    path: ({ tenantA }) => `/tenants/${tenantA}/memberships`,
    body: ({ ownerOfB }) => ({ userId: ownerOfB, role: 'owner' }),
    otherTenant: 403,
  },
  'PATCH /tenants/:id/memberships/:userId': {
    path: async ({ tenantA, make }) => `/tenants/${tenantA}/memberships/${await make.user()}`,
    body: () => ({ role: 'developer' }),
    otherTenant: 'gone',
  },
  'DELETE /tenants/:id/memberships/:userId': {
    path: async ({ tenantA, make }) => `/tenants/${tenantA}/memberships/${await make.user()}`,
    otherTenant: 'gone',
  },
  'GET /invitations': { path: () => '/invitations', otherTenant: 'own' },
  'POST /invitations': {
    path: () => '/invitations',
    body: ({ tenantA }) => ({ tenantId: tenantA, email: `${randomUUID()}@x.test` }),
    otherTenant: 'gone',
  },
  'DELETE /invitations/:id': {
    path: async ({ make }) => `/invitations/${await make.invitation()}`,
    otherTenant: 'gone',
  },
  'POST /setUpLinks': { path: () => '/setUpLinks', otherTenant: 403 },
  'POST /recoveryLinks': {
    path: () => '/recoveryLinks',
    body: ({ tenantA }) => ({ tenantId: tenantA, email: 'x@x.test' }),
    otherTenant: 403,
  },
  'GET /sessions': { path: async ({ make }) => `/sessions?userId=${await make.user()}`, otherTenant: 'gone' },
  'DELETE /sessions/:id': { path: async ({ make }) => `/sessions/${await make.session()}`, otherTenant: 'gone' },
  'POST /revocations': {
    path: () => '/revocations',
    body: async (w) => ({ what: 'application', id: await app(w) }),
    otherTenant: 'gone',
  },
  'GET /keys': { path: () => '/keys', otherTenant: 403 },
  'GET /configuration/rules': { path: () => '/configuration/rules', otherTenant: 403 },
  'GET /configuration/grants': { path: () => '/configuration/grants', otherTenant: 403 },
  'POST /configuration/reload': { path: () => '/configuration/reload', otherTenant: 403 },
  'POST /keys/rotate': { path: () => '/keys/rotate', body: () => ({}), otherTenant: 403 },
  'DELETE /keys/:kid': { path: () => `/keys/${'x'.repeat(43)}`, otherTenant: 403 },
  'GET /permissions': { path: () => '/permissions', otherTenant: 'open' },
  'GET /auditEvents': { path: () => '/auditEvents', otherTenant: 'own' },
  'GET /activity': { path: () => '/activity', otherTenant: 'own' },
  'GET /auditEvents/verification': { path: () => '/auditEvents/verification', otherTenant: 'open' },
  'POST /auditEvents/verification': {
    path: () => '/auditEvents/verification',
    body: () => ({ checkpoints: [] }),
    otherTenant: 403,
  },
  'GET /auditEvents/server': { path: () => '/auditEvents/server', otherTenant: 403 },
  'GET /auditEvents/server/verification': { path: () => '/auditEvents/server/verification', otherTenant: 403 },
  'GET /activity/server': { path: () => '/activity/server', otherTenant: 403 },
  'GET /auditEvents/checkpoint': { path: () => '/auditEvents/checkpoint', otherTenant: 403 },
  'GET /auditEvents/pruning': { path: () => '/auditEvents/pruning?before=2020-01-01', otherTenant: 403 },
  'POST /auditEvents/pruning': {
    path: () => '/auditEvents/pruning',
    body: () => ({ through: 1, withoutExport: true }),
    otherTenant: 403,
  },
  'GET /apiCatalogue': { path: () => '/apiCatalogue', otherTenant: 'own' },
  'GET /apiCatalogue/:id': { path: () => '/apiCatalogue/services-behind-the-gate', otherTenant: 'open' },
  'GET /apiCatalogue/:id/callers': {
    path: () => '/apiCatalogue/services-behind-the-gate/callers',
    otherTenant: 'own',
  },
  'GET /apiCatalogue/:id/openapi.json': {
    path: () => '/apiCatalogue/services-behind-the-gate/openapi.json',
    otherTenant: 'open',
  },
  'GET /usage': { path: () => '/usage', otherTenant: 'own' },
  ...Object.fromEntries(
    ['applications', 'applications/lines', 'unusedPermissions', 'people', 'signIns'].map((name) => [
      `GET /overview/${name}`,
      { path: () => `/overview/${name}`, otherTenant: 'own' as const },
    ]),
  ),
  'GET /overview/server': { path: () => '/overview/server', otherTenant: 403 },
  'GET /usage/limits': { path: () => '/usage/limits', otherTenant: 'own' },
  'GET /applications/:id/permissionUse': {
    path: async (w) => `/applications/${await app(w)}/permissionUse`,
    otherTenant: 'gone',
  },
  'GET /applications/:id/consequences': {
    path: async (w) => `/applications/${await app(w)}/consequences`,
    otherTenant: 'gone',
  },
  'GET /users/:id/consequences': {
    path: async ({ make }) => `/users/${await make.user()}/consequences`,
    otherTenant: 'gone',
  },
  'GET /tenants/:id/consequences': { path: ({ tenantA }) => `/tenants/${tenantA}/consequences`, otherTenant: 'gone' },
  'GET /credentials/:id/consequences': {
    path: async ({ make }) => `/credentials/${(await make.application()).keyId}/consequences`,
    otherTenant: 'gone',
  },
  'GET /registrationTokens/:id/consequences': {
    path: async ({ make }) => `/registrationTokens/${await make.registrationToken()}/consequences`,
    otherTenant: 'gone',
    least: 'administrator',
  },
  'GET /recoveryLinks/consequences': {
    path: () => '/recoveryLinks/consequences?email=x@x.test',
    otherTenant: 403,
  },
  'GET /keys/consequences': { path: () => '/keys/consequences', otherTenant: 403 },
  'GET /applications/:id/pkceUse': { path: async (w) => `/applications/${await app(w)}/pkceUse`, otherTenant: 'gone' },
  'POST /applications/:id/removeUnused': {
    path: async (w) => `/applications/${await app(w)}/removeUnused`,
    // Not configured, so that there is nothing to refuse but the caller.
    body: () => ({ permissions: [{ kind: 'application', id: 'assets_delete' }] }),
    otherTenant: 'gone',
    done: 409,
  },
  'GET /applications/:id/activity': {
    path: async (w) => `/applications/${await app(w)}/activity`,
    otherTenant: 'gone',
  },
  'GET /explain/:requestId': {
    async path(w) {
      const requestId = randomUUID()
      const refused = {
        what: 'token',
        outcome: 'refused',
        reason: 'secret_wrong',
        status: 401,
        isProved: false,
      } as const
      w.testApp.decisions.note({ ...refused, applicationId: await app(w), requestId })
      return `/explain/${requestId}`
    },
    otherTenant: 'gone',
  },
  'POST /explain': {
    path: () => '/explain',
    body: async (w) => ({ method: 'GET', path: '/api/v2/me', applicationId: await app(w) }),
    otherTenant: 'gone',
  },
  'GET /apis': { path: () => '/apis', otherTenant: 'own' },
  'POST /apis': {
    path: () => '/apis',
    body: ({ tenantA }) => ({ ...api(), tenantId: tenantA }),
    otherTenant: 'gone',
  },
  'GET /apis/:id/consequences': { path: async (w) => `/apis/${await apiOf(w)}/consequences`, otherTenant: 'gone' },
  'GET /apis/:id': { path: async (w) => `/apis/${await apiOf(w)}`, otherTenant: 'gone' },
  'PATCH /apis/:id': { path: async (w) => `/apis/${await apiOf(w)}`, body: () => ({ name: 'x' }), otherTenant: 'gone' },
  'DELETE /apis/:id': { path: async (w) => `/apis/${await apiOf(w)}`, otherTenant: 'gone' },
  'GET /webhooks': { path: () => '/webhooks', otherTenant: 'own' },
  'POST /webhooks': {
    path: () => '/webhooks',
    body: async (w) => {
      await forgetWebhooks(w)
      return { url: 'https://hooks.invalid/', events: ['*'], tenantId: w.tenantA }
    },
    otherTenant: 'gone',
  },
  'GET /webhooks/:id': { path: async (w) => `/webhooks/${(await webhookOf(w)).id}`, otherTenant: 'gone' },
  'PATCH /webhooks/:id': {
    path: async (w) => `/webhooks/${(await webhookOf(w)).id}`,
    body: () => ({ enabled: false }),
    otherTenant: 'gone',
  },
  'DELETE /webhooks/:id': { path: async (w) => `/webhooks/${(await webhookOf(w)).id}`, otherTenant: 'gone' },
  'POST /webhooks/:id/test': { path: async (w) => `/webhooks/${(await webhookOf(w)).id}/test`, otherTenant: 'gone' },
  'GET /webhooks/:id/deliveries': {
    path: async (w) => `/webhooks/${(await webhookOf(w)).id}/deliveries`,
    otherTenant: 'gone',
  },
  'GET /webhookEvents': { path: () => '/webhookEvents', otherTenant: 'own' },
  'POST /webhooks/:id/secret': {
    path: async (w) => `/webhooks/${(await webhookOf(w)).id}/secret`,
    body: () => ({}),
    otherTenant: 'gone',
  },
  'GET /webhooks/:id/backlog': {
    path: async (w) => `/webhooks/${(await webhookOf(w)).id}/backlog`,
    otherTenant: 'gone',
  },
  'POST /webhooks/:id/replay': {
    path: async (w) => `/webhooks/${(await webhookOf(w)).id}/replay`,
    otherTenant: 'gone',
  },
  'GET /webhooks/:id/deliveries/:deliveryId': {
    async path(w) {
      const { id, deliveryId } = await webhookOf(w)
      return `/webhooks/${id}/deliveries/${deliveryId}`
    },
    otherTenant: 'gone',
  },
  'POST /webhooks/:id/deliveries/:deliveryId/redeliver': {
    async path(w) {
      const { id, deliveryId } = await webhookOf(w)
      return `/webhooks/${id}/deliveries/${deliveryId}/redeliver`
    },
    otherTenant: 'gone',
  },
  'GET /providers': { path: () => '/providers', otherTenant: 403 },
  'GET /providers/:name': { path: () => '/providers/corp', otherTenant: 403 },
  'POST /providers/:name/check': { path: () => '/providers/corp/check', otherTenant: 403 },
  'GET /operators': { path: () => '/operators', otherTenant: 403 },
  'GET /routes': { path: () => '/routes', otherTenant: 403 },
  'GET /toolChanges': { path: () => '/toolChanges', otherTenant: 403 },
  'GET /toolChanges/:id': { path: () => '/toolChanges/1', otherTenant: 403 },
  'POST /toolChanges/:id/approve': {
    path: () => '/toolChanges/1/approve',
    body: () => ({ digest: 'x'.repeat(43) }),
    otherTenant: 403,
  },
  'GET /status': { path: () => '/status', otherTenant: 403 },
}

const events = { allow: ['127.0.0.1'], ca: undefined }
const open = async (t: Test) => {
  const testApp = await openManagement(t, { events, plans: threePlans })
  plantProvider(testApp)
  return openWorld(testApp)
}

async function send(world: World, route: string, entry: RouteCase) {
  const [method = 'GET'] = route.split(' ')
  const path = await entry.path(world)
  const body = await entry.body?.(world)
  return { path, answer: () => world.testApp.manage(method as Method, path, body) }
}

t.test('U2 every route is in the matrix, and the matrix has no other', async (t) => {
  const { managementRoutes } = await openManagement(t)
  const registered = managementRoutes.map(({ method, url }) => `${method} ${url.replace('/api/v2', '')}`)
  t.same(registered.filter((route) => !(route in table)).sort(), [], 'routes without a line here')
  t.same(
    Object.keys(table).filter((route) => !registered.includes(route)),
    [],
    'lines without a route',
  )
})

/** For a person: the least role that the route wants, and whether one with `role` passes its guard. */
function guardOf({ testApp: { catalogue, managementRoutes } }: World, route: string) {
  const { access } =
    managementRoutes.find(({ method, url }) => `${method} ${url.replace('/api/v2', '')}` === route) ?? {}
  const definition = catalogue.find('delegated', catalogue.own.id, access?.permission ?? '')
  const least = table[route]?.least ?? definition?.role ?? 'owner'
  const isOpen = (role: Role) => isAtLeast(role, least) && access?.operator !== true && access?.local !== true
  /** Any token may ask, about itself. */
  return { isOpen, isForTokens: access?.caller === true }
}

/** What is documented in decision 0056. */
const documented = { gone: [404], own: [200], open: [200], 400: [400], 403: [403] }

t.test(
  'U2 nobody of another tenant, in any role, by session or by token, meets anything of this one or changes it',
  async (t) => {
    const world = await open(t)
    const { testApp, tenantB, ownerOfB, secretsOfA } = world
    const all = testApp.catalogue.permissions.filter(({ resource }) => resource === testApp.catalogue.own.id)
    const ids = (kind: 'application' | 'delegated') =>
      all.filter(({ kinds }) => kinds.includes(kind)).map(({ id }) => id)
    const people = await Promise.all(
      roles.map(async (role) => {
        const userId = role === 'owner' ? ownerOfB : (await makePerson(testApp.deps, tenantB, { role })).userId
        return [
          { name: `a session of a ${role}`, role, principal: atPortal(userId, tenantB) },
          { name: `a token of a ${role}`, role, principal: withToken(world, tenantB, ids('delegated'), userId) },
        ]
      }),
    )
    const application = { name: 'an application', role: undefined }
    const callers = [...people.flat(), { ...application, principal: withToken(world, tenantB, ids('application')) }]
    t.equal(callers.length, 9)
    for (const [route, entry] of Object.entries(table)) {
      const { isOpen, isForTokens } = guardOf(world, route)
      const expected = documented[entry.otherTenant]
      testApp.caller.principal = { kind: 'local' }
      // Nobody changes anything, so one thing of each kind does for all of them.
      const { path, answer } = await send(world, route, entry)
      const before = testApp.feed.seq
      for (const { name, role, principal } of callers) {
        testApp.caller.principal = principal
        const { statusCode, body } = await answer()
        const title = `${route} by ${name}`
        // An application never consents, and has no place at the server, whatever it asks about. Where the handler
        // wants more than the guard, it may find first that there is nothing.
        const isAllowed =
          role === undefined || isOpen(role) || role === 'owner' || entry.least !== undefined || isForTokens
        const isThroughOther = entry.ownHand === true && name.startsWith('a token')
        const isRefused = role === undefined || (role !== 'owner' && !isOpen(role)) || isThroughOther
        const may = [...(isAllowed ? expected : []), ...(isRefused ? [403] : [])]
        t.ok(may.includes(statusCode), `${title}: ${statusCode}, not ${may.join(' or ')}`)
        const shown = secretsOfA.filter((secret) => body.includes(secret) && !path.includes(secret))
        t.same(shown, [], `${title} shows nothing`)
        t.equal(testApp.feed.seq, before, `${title} changes nothing`)
      }
    }
  },
)

t.test('U2 in the own tenant a role opens what it is for and nothing above', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  for (const [route, entry] of Object.entries(table)) {
    const guard = guardOf(world, route)
    let sent: Awaited<ReturnType<typeof send>> | undefined
    for (const role of roles) {
      testApp.caller.principal = { kind: 'local' }
      // Who is refused changes nothing, so the next one has the same thing before them.
      sent ??= await send(world, route, entry)
      const { answer } = sent
      const before = testApp.feed.seq
      testApp.caller.principal = atPortal(a[role], tenantA)
      const { statusCode, body } = await answer()
      const isOpen = guard.isOpen(role)
      if (isOpen) sent = undefined
      t.equal(statusCode !== 403, isOpen, `${route} as ${role}: ${statusCode} ${isOpen ? '' : body.slice(0, 80)}`)
      if (isOpen)
        t.ok(
          entry.done === statusCode || statusCode < 300,
          `${route} as ${role} does it: ${statusCode} ${body.slice(0, 120)}`,
        )
      else t.equal(testApp.feed.seq, before, `${route} as ${role} changes nothing`)
    }
  }
})

t.test('U2 a token opens what its permission is for, and a person’s only with their role', async (t) => {
  const world = await open(t)
  const { testApp, tenantA, a } = world
  for (const { method, url, access } of testApp.managementRoutes) {
    const route = `${method} ${url.replace('/api/v2', '')}`
    const entry = table[route]
    if (entry === undefined || access.local === true) continue
    const others = testApp.catalogue.permissions
      .filter(({ id, covers }) => id !== access.permission && !covers.includes(access.permission))
      .map(({ id }) => id)
    testApp.caller.principal = { kind: 'local' }
    // All of them are refused, so one thing does for all.
    const { answer } = await send(world, route, entry)
    for (const [name, principal] of [
      ['an application with every other permission', withToken(world, tenantA, others)],
      ['a person with every other permission', withToken(world, tenantA, others, a.owner)],
      ['a member with every permission', withToken(world, tenantA, [access.permission], a.member)],
      ['somebody who belongs elsewhere', withToken(world, tenantA, [access.permission], world.ownerOfB)],
    ] as const) {
      const definition = testApp.catalogue.find('delegated', testApp.catalogue.own.id, access.permission)
      if (name.startsWith('a member') && definition?.role === 'member' && access.operator !== true) continue
      if ('caller' in access && !name.startsWith('somebody')) continue
      if ('self' in access && name.startsWith('an application')) continue
      const before = testApp.feed.seq
      testApp.caller.principal = principal
      t.equal((await answer()).statusCode, 403, `${route} by ${name}`)
      t.equal(testApp.feed.seq, before)
    }
  }
})

/** Allowed, and refused because there is no such key or change, or nothing that could be removed. */
const nothingToDo = new Set([
  'DELETE /keys/:kid',
  'POST /auditEvents/pruning',
  'GET /toolChanges/:id',
  'POST /toolChanges/:id/approve',
])
const ofPlans = /^(GET|PUT) \/applications\/:id\/plan(Usage)?$|^POST \/planRequests\/:id\//
const addsPeople = new Set(['POST /users', 'POST /tenants/:id/memberships'])

/** An operator sees a brand that imitates another, and takes it away. */
const ofTenants =
  /^(GET|PATCH) \/tenants\/:id(\/consequences)?$|^(GET|DELETE) \/tenants\/:id\/brand$|^GET \/applications\/:id\/brand$/

t.test('operators of the installation reach the server, and no other tenant’s things', async (t) => {
  const world = await open(t)
  const { testApp, tenantB, operatorOfB } = world
  for (const { method, url, access } of testApp.managementRoutes) {
    const route = `${method} ${url.replace('/api/v2', '')}`
    const entry = table[route]
    if (entry === undefined) continue
    testApp.caller.principal = { kind: 'local' }
    const { answer } = await send(world, route, entry)
    testApp.caller.principal = atPortal(operatorOfB, tenantB)
    const { statusCode } = await answer()
    if (access.local === true) t.equal(statusCode, 403, `${route}: only the local socket`)
    // Tenant A has an owner: nobody from elsewhere adds people to it (identity H1).
    else if (addsPeople.has(route)) t.equal(statusCode, 403, route)
    else if (access.operator === true) t.ok(statusCode < 300 || nothingToDo.has(route), `${route}: ${statusCode}`)
    // Plans are their product.
    else if (ofPlans.test(route)) t.ok(statusCode < 300, `${route}: ${statusCode}`)
    // Tenants are what operators look after.
    else if (entry.otherTenant === 'gone' && !ofTenants.test(route)) t.equal(statusCode, 404, route)
  }
})

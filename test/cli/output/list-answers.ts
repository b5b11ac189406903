// What a server says to every command that lists something: rows as people have them, long names and all.

import type { SocketAnswer } from '../../support/rooms/cli.js'

export const ids = {
  application: '0f8fad5b-d9cb-469f-a165-70867728950e',
  tenant: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  user: '550e8400-e29b-41d4-a716-446655440000',
  other: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
}
/** When the commands of the tests run: epoch milliseconds. */
export const now = Date.parse('2026-03-01T12:00:00.000Z')

const [earlier, later] = ['2026-03-01T11:58:00.000Z', '2026-03-04T12:00:00.000Z']
const name = 'Nightly invoices of the northern warehouses, second line'
const email = 'maximiliana.vandenberg-oosterhuis@subsidiary.contoso.example'
const permission = { kind: 'application', resource: 'portcullis', id: 'Subscription.Manage.All' }
const application = {
  ...{ name, applicationId: ids.application, type: 'web', state: 'enabled', tenantId: ids.tenant },
  ...{ permissions: [permission], consents: [{ tenantId: ids.tenant, permissions: [permission] }] },
  ...{ publicKey: 'pcl_pk_1', redirectUris: [], secrets: [], owners: [], requirePkce: false },
}
const subject = { tenantId: ids.tenant, applicationId: ids.application, userId: ids.user, address: '203.0.113.77' }
const event = { ...subject, at: earlier, event: 'user.second-factor-added', details: {} }
const invitation = { id: ids.other, email, role: 'administrator', tenantId: ids.tenant, expiresAt: later }
const calls = { allowed: 1_234_567, refused: { permission: 12, limit: 3, token: 4 }, errors: { client: 5, server: 6 } }
const consent = { ...subject, permissions: [{ ...permission, grantedAt: earlier }] }
const request = {
  ...subject,
  permissions: [permission],
  requestId: ids.other,
  state: 'pending',
  requestedBy: ids.user,
  reason: `For ${name}`,
}
const use = {
  ...permission,
  ...{ consent: 'tenant', lastUsedAt: earlier, usesIn30Days: 123_456, usesIn90Days: 234_567 },
  ...{ measured: true, unused: false, unusedSince: null, neededElsewhere: false },
}
const delivery = {
  ...{ id: ids.other, type: 'portcullis.application.registered', state: 'waiting', attempts: 3 },
  ...{ lastAttemptAt: earlier, lastReason: 'the certificate is not trusted', lastStatus: null, nextAttemptAt: later },
}
const rules = {
  catalogue: { resources: [], permissions: [] },
  limits: [],
  upstreams: [],
}
const status = {
  ...{ version: '1.2.3', mode: 'production', baseUrl: 'https://api.example', uptimeSeconds: 1, seq: 4, viewAgeMs: 3 },
  ...{ viewStale: false, ready: true, reasons: [], degraded: [], store: { kind: 'sqlite', available: true } },
  ...{ redis: null, instance: 'a', leader: true, clockSkewSeconds: 0, routes: 1, upstreams: ['posts'] },
  instances: [{ id: 'a1b2c3d4', name: `${name}:1`, startedAt: earlier, seq: 42, leader: true }],
  targets: [
    { upstream: 'posts', target: 'http://posts.internal.contoso.example:8601', state: 'failing', since: earlier },
  ],
}

const plan = {
  ...{
    name: 'starter',
    describe: `For ${name}`,
    chosenBy: 'developers',
    default: true,
    concurrent: 5,
    mayChoose: true,
  },
  limits: [
    { name: 'calls', by: ['application'], kind: 'rate', limit: 1_000, periodSeconds: 60, burst: 2_000, routes: null },
  ],
}

/** By the path below /api/v2, without its query. A list is the array itself. */
const answers: readonly [RegExp, unknown][] = [
  [/^\/applications$/, [application, { ...application, name: 'a', applicationId: ids.other }]],
  [
    /^\/applications\/[^/]+\/federatedCredentials$/,
    [{ id: ids.other, name, issuer: 'https://token.actions.example', subject: `repo:${name}`, audience: 'a' }],
  ],
  [/^\/applications\/[^/]+\/owners$/, [{ ownerId: ids.user, kind: 'user', name, addedAt: earlier }]],
  [
    /^\/applications\/[^/]+\/consentRequests$/,
    [{ ...request, mine: true, requestedBy: null, createdAt: earlier, decidedAt: null }],
  ],
  [/^\/applications\/[^/]+\/permissionUse$/, { value: [use], removable: [], unusedAfterSeconds: 60 }],
  [/^\/applications\/[^/]+$/, application],
  [/^\/tenants$/, [{ name: 'Contoso', tenantId: ids.tenant, state: 'enabled', createdAt: earlier }]],
  [/^\/tenants\/[^/]+\/memberships$/, [{ userId: ids.user, role: 'owner', createdAt: earlier }]],
  [
    /^\/tenants\/[^/]+\/newRedirectOrigins$/,
    [{ applicationName: name, origin: 'https://somewhere.else.example', addedBy: email, addedAt: earlier }],
  ],
  [/^\/tenants\/[^/]+$/, { name: 'Contoso', tenantId: ids.tenant }],
  [/^\/users$/, [{ name, email, userId: ids.user, state: 'enabled', lastSignInAt: earlier }]],
  [/^\/users\/[^/]+$/, { name, email, userId: ids.user }],
  [
    /^\/sessions$/,
    [
      {
        id: 'a'.repeat(64),
        lastSeenAt: earlier,
        createdAt: earlier,
        address: '203.0.113.7',
        userAgent: `Mozilla ${name}`,
      },
    ],
  ],
  [/^\/invitations$/, [invitation]],
  [/^\/permissions$/, [{ id: permission.id, kinds: ['application', 'delegated'], resource: 'r', description: name }]],
  [/^\/apis$/, [{ name, identifier: `api://${ids.tenant}/warehouse`, permissions: [], apiId: ids.other }]],
  [
    /^\/apiCatalogue$/,
    [
      {
        ...{ apiId: 'posts', name, state: 'current', operationCount: 12, resources: [`api://${ids.tenant}/warehouse`] },
        permissions: [permission, permission, permission],
      },
    ],
  ],
  [
    /^\/apiCatalogue\/posts\/callers$/,
    {
      ...{ tenantId: ids.tenant, complete: true },
      value: [
        {
          ...{
            name,
            applicationId: ids.application,
            route: 'GET /warehouse/shelves/{shelf}/boxes',
            homeTenant: 'Contoso',
          },
          ...{ lastHour: 12, lastDay: 120, lastThirtyDays: 12345 },
        },
      ],
    },
  ],
  [/^\/consents$/, [consent, { ...consent, userId: null }]],
  [/^\/consentRequests$/, [request]],
  [
    /^\/registrationTokens$/,
    [{ id: ids.other, label: name, usesLeft: 3, expiresAt: later, tenantId: ids.tenant, permissions: [permission] }],
  ],
  [
    /^\/auditEvents$/,
    {
      value: [
        { ...event, position: 123_456, actor: { kind: 'user', userId: ids.user } },
        { ...event, position: 123_455, actor: { kind: 'application', applicationId: ids.application } },
      ],
      names: { people: {}, applications: {}, tenants: {}, events: ['secret.created'] },
    },
  ],
  [/^\/activity$/, [event]],
  [/^\/plans$/, { value: [plan] }],
  [
    /^\/planRequests$/,
    [
      {
        ...{ requestId: ids.other, applicationId: ids.application, applicationName: name, tenantId: ids.tenant },
        ...{ plan: 'starter', reason: `For ${name}`, requestedBy: ids.user, requestedAt: earlier },
      },
    ],
  ],
  [
    /^\/planUse$/,
    {
      value: [
        { plan: 'starter', defined: true, default: true, applications: 1_234_567, overridden: 12, definition: plan },
        { plan: 'gone', defined: false, default: false, applications: 1, overridden: 0, definition: null },
      ],
      unassigned: 3,
    },
  ],
  [
    /^\/webhooks$/,
    [{ id: ids.other, url: `https://hooks.example/${name}`, events: ['*'], enabled: true, tenantId: ids.tenant }],
  ],
  [/^\/webhooks\/[^/]+\/deliveries$/, [delivery]],
  [
    /^\/providers$/,
    [
      {
        name: 'corp',
        label: name,
        issuer: 'https://id.example',
        createUsers: true,
        role: 'member',
        redirectUri: 'https://gate.example/sign-in/external/corp/callback',
      },
    ],
  ],
  [
    /^\/keys$/,
    [{ kid: 'Xk3f9a0123456789abcdef', purpose: 'token', alg: 'ES256', state: 'active', activatesAt: earlier }],
  ],
  [
    /^\/toolChanges$/,
    [{ id: ids.other, route: '/desk/mcp', tool: 'close_ticket', held: true, changedAt: earlier, approvedAt: earlier }],
  ],
  [
    /^\/tenants\/[^/]+\/toolRules$/,
    [
      {
        ...{ route: '/desk/mcp', tool: 'close_ticket', resource: 'https://gate.example/desk/mcp' },
        ...{ needs: [['desk.write', 'desk.purge']], floor: 'approval', rule: 'second_factor' },
      },
    ],
  ],
  [
    /^\/usage$/,
    { by: 'application', value: [{ key: ids.application, applicationId: ids.application, name, ...calls }] },
  ],
  [/^\/status$/, status],
  [/^\/configuration\/rules$/, rules],
]

/** The answer of a server with rows, or of one where there is nothing yet but what a command needs to begin. */
export function listAnswer(path: string, isEmpty: boolean): SocketAnswer {
  const plain = path.replace(/^\/api\/v2/, '').replace(/\?.*/, '')
  const found = answers.find(([pattern]) => pattern.test(plain))?.[1]
  if (found === undefined) return { status: 404, json: { error: { code: 'NotFound', message: `nothing at ${path}` } } }
  if (Array.isArray(found)) return { json: { value: isEmpty && plain !== '/tenants' ? [] : found } }
  const isList = typeof found === 'object' && found !== null && 'value' in found
  return { json: isEmpty && isList ? { ...found, value: [] } : found }
}

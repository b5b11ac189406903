// What ends an exchanged token (decision 154): each of its parents, at once, by the revocation view alone. The token is
// tried where the gate tries it; nothing but the change is looked at.

import t from 'tap'
import { changeApplication } from '../../../src/directory/applications/application-changes.js'
import { deleteApplication } from '../../../src/directory/applications/delete-application.js'
import { withdrawTenantConsent, withdrawUserConsent } from '../../../src/directory/consents/withdrawal.js'
import { endSecret } from '../../../src/directory/credentials/secrets.js'
import { configurePermissions } from '../../../src/directory/permissions/permissions.js'
import { changeTenant } from '../../../src/directory/tenants/tenants.js'
import { BearerError } from '../../../src/oauth/errors/errors.js'
import { revoke } from '../../../src/revocation/revoke.js'
import { setUserState } from '../../../src/users/accounts/user-state.js'
import { removeMembership } from '../../../src/users/memberships/leave-tenant.js'
import { setRole } from '../../../src/users/memberships/memberships.js'
import { textOf } from '../../support/browser/scripted-browser.js'
import {
  billingResource,
  booksResource,
  deskResource,
  type ExchangeApp,
  openExchange,
} from '../../support/rooms/exchange.js'
import { introspectPath, readToken, revokePath } from '../../support/rooms/identity.js'

/** Why the gate would refuse the token now, and on the other API only. */
function refusalOf(app: ExchangeApp, token: string, resource = billingResource): string | undefined {
  try {
    app.deps.authenticator.authenticate(['authorization', `Bearer ${token}`], undefined, resource)
    return undefined
  } catch (error) {
    return error instanceof BearerError ? error.reason : String(error)
  }
}

interface Scene extends ExchangeApp {
  agentsToken: string
  /** What the help desk got of the agent's call. */
  exchanged: string
}

async function open(t: { testdir(): string; teardown(work: () => unknown): void }): Promise<Scene> {
  const app = await openExchange(t)
  const agentsToken = await app.agentToken()
  const made = await app.exchange(app.desk, await app.assertion(agentsToken), { scope: 'billing.read' })
  const exchanged = String(made.body['access_token'])
  return { ...app, agentsToken, exchanged }
}

const delegated = (resource: string, id: string) => ({ kind: 'delegated', resource, id }) as const

/** What ends it, and how the gate says it. */
const ends: readonly (readonly [string, (app: Scene) => Promise<unknown>, RegExp])[] = [
  [
    'the agent revokes its own token',
    (app) => app.post(revokePath, { token: app.agentsToken, ...app.agent.client }),
    /^token_revoked$/,
  ],
  [
    'the service revokes the exchanged token',
    (app) => app.post(revokePath, { token: app.exchanged, ...app.desk.client }),
    /^token_revoked$/,
  ],
  [
    'the person’s grant ends',
    (app) => revoke(app.writes, { what: 'grant', id: String(readToken(app.agentsToken).claims['gid']) }),
    /^grant_revoked$/,
  ],
  [
    'the person withdraws the agent',
    ({ writes, user, agent, tenantId }) =>
      withdrawUserConsent(writes, { userId: user.userId, applicationId: agent.applicationId, tenantId }),
    /^holder_revoked$/,
  ],
  [
    'the person withdraws the service, which has no grant of its own',
    ({ writes, user, desk, tenantId }) =>
      withdrawUserConsent(writes, { userId: user.userId, applicationId: desk.applicationId, tenantId }),
    /^holder_revoked$/,
  ],
  [
    'an administrator withdraws the agent',
    ({ writes, agent, tenantId }) =>
      withdrawTenantConsent(writes, agent.applicationId, { tenantId, permissions: 'all' }),
    /^grant_revoked$/,
  ],
  [
    'an administrator withdraws the service',
    ({ writes, desk, tenantId }) => withdrawTenantConsent(writes, desk.applicationId, { tenantId, permissions: 'all' }),
    /^application_revoked$/,
  ],
  [
    'the agent is disabled',
    ({ writes, agent }) => changeApplication(writes, agent.applicationId, { state: 'disabled' }),
    /^application_/,
  ],
  [
    'the service is disabled',
    ({ writes, desk }) => changeApplication(writes, desk.applicationId, { state: 'disabled' }),
    /^application_/,
  ],
  ['the agent is deleted', ({ writes, agent }) => deleteApplication(writes, agent.applicationId), /^application_/],
  ['the service is deleted', ({ writes, desk }) => deleteApplication(writes, desk.applicationId), /^application_/],
  ['the agent’s secret ends', ({ writes, agent }) => endSecret(writes, agent), /^credential_/],
  ['the service’s secret ends', ({ writes, desk }) => endSecret(writes, desk), /^credential_/],
  [
    'the agent is configured for less',
    ({ writes, agent }) => configurePermissions(writes, agent.applicationId, [delegated(deskResource, 'desk.read')]),
    /^application_revoked$/,
  ],
  [
    'the service is configured for less',
    ({ writes, desk }) => configurePermissions(writes, desk.applicationId, [delegated(booksResource, 'books.read')]),
    /^application_revoked$/,
  ],
  ['the person is disabled', (app) => setUserState(app.deps.users, app.user.userId, 'disabled'), /^user_/],
  [
    'the person leaves the tenant',
    ({ deps, user, tenantId }) => removeMembership(deps.users, { userId: user.userId, tenantId }),
    /_revoked$/,
  ],
  [
    'the person’s role is lowered',
    ({ deps, user, tenantId }) => setRole(deps.users, { userId: user.userId, tenantId, role: 'member' }),
    /_revoked$/,
  ],
  [
    'the tenant is disabled',
    ({ writes, tenantId }) => changeTenant(writes, tenantId, { state: 'disabled' }),
    /^tenant_/,
  ],
]

for (const [title, end, reason] of ends) {
  t.test(`T30 ${title}: the exchanged token is refused at once, and nothing more comes of its parent`, async (t) => {
    const app = await open(t)
    if (title.includes('role')) await setRole(app.deps.users, { ...app, userId: app.user.userId, role: 'developer' })
    const assertion = await app.assertion(app.agentsToken)
    t.equal(refusalOf(app, app.exchanged), undefined)
    const answer = (await end(app)) as { statusCode?: number } | undefined
    t.ok([undefined, 200].includes(answer?.statusCode))
    t.match(refusalOf(app, app.exchanged), reason)
    if (title.includes('exchanged token')) return
    const again = await app.exchange(app.desk, assertion, { scope: 'billing.read' })
    t.ok(again.status >= 400, 'the assertion that is still good for its minute')
  })
}

t.test('T30 a chain ends with each token of it, and leaves those before', async (t) => {
  const app = await open(t)
  const atBilling = await app.assertion(app.exchanged, { upstream: 'billing', permissions: ['billing.read'] })
  const made = await app.exchange(app.billing, atBilling, { scope: 'books.read' })
  const last = String(made.body['access_token'])
  t.equal(refusalOf(app, last, booksResource), undefined)
  await app.post(revokePath, { token: app.exchanged, ...app.desk.client })
  t.equal(refusalOf(app, last, booksResource), 'token_revoked')
  t.equal(refusalOf(app, app.agentsToken, deskResource), undefined)
})

t.test('what happens to others ends nothing', async (t) => {
  const app = await open(t)
  const other = await app.agentToken()
  await app.post(revokePath, { token: other, ...app.agent.client })
  await changeApplication(app.writes, app.billing.applicationId, { state: 'disabled' })
  await withdrawUserConsent(app.writes, {
    ...{ userId: app.user.userId, applicationId: app.books.applicationId, tenantId: app.tenantId },
  })
  t.equal(refusalOf(app, app.exchanged), undefined)
  t.equal(refusalOf(app, app.exchanged, deskResource), 'wrong_audience')
})

t.test('who withdraws and then allows it again gets new tokens, never the old ones back', async (t) => {
  const app = await open(t)
  const { userId } = app.user
  const { applicationId } = app.desk
  await withdrawUserConsent(app.writes, { userId, applicationId, tenantId: app.tenantId })
  const assertion = await app.assertion(app.agentsToken)
  t.match((await app.exchange(app.desk, assertion, { scope: 'billing.read' })).body, { error_codes: [65001] })
  await app.consents(app.desk, { [billingResource]: ['billing.read'] })
  const made = await app.exchange(app.desk, assertion, { scope: 'billing.read' })
  t.equal(made.status, 200)
  t.equal(refusalOf(app, String(made.body['access_token'])), undefined)
  t.equal(refusalOf(app, app.exchanged), 'holder_revoked')
})

t.test('introspection tells a token whose parent ended as not active', async (t) => {
  const app = await open(t)
  const ask = async () => (await app.post(introspectPath, { token: app.exchanged, ...app.desk.client })).json().active
  t.equal(await ask(), true)
  await app.post(revokePath, { token: app.agentsToken, ...app.agent.client })
  t.equal(await ask(), false)
})

t.test('Apps with access shows who acts on whose calls, and withdrawing there ends it', async (t) => {
  const app = await open(t)
  const browser = await app.signedIn()
  const page = await browser.open('/account/apps')
  const id = `own-${app.desk.applicationId}-${app.tenantId}`
  const called = textOf(page, `called-${id}-${app.agent.applicationId}`)
  t.match(called, /When demo called it, last on/)
  t.match(called, /Allows billing\.read/)
  t.notMatch(called, /billing\.write|desk\.read/, 'what it got, and no more')
  t.equal((await browser.submit(page, `form-${id}`)).status, 200)
  t.equal(refusalOf(app, app.exchanged), 'holder_revoked')
  const rows = await app.store.reader.selectFrom('token_exchanges').selectAll().execute()
  t.same(rows, [])
})

t.test('what is new is in the ledger once; what goes on is a time', async (t) => {
  const app = await open(t)
  const events = async () =>
    (await app.store.reader.selectFrom('ledger').selectAll().where('event', '=', 'token.exchanged').execute()).map(
      ({ application_id, tenant_id, user_id, details }) => [application_id, tenant_id, user_id, JSON.parse(details)],
    )
  const again = async (scope: string) => app.exchange(app.desk, await app.assertion(app.agentsToken), { scope })
  for (let i = 0; i < 3; i += 1) await again('billing.read')
  const [first, ...others] = await events()
  t.same(others, [])
  t.match(first, [
    app.desk.applicationId,
    app.tenantId,
    app.user.userId,
    { resource: billingResource, permissions: ['billing.read'], callers: [app.agent.applicationId] },
  ])
  await again('billing.write')
  await again('billing.read')
  t.match((await events()).at(-1)?.[3], { permissions: ['billing.write'] })
  t.equal((await events()).length, 2)
  const rows = await app.store.reader.selectFrom('token_exchanges').selectAll().execute()
  t.match(rows, [{ permissions: 'billing.read billing.write', caller_id: app.agent.applicationId }])
  t.equal(rows.length, 1)
  t.match(app.logged.join(''), app.desk.applicationId)
  t.notMatch(app.logged.join(''), app.exchanged.split('.')[2], 'and no token in the log')
})

t.test('of two exchanges at once neither forgets what the other got', async (t) => {
  const app = await open(t)
  await app.store.transaction((tx) => tx.deleteFrom('token_exchanges').execute())
  const assertion = await app.assertion(app.agentsToken)
  const ask = (scope: string) => app.exchange(app.desk, assertion, { scope })
  const { transaction } = app.store
  // The other one comes between what the first reads and what it writes.
  app.store.transaction = async (work, separation) => {
    app.store.transaction = transaction
    await ask('billing.write')
    return transaction(work, separation)
  }
  await ask('billing.read')
  const [row] = await app.store.reader.selectFrom('token_exchanges').selectAll().execute()
  t.same(row?.permissions.split(' ').sort(), ['billing.read', 'billing.write'])
})

// The queries of sign-in, pages and tokens as SQLite plans them: each finds its rows by a key or an index, however many
// people there are. The statements are those of the query files, caught before they are run.

import { CompiledQuery } from 'kysely'
import t from 'tap'
import { countUserConsents } from '../../../src/storage/sql/consents/consent-counts.js'
import { listUserConsents } from '../../../src/storage/sql/consents/user-consents.js'
import { readAuthorizationCode, redeemAuthorizationCode } from '../../../src/storage/sql/grants/authorization-codes.js'
import { findDeviceCode } from '../../../src/storage/sql/grants/device-codes.js'
import { findUserCode } from '../../../src/storage/sql/grants/device-decisions.js'
import { endGrantRows, readGrant } from '../../../src/storage/sql/grants/grants.js'
import { listHeldGrants } from '../../../src/storage/sql/grants/held-grants.js'
import { deleteEndedPendingRequests } from '../../../src/storage/sql/grants/pending-request-upkeep.js'
import { findPendingRequest, takePendingRequest } from '../../../src/storage/sql/grants/pending-requests.js'
import { noteRefreshTokenUse, readRefreshToken } from '../../../src/storage/sql/grants/refresh-tokens.js'
import { listActivity } from '../../../src/storage/sql/ledger/activity.js'
import { pruneDecisions } from '../../../src/storage/sql/ledger/decision-upkeep.js'
import { listLedger } from '../../../src/storage/sql/ledger/ledger-entries.js'
import { findDecisions, listDecisions } from '../../../src/storage/sql/ledger/recorded-decisions.js'
import { readExternalIdentity } from '../../../src/storage/sql/people/external-identities.js'
import { readMemberships } from '../../../src/storage/sql/people/memberships.js'
import { readLinks } from '../../../src/storage/sql/people/one-time-links.js'
import { readPasskeys } from '../../../src/storage/sql/people/passkeys.js'
import { deleteSessions, readSessions, touchSession } from '../../../src/storage/sql/people/sessions.js'
import { deleteDeadLinks } from '../../../src/storage/sql/people/sign-in-upkeep.js'
import { readUser } from '../../../src/storage/sql/people/users.js'
import { readClientRegistration } from '../../../src/storage/sql/registrations/client-registrations.js'
import { readFederatedCredentials } from '../../../src/storage/sql/registrations/federated-credentials.js'
import { deletePkceUsage, readPkceUsage } from '../../../src/storage/sql/registrations/pkce/pkce-uses.js'
import {
  deleteRegistrationTokens,
  readRegistrationTokens,
  takeRegistrationUse,
} from '../../../src/storage/sql/registrations/registration-tokens.js'
import { listEndingSecrets } from '../../../src/storage/sql/registrations/secret-warnings.js'
import { anyRegistrationToken } from '../../../src/storage/sql/registrations/usable-registration-token.js'
import { statementsOver } from '../../../src/storage/sql/sqlite/sqlite-dialect.js'
import type { Statements } from '../../../src/storage/sql/store.js'
import { sumPermissionUsage, sumRouteUsage } from '../../../src/storage/sql/usage/usage-reads.js'
import { deletePermissionUsage, deleteRouteUsage } from '../../../src/storage/sql/usage/usage-upkeep.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

const page = { filter: {}, limit: 50, order: 'newest' } as const
const queries: readonly [string, (statements: Statements) => Promise<unknown>][] = [
  ['the session of a cookie', (tx) => readSessions(tx, { idHash: 'h' })],
  ['the sessions of a person', (tx) => readSessions(tx, { userId: 'u' })],
  ['a session is used', (tx) => touchSession(tx, 'h', 1)],
  ['the sessions of a person end', (tx) => deleteSessions(tx, { userId: 'u', except: 'h' })],
  ['a person', (tx) => readUser(tx, 'id', 'u')],
  ['a person by their address', (tx) => readUser(tx, 'email_key', 'a@b')],
  ['the tenants of a person', (tx) => readMemberships(tx, { userId: 'u' })],
  ['the people of a tenant', (tx) => readMemberships(tx, { tenantId: 't' })],
  ['a membership', (tx) => readMemberships(tx, { userId: 'u', tenantId: 't' })],
  ['a passkey', (tx) => readPasskeys(tx, { credentialId: 'c' })],
  ['the passkeys of a person', (tx) => readPasskeys(tx, { userId: 'u' })],
  ['an account elsewhere', (tx) => readExternalIdentity(tx, 'i', 's')],
  ['a registration token', (tx) => readRegistrationTokens(tx, { hash: 'h' })],
  ['the registration tokens of a tenant', (tx) => readRegistrationTokens(tx, { tenantId: 't' })],
  ['a registration token is used', (tx) => takeRegistrationUse(tx, 'h', 1)],
  ['whether there is a registration token', (tx) => anyRegistrationToken(tx, 1)],
  ['registration tokens that ended', (tx) => deleteRegistrationTokens(tx, { endedBefore: 1, limit: 10 })],
  ['a client that registered itself', (tx) => readClientRegistration(tx, 'a')],
  [
    'the recorded decisions of an application',
    (tx) => listDecisions(tx, { applicationId: 'a', filter: {}, limit: 10 }),
  ],
  ['the recorded decision of a request', (tx) => findDecisions(tx, 'r')],
  ['recorded decisions that are too many', (tx) => pruneDecisions(tx, { applicationId: 'a', proved: 1 }, 1, 10)],
  ['whom an application trusts', (tx) => readFederatedCredentials(tx, 'a')],
  ['a one-time link', (tx) => readLinks(tx, 1, { hash: 'h' })],
  ['links that ended', (tx) => deleteDeadLinks(tx, 1, 10)],
  ['a pending request', (tx) => findPendingRequest(tx, { idHash: 'h', browserHash: 'b', now: 1 })],
  ['a pending request is taken', (tx) => takePendingRequest(tx, 'h')],
  ['pending requests that ended', (tx) => deleteEndedPendingRequests(tx, 1, 10)],
  ['what a person allowed an application', (tx) => listUserConsents(tx, consent, 10)],
  ['what a person allowed', (tx) => listUserConsents(tx, { user_id: 'u' }, 10)],
  ['what people allowed an application', (tx) => listUserConsents(tx, { application_id: 'a', tenant_id: 't' }, 10)],
  ['what applications hold for a person', (tx) => listHeldGrants(tx, 'u', 1)],
  ['a code', (tx) => readAuthorizationCode(tx, 'h')],
  ['a code is redeemed', (tx) => redeemAuthorizationCode(tx, 'h', 1)],
  ['a grant', (tx) => readGrant(tx, 'g')],
  ['a grant is locked', (tx) => readGrant(tx, 'g', 'lock')],
  ['the grants of a person end', (tx) => endGrantRows(tx, { userId: 'u' }, 1)],
  ['the grants of an application end', (tx) => endGrantRows(tx, { applicationId: 'a' }, 1)],
  ['the grants of a tenant end', (tx) => endGrantRows(tx, { tenantId: 't' }, 1)],
  ['a refresh token', (tx) => readRefreshToken(tx, 'h')],
  ['a refresh token is used', (tx) => noteRefreshTokenUse(tx, 'h', 1)],
  ['a device code', (tx) => findDeviceCode(tx, 'h')],
  ['a user code', (tx) => findUserCode(tx, ['h', 'i'], 1)],
  ['the ledger of a tenant', (tx) => listLedger(tx, { ...page, filter: { tenantId: 't' } })],
  ['the ledger of an application', (tx) => listLedger(tx, { ...page, filter: { applicationId: 'a' } })],
  ['what an application uses', (tx) => sumPermissionUsage(tx, { applicationId: 'a', recentFrom: 1, quarterFrom: 1 })],
  [
    'calls of an application',
    (tx) => sumRouteUsage(tx, { applicationId: 'a', tenantId: 't', from: 1, to: 2 }, 'day', 9),
  ],
  ['calls in a tenant', (tx) => sumRouteUsage(tx, { tenantId: 't', from: 1, to: 2 }, 'route', 9)],
  ['counts that are kept no longer', (tx) => deletePermissionUsage(tx, 1, 10)],
  ['calls that are kept no longer', (tx) => deleteRouteUsage(tx, 1, 10)],
  ['sign-ins with PKCE of an application', (tx) => readPkceUsage(tx, 'a', 1)],
  ['sign-ins that are counted no longer', (tx) => deletePkceUsage(tx, 1, 10)],
  ['how many people allowed an application something', (tx) => countUserConsents(tx, { applicationId: 'a' })],
  ['secrets that end', (tx) => listEndingSecrets(tx, { nowMs: 1, untilMs: 2 }, 10)],
  ['what was tried in a tenant', (tx) => listActivity(tx, { ...page, filter: { tenantId: 't' } })],
]
const consent = { user_id: 'u', application_id: 'a', tenant_id: 't' }

t.test('no frequent query reads a whole table', async (t) => {
  const { store } = await openTemporaryStore(t)
  for (const [title, query] of queries) {
    for (const [text, parameters] of await statementsOf(query)) {
      const explain = CompiledQuery.raw(`explain query plan ${text}`, [...parameters])
      const { rows } = await store.reader.executeQuery<{ detail: string }>(explain)
      const plan = rows.map(({ detail }) => detail)
      t.ok(plan.length > 0, title)
      t.same(
        plan.filter((detail) => detail.startsWith('SCAN') && !detail.includes('USING')),
        [],
        title,
      )
    }
  }
  const scan = CompiledQuery.raw("explain query plan select * from users where name || '' = ?", ['n'])
  const { rows } = await store.reader.executeQuery<{ detail: string }>(scan)
  t.match(rows, [{ detail: /^SCAN/ }], 'and such a query would be seen')
})

/** What a query asks for, without asking: each statement with its parameters. */
async function statementsOf(
  query: (statements: Statements) => Promise<unknown>,
): Promise<(readonly [string, readonly unknown[]])[]> {
  const captured: [string, readonly unknown[]][] = []
  const caught = statementsOver(async (text, parameters) => {
    captured.push([text, parameters])
    return []
  })
  await query(caught).catch(() => undefined)
  return captured
}

// The queries of sign-in, pages and tokens as SQLite plans them: each finds its rows by a key or an index, however many
// people there are. The statements are those of the query files, caught before they are run.

import { CompiledQuery } from 'kysely'
import t from 'tap'
import { listActivity } from '../../src/memory/store/activity.js'
import { readAuthorizationCode, redeemAuthorizationCode } from '../../src/memory/store/authorization-codes.js'
import { readClientRegistration } from '../../src/memory/store/client-registrations.js'
import { countUserConsents } from '../../src/memory/store/consent-counts.js'
import { pruneDecisions } from '../../src/memory/store/decision-upkeep.js'
import { findDeviceCode } from '../../src/memory/store/device-codes.js'
import { findUserCode } from '../../src/memory/store/device-decisions.js'
import { readExternalIdentity } from '../../src/memory/store/external-identities.js'
import { readFederatedCredentials } from '../../src/memory/store/federated-credentials.js'
import { endGrantRows, readGrant } from '../../src/memory/store/grants.js'
import { listLedger } from '../../src/memory/store/ledger-entries.js'
import { readMemberships } from '../../src/memory/store/memberships.js'
import { readLinks } from '../../src/memory/store/one-time-links.js'
import { readPasskeys } from '../../src/memory/store/passkeys.js'
import { deleteEndedPendingRequests } from '../../src/memory/store/pending-request-upkeep.js'
import { findPendingRequest, takePendingRequest } from '../../src/memory/store/pending-requests.js'
import { deletePkceUsage, readPkceUsage } from '../../src/memory/store/pkce/pkce-uses.js'
import { findDecisions, listDecisions } from '../../src/memory/store/recorded-decisions.js'
import { noteRefreshTokenUse, readRefreshToken } from '../../src/memory/store/refresh-tokens.js'
import {
  deleteRegistrationTokens,
  readRegistrationTokens,
  takeRegistrationUse,
} from '../../src/memory/store/registration-tokens.js'
import { listEndingSecrets } from '../../src/memory/store/secret-warnings.js'
import { deleteSessions, readSessions, touchSession } from '../../src/memory/store/sessions.js'
import { deleteDeadLinks } from '../../src/memory/store/sign-in-upkeep.js'
import { statementsOver } from '../../src/memory/store/sqlite-dialect.js'
import type { Statements } from '../../src/memory/store/store.js'
import { anyRegistrationToken } from '../../src/memory/store/usable-registration-token.js'
import { sumPermissionUsage, sumRouteUsage } from '../../src/memory/store/usage-reads.js'
import { deletePermissionUsage, deleteRouteUsage } from '../../src/memory/store/usage-upkeep.js'
import { listHeldGrants, listUserConsents } from '../../src/memory/store/user-consents.js'
import { readUser } from '../../src/memory/store/users.js'
import { openTemporaryStore } from '../support/memory-store.js'

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
  ['what applications hold for a person', (tx) => listHeldGrants(tx, 'u')],
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
      const asked = CompiledQuery.raw(`explain query plan ${text}`, [...parameters])
      const { rows } = await store.reader.executeQuery<{ detail: string }>(asked)
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
  const seen: [string, readonly unknown[]][] = []
  const caught = statementsOver(async (text, parameters) => {
    seen.push([text, parameters])
    return []
  })
  await query(caught).catch(() => undefined)
  return seen
}

// The queries of grants, codes, refresh tokens and redirect origins, one after the other, with what each answered: the
// same on every engine.

import { deleteNamedConsents } from '../../src/storage/sql/consents/user-consents.js'
import {
  insertAuthorizationCode,
  readAuthorizationCode,
  redeemAuthorizationCode,
} from '../../src/storage/sql/grants/authorization-codes.js'
import { deleteGrants, listDeadGrants } from '../../src/storage/sql/grants/grant-upkeep.js'
import { endGrantRows, insertGrant, readGrant, updateGrant } from '../../src/storage/sql/grants/grants.js'
import { changeGrantsWith, listGrantContents } from '../../src/storage/sql/grants/grants-of-holder.js'
import {
  insertRefreshToken,
  noteRefreshTokenUse,
  readRefreshToken,
} from '../../src/storage/sql/grants/refresh-tokens.js'
import { replaceRedirectUris } from '../../src/storage/sql/registrations/application-lists.js'
import { insertApplication } from '../../src/storage/sql/registrations/applications.js'
import { listBrowserRedirectUris } from '../../src/storage/sql/registrations/redirect-origins.js'
import { insertTenant } from '../../src/storage/sql/registrations/tenants.js'
import { type Store, UniqueViolation } from '../../src/storage/sql/store.js'
import { applicationRow } from '../support/storage/rows.js'
import { tenantRow } from '../support/storage/temporary-store.js'
import { answersOf, type Query } from './answers.js'

/** Runs each query in a transaction of its own on an empty Store; their answers as JSON. */
export function answersOfGrantQueries(store: Store): Promise<string[]> {
  return answersOf(store, [...grants, ...codes, ...refreshTokens, ...upkeep, ...narrowed, ...origins], nameOf)
}

function nameOf(error: unknown): string {
  if (error instanceof UniqueViolation || error instanceof RangeError) return `refused: ${error.constructor.name}`
  throw error
}

const grant = (id: string, more: Partial<Parameters<typeof insertGrant>[1]> = {}) => ({
  ...{ id, origin: 'code', user_id: 'u1', application_id: 'a1', tenant_id: 't1', resource: 'r' },
  ...{ permissions: 'p q', openid_scopes: 'openid', client_identifier: '', authentication: '{}' },
  ...{ state: 'active', created_at: 100, ended_at: null, refresh_sequence: 0, idle_expires_at: 0, expires_at: 0 },
  ...more,
})
const code = (hash: string, grantId: string) => ({
  ...{ hash, grant_id: grantId, application_id: 'a1', redirect_uri: 'https://a.test/', code_challenge: '' },
  ...{ created_at: 100, expires_at: 160, redeemed_at: null },
})
const token = (hash: string, sequence: number) => ({ hash, grantId: 'g1', sequence, createdAt: 100 + sequence })

const grants: readonly Query[] = [
  (tx) => insertGrant(tx, grant('g1')),
  (tx) => insertGrant(tx, grant('g1')),
  (tx) => insertGrant(tx, grant('g2', { user_id: 'u2' })),
  (tx) => insertGrant(tx, grant('g3', { tenant_id: 't2', application_id: 'a2' })),
  (tx) => insertGrant(tx, grant('g4', { application_id: 'a2' })),
  (tx) => readGrant(tx, 'g1'),
  (tx) => readGrant(tx, 'nobody'),
  (tx) => updateGrant(tx, 'g1', { client_identifier: 'a1', idle_expires_at: 1_000, expires_at: 2_000 }),
  (tx) => readGrant(tx, 'g1', 'lock'),
  (tx) => readGrant(tx, 'nobody', 'lock'),
  (tx) => endGrantRows(tx, {}, 300),
  (tx) => endGrantRows(tx, { userId: 'u1', tenantId: 't2' }, 300),
  (tx) => endGrantRows(tx, { userId: 'u1', tenantId: 't2' }, 301),
  (tx) => endGrantRows(tx, { applicationId: 'a2' }, 302),
  (tx) => endGrantRows(tx, { grantId: 'nobody' }, 303),
  (tx) => readGrant(tx, 'g3'),
]

const codes: readonly Query[] = [
  (tx) => insertAuthorizationCode(tx, code('h1', 'g1')),
  (tx) => insertAuthorizationCode(tx, code('h1', 'g2')),
  (tx) => insertAuthorizationCode(tx, code('h2', 'g2')),
  (tx) => readAuthorizationCode(tx, 'h1'),
  (tx) => readAuthorizationCode(tx, 'nobody'),
  (tx) => redeemAuthorizationCode(tx, 'h1', 159),
  (tx) => redeemAuthorizationCode(tx, 'h1', 159),
  (tx) => redeemAuthorizationCode(tx, 'h2', 160),
  (tx) => redeemAuthorizationCode(tx, 'nobody', 1),
  (tx) => readAuthorizationCode(tx, 'h1'),
]

const refreshTokens: readonly Query[] = [
  (tx) => insertRefreshToken(tx, token('r0', 0)),
  (tx) => insertRefreshToken(tx, token('r1', 1)),
  (tx) => insertRefreshToken(tx, token('other', 1)),
  (tx) => noteRefreshTokenUse(tx, 'r0', 150),
  (tx) => noteRefreshTokenUse(tx, 'r0', 170),
  (tx) => readRefreshToken(tx, 'r0'),
  (tx) => readRefreshToken(tx, 'r1'),
  (tx) => readRefreshToken(tx, 'nobody'),
]

const upkeep: readonly Query[] = [
  (tx) => listDeadGrants(tx, { endedBefore: 300, createdBefore: 100 }, 10),
  (tx) => listDeadGrants(tx, { endedBefore: 301, createdBefore: 100 }, 10),
  (tx) => listDeadGrants(tx, { endedBefore: 303, createdBefore: 101 }, 2),
  (tx) => listDeadGrants(tx, { endedBefore: 1_001, createdBefore: 101 }, 10),
  (tx) => deleteGrants(tx, []),
  (tx) => deleteGrants(tx, ['g2', 'g1', 'nobody']),
  (tx) => tx.selectFrom('authorization_codes').select('hash').execute(),
  (tx) => tx.selectFrom('refresh_tokens').select('hash').execute(),
  (tx) => tx.selectFrom('grants').select('id').orderBy('id').execute(),
]

const application = (id: string, state: string) =>
  applicationRow(id, { type: 'native', state, audience: 'home', require_pkce: 1 })

const origins: readonly Query[] = [
  (tx) => insertTenant(tx, tenantRow('t1')),
  (tx) => insertApplication(tx, application('a1', 'enabled')),
  (tx) => insertApplication(tx, application('a2', 'disabled')),
  (tx) => insertApplication(tx, application('a3', 'enabled')),
  (tx) =>
    replaceRedirectUris(tx, 'a1', 'redirect', ['https://b.test/', 'https://a.test/x', 'http://localhost/', 'a.b:/']),
  (tx) => replaceRedirectUris(tx, 'a1', 'logout', ['https://logout.test/']),
  (tx) => replaceRedirectUris(tx, 'a2', 'redirect', ['https://disabled.test/']),
  (tx) => replaceRedirectUris(tx, 'a3', 'redirect', ['https://b.test/']),
  (tx) => listBrowserRedirectUris(tx),
]

const holder = { userId: 'u9', applicationId: 'a9', tenantId: 't9' }
const ofHolder = { user_id: 'u9', application_id: 'a9', tenant_id: 't9' }
const content = { resource: 'r', permissions: 'p q', openid_scopes: 'openid', withdrawn: '' }
const narrowed: readonly Query[] = [
  (tx) => listGrantContents(tx, holder),
  (tx) => insertGrant(tx, grant('n1', ofHolder)),
  (tx) => insertGrant(tx, grant('n2', ofHolder)),
  (tx) => insertGrant(tx, grant('n3', { ...ofHolder, permissions: 'q' })),
  (tx) => insertGrant(tx, grant('n4', { ...ofHolder, user_id: 'u8' })),
  (tx) => listGrantContents(tx, holder),
  (tx) => changeGrantsWith(tx, holder, content, { withdrawn: 'p' }),
  (tx) => changeGrantsWith(tx, holder, content, { withdrawn: 'p' }),
  (tx) => listGrantContents(tx, holder),
  (tx) => changeGrantsWith(tx, holder, { ...content, permissions: 'q' }, { state: 'ended', ended_at: 7 }),
  (tx) => listGrantContents(tx, holder),
  (tx) => readGrant(tx, 'n1'),
  (tx) => readGrant(tx, 'n3'),
  (tx) => readGrant(tx, 'n4'),
  (tx) => deleteNamedConsents(tx, ofHolder, [{ resource: 'r', permission_id: 'p' }]),
]

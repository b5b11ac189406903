// The queries of initial access tokens, self-registered applications and federated credentials; see store-queries.ts,
// whose application a1 and tenant t1 they stand on.

import {
  insertClientRegistration,
  readClientRegistration,
  updateClientRegistration,
} from '../../src/storage/sql/registrations/client-registrations.js'
import {
  deleteFederatedCredentials,
  findFederatedCredential,
  insertFederatedCredential,
  readFederatedCredentials,
} from '../../src/storage/sql/registrations/federated-credentials.js'
import {
  deleteRegistrationTokens,
  insertRegistrationToken,
  readRegistrationTokens,
  takeRegistrationUse,
} from '../../src/storage/sql/registrations/registration-tokens.js'
import { recordSecretUse } from '../../src/storage/sql/registrations/secret-upkeep.js'
import { anyRegistrationToken } from '../../src/storage/sql/registrations/usable-registration-token.js'
import type { Statements } from '../../src/storage/sql/store.js'

const token = (id: string, endsAt: number) => ({
  ...{ id, hash: `hash of ${id}`, tenant_id: 't1', label: id, created_by: '', permissions: '[]', uses_left: 1 },
  ...{ created_at: 1, expires_at: endsAt },
})
const client = {
  ...{ application_id: 'a1', token_hash: 'one', previous_hash: null, registration_token_id: 'k1', grant_types: '[]' },
  ...{ permissions: '[]', auth_method: 'none', application_type: 'web', updated_at: 1 },
}
const credential = (id: string, subject: string) => ({
  ...{ id, application_id: 'a1', name: id, issuer: 'https://i.test', subject, audience: 'a', jwks: null },
  ...{ created_at: 1, last_used_at: null },
})

export const registrationQueries: readonly ((tx: Statements) => Promise<unknown>)[] = [
  (tx) => insertRegistrationToken(tx, token('k2', 20)),
  (tx) => insertRegistrationToken(tx, token('k1', 30)),
  (tx) => readRegistrationTokens(tx, { hash: 'hash of k1' }),
  (tx) => readRegistrationTokens(tx, { tenantId: 't1' }),
  (tx) => readRegistrationTokens(tx, { tenantId: 't2' }),
  (tx) => readRegistrationTokens(tx, { tenantId: undefined }),
  (tx) => anyRegistrationToken(tx, 1),
  (tx) => takeRegistrationUse(tx, 'hash of k1', 30),
  (tx) => takeRegistrationUse(tx, 'hash of k1', 29),
  (tx) => takeRegistrationUse(tx, 'hash of k1', 29),
  (tx) => takeRegistrationUse(tx, 'nobody', 29),
  (tx) => deleteRegistrationTokens(tx, { endedBefore: 21, limit: 5 }),
  (tx) => deleteRegistrationTokens(tx, { id: 'k1' }),
  (tx) => deleteRegistrationTokens(tx, { id: 'k1' }),
  (tx) => insertClientRegistration(tx, client),
  (tx) => readClientRegistration(tx, 'a1'),
  (tx) => readClientRegistration(tx, 'a2'),
  (tx) => updateClientRegistration(tx, client, { token_hash: 'two', previous_hash: 'one', updated_at: 2 }),
  (tx) => updateClientRegistration(tx, client, { token_hash: 'three' }),
  (tx) => readClientRegistration(tx, 'a1'),
  (tx) => insertFederatedCredential(tx, credential('fed_b', 'one')),
  (tx) => insertFederatedCredential(tx, credential('fed_a', 'two')),
  (tx) => recordSecretUse(tx, new Map([['fed_a', 7]])),
  (tx) => recordSecretUse(tx, new Map([['fed_a', 6]])),
  (tx) => readFederatedCredentials(tx, 'a1'),
  (tx) => findFederatedCredential(tx, 'fed_a'),
  (tx) => findFederatedCredential(tx, 'nobody'),
  (tx) => deleteFederatedCredentials(tx, 'a2'),
  (tx) => deleteFederatedCredentials(tx, 'a1', 'fed_a'),
  (tx) => deleteFederatedCredentials(tx, 'a1'),
  (tx) => readFederatedCredentials(tx, 'a1'),
]

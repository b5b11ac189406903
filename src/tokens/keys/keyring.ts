// The keys in memory, as the Store has them. What verifies and what signs is looked up in an immutable set that one
// assignment replaces, so a request never sees half a rotation.

import { createPrivateKey, type JsonWebKey } from 'node:crypto'
import type { JWK } from 'jose'
import type { Follower } from '../../storage/changes/feed.js'
import { listSigningKeys, type SigningKeyRow } from '../../storage/sql/revocation/signing-keys.js'
import type { Statements, Store } from '../../storage/sql/store.js'
import type { KeyEncryption } from './key-encryption.js'
import type { KeySettings } from './key-slots.js'
import type {
  JsonWebKeySet,
  KeyDescription,
  KeyPurpose,
  Keyring,
  SigningAlgorithm,
  SigningKey,
  VerificationKey,
} from './keys.js'
import { createVerificationKey } from './verification-key.js'

export interface KeyringFollower extends Keyring, Follower {
  /** Whether there is or was a key with this id, of any purpose, as far as this instance has heard. */
  knows(kid: string): boolean
}

interface KeySet {
  rows: readonly SigningKeyRow[]
  verification: Record<KeyPurpose, ReadonlyMap<string, VerificationKey>>
  /** By purpose and algorithm; the newest active key of each. */
  signing: ReadonlyMap<string, SigningKey>
  published: Record<KeyPurpose, JsonWebKeySet>
}

/**
 * A keyring that follows the Feed; empty until it is loaded. Loading throws MasterKeyMismatch when a private key cannot
 * be opened.
 */
export function createKeyring(options: {
  store: Pick<Store, 'reader'>
  encryption: KeyEncryption
  settings: Pick<KeySettings, 'algorithm'>
}): KeyringFollower {
  const { store, encryption, settings } = options
  let set = buildSet([], { opened: new Map(), encryption })
  let generation = 0
  // The same key keeps its objects: it is converted for signing only once.
  const opened = new Map<string, SigningKey>()

  async function load(statements: Statements): Promise<void> {
    const rows = await listSigningKeys(statements)
    if (generation > 0 && fingerprint(rows) === fingerprint(set.rows)) return
    set = buildSet(rows, { opened, encryption })
    generation += 1
  }

  return {
    name: 'keyring',
    load,
    apply: (change) => (change.entry.kind === 'keys' ? load(store.reader) : undefined),
    signingKey(purpose, alg = purpose === 'token' ? settings.algorithm : 'ES256') {
      const key = set.signing.get(slotName(purpose, alg))
      if (key === undefined) throw new Error(`no ${alg} key signs for the purpose ${purpose}`)
      return key
    },
    verificationKey: (purpose, kid) => set.verification[purpose].get(kid),
    knows: (kid) => set.rows.some((row) => row.kid === kid),
    get generation() {
      return generation
    },
    publicKeys: (purpose) => set.published[purpose],
    describe: () => set.rows.map(description),
  }
}

function buildSet(
  rows: readonly SigningKeyRow[],
  context: { opened: Map<string, SigningKey>; encryption: KeyEncryption },
): KeySet {
  const signing = new Map<string, SigningKey>()
  const byActivation = [...rows].sort((a, b) => a.activatesAt - b.activatesAt || (a.kid < b.kid ? -1 : 1))
  for (const row of byActivation) {
    if (row.sealedPrivateJwk === '') context.opened.delete(row.kid)
    else if (row.state === 'active') signing.set(slotName(row.purpose, row.alg), open(row, context))
    // Opened before it is needed, so that a key that cannot sign is found out while another still does.
    else open(row, context)
  }
  const verification = { token: verificationKeys(rows, 'token'), assertion: verificationKeys(rows, 'assertion') }
  const published = { token: publicSet(rows, 'token'), assertion: publicSet(rows, 'assertion') }
  return { rows, verification, signing, published }
}

function open(row: SigningKeyRow, context: { opened: Map<string, SigningKey>; encryption: KeyEncryption }): SigningKey {
  const known = context.opened.get(row.kid)
  if (known !== undefined) return known
  const jwk = JSON.parse(context.encryption.open(row.sealedPrivateJwk, row.kid)) as JsonWebKey
  const key = { kid: row.kid, alg: row.alg, privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) }
  context.opened.set(row.kid, key)
  return key
}

function publishedRows(rows: readonly SigningKeyRow[], purpose: KeyPurpose): SigningKeyRow[] {
  return rows.filter((row) => row.purpose === purpose && row.state !== 'removed')
}

function verificationKeys(rows: readonly SigningKeyRow[], purpose: KeyPurpose): Map<string, VerificationKey> {
  return new Map(
    publishedRows(rows, purpose).map((row) => [
      row.kid,
      createVerificationKey(row.kid, row.alg, JSON.parse(row.publicJwk) as JWK),
    ]),
  )
}

/** Members are named one by one: whatever else a row might hold, only these are ever published. */
function publicSet(rows: readonly SigningKeyRow[], purpose: KeyPurpose): JsonWebKeySet {
  const keys = publishedRows(rows, purpose).map((row) => {
    const { kty, crv, x, y, n, e } = JSON.parse(row.publicJwk) as JWK
    const members = kty === 'RSA' ? { kty, n, e } : kty === 'EC' ? { kty, crv, x, y } : { kty, crv, x }
    return { ...members, kid: row.kid, alg: row.alg, use: 'sig' } as JWK
  })
  return { keys }
}

function description(row: SigningKeyRow): KeyDescription {
  const { kid, purpose, alg, state, createdAt, activatesAt, removesAt } = row
  return { kid, purpose, alg, state, createdAt, activatesAt, removesAt }
}

function slotName(purpose: KeyPurpose, alg: SigningAlgorithm): string {
  return `${purpose} ${alg}`
}

function fingerprint(rows: readonly SigningKeyRow[]): string {
  return rows.map((row) => `${row.kid} ${row.state} ${row.activatesAt}`).join()
}

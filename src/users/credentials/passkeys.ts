// Rows of passkeys (WebAuthn credentials). The ceremonies are in identity/; here is what is remembered of them.

import { write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { nameProblem, storedName } from '../../naming/name-problem.js'
import { insertPasskey, notePasskeyUse, type PasskeyRow, readPasskeys } from '../../storage/sql/people/passkeys.js'
import type { Statements } from '../../storage/sql/store.js'
import { requireUser, type UserWrites } from '../writes.js'

/** A name that may not be keeps nobody from a passkey: it can be renamed. */
const unnamed = 'Passkey'

export interface Passkey {
  /** base64url. */
  credentialId: string
  userId: string
  /** COSE key, base64url. */
  publicKey: string
  counter: number
  transports: readonly string[]
  name: string
  createdAt: number
  lastUsedAt: number | null
}

/** The passkey with this credential id, whosever it is. Throws StoreUnavailable. */
export async function findPasskey(reader: Statements, credentialId: string): Promise<Passkey | undefined> {
  const [row] = await readPasskeys(reader, { credentialId })
  return row === undefined ? undefined : toPasskey(row)
}

/** The passkeys of a user, the oldest first. Throws StoreUnavailable. */
export async function listPasskeys(reader: Statements, userId: string): Promise<Passkey[]> {
  return (await readPasskeys(reader, { userId })).map(toPasskey)
}

/**
 * Remembers a new passkey. Throws UserRefusal (UserNotFound), UniqueViolation (the credential is known) and
 * StoreUnavailable.
 */
export async function addPasskey(
  deps: UserWrites,
  passkey: Pick<Passkey, 'credentialId' | 'userId' | 'publicKey' | 'counter' | 'transports' | 'name'>,
): Promise<void> {
  await write(deps, async (writing) => {
    const { tx, nowMs } = writing
    const { id } = await requireUser(writing, passkey.userId)
    await insertPasskey(tx, {
      credential_id: passkey.credentialId,
      user_id: id,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: JSON.stringify(passkey.transports),
      name: nameOf(passkey.name),
      created_at: nowMs,
      last_used_at: null,
    })
    await appendAudit(deps, tx, { event: 'user.passkey-added', userId: id })
  })
}

/**
 * Notes a use: false when the counter did not grow, which is what a copied authenticator looks like (WebAuthn Level 2
 * §6.1.1), or when the passkey is gone. Throws StoreUnavailable.
 */
export async function notePasskey(deps: UserWrites, use: { credentialId: string; counter: number }): Promise<boolean> {
  return deps.store.transaction((tx) => notePasskeyUse(tx, { ...use, atMs: deps.now() }))
}

/** Without what cannot be seen. */
function nameOf(given: string): string {
  const name = storedName([...given.replace(/\p{C}/gu, '')].slice(0, 120).join(''))
  return nameProblem(name, 'label') === undefined ? name : unnamed
}

function toPasskey(row: PasskeyRow): Passkey {
  return {
    credentialId: row.credential_id,
    userId: row.user_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: JSON.parse(row.transports) as string[],
    name: row.name,
    createdAt: Number(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
  }
}

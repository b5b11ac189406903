// What somebody showed to sign in, or to raise a session, looked at once more in the transaction that writes the
// session: what was taken away while it was being shown proves nothing (C14).

import { readExternalIdentity } from '../../storage/sql/people/external-identities.js'
import { readPasskeys } from '../../storage/sql/people/passkeys.js'
import type { UserRow } from '../../storage/sql/people/users.js'
import type { Statements } from '../../storage/sql/store.js'
import { UserRefusal } from '../refusal.js'

/** All of what is named has to be there still. A password is no part of it: a new one ends all access, `provenAfter`. */
export interface ProofBasis {
  /** Codes of an app, or the recovery codes that go with them. */
  codes?: boolean | undefined
  /** The credential of a passkey. */
  passkey?: string | undefined
  /** Who they are at a provider. */
  identity?: { issuer: string; subject: string } | undefined
}

/** Inside a transaction. Throws UserRefusal (ProofOvertaken). */
export async function requireBasis(
  tx: Statements,
  user: Pick<UserRow, 'id' | 'totp_secret'>,
  { codes, passkey, identity }: ProofBasis,
): Promise<void> {
  const [key] = passkey === undefined ? [] : await readPasskeys(tx, { credentialId: passkey })
  const link = identity === undefined ? undefined : await readExternalIdentity(tx, identity.issuer, identity.subject)
  const isThere =
    (codes !== true || user.totp_secret !== null) &&
    (passkey === undefined || key?.user_id === user.id) &&
    (identity === undefined || link?.user_id === user.id)
  if (!isThere) throw new UserRefusal('ProofOvertaken', 'What was proved with was taken away meanwhile.')
}

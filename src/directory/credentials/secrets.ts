// Client secrets: several may live at once, each with its own end, so that they can be exchanged without an
// interruption (K3). The plain secret leaves this file once and is kept nowhere (K1).

import { appendAudit } from '../../ledger/append-audit.js'
import { readLiveSecrets, shortenSecret } from '../../storage/sql/registrations/application-secrets.js'
import { checkRegistered } from '../documents/described-elsewhere.js'
import { secretCreated } from '../ledger-events.js'
import { DirectoryRefusal } from '../refusal.js'
import { type DirectoryWrites, recordApplication, requireApplication, type Writing, write } from '../writes.js'
import { recordEndedCredentials } from './ended-credentials.js'
import { insertPreparedSecret, type NewSecret, prepareSecret } from './new-secret.js'

/**
 * Adds a secret to a web application. `lifetimeMs` is at most 24 months. Throws DirectoryRefusal (ApplicationNotFound,
 * NativeApplication, InvalidLifetime, InvalidName, TooManySecrets) and StoreUnavailable.
 */
export async function addSecret(
  deps: DirectoryWrites,
  applicationId: string,
  input: { label: string; lifetimeMs: number },
): Promise<NewSecret> {
  const made = prepareSecret(deps, input)
  return write(deps, async (writing) => {
    const record = await requireApplication(writing, applicationId)
    checkRegistered(record)
    const { application } = record
    const added = await insertPreparedSecret(writing, application, made)
    recordApplication(writing, application)
    await appendAudit(deps, writing.tx, secretCreated(aboutOf(application), added))
    return added
  })
}

/**
 * Adds a secret and ends the others after `overlapMs`, none later than it would have ended anyway. Without overlap the
 * tokens that were got with them are refused from this change on. Throws as addSecret does.
 */
export async function rotateSecret(
  deps: DirectoryWrites,
  applicationId: string,
  input: { label: string; lifetimeMs: number; overlapMs: number },
): Promise<NewSecret> {
  const made = prepareSecret(deps, input)
  return write(deps, async (writing) => {
    const record = await requireApplication(writing, applicationId)
    checkRegistered(record)
    const { application } = record
    const old = await readLiveSecrets(writing.tx, application.id, writing.nowMs)
    const keyIds = old.map((row) => row.key_id)
    const endsAt = writing.nowMs + Math.max(0, input.overlapMs)
    const ended = await shortenSecrets(writing, keyIds, endsAt)
    const added = await insertPreparedSecret(writing, application, made)
    recordApplication(writing, application)
    await revokeEnded(deps, writing, application, { keyIds, endsAt })
    await appendAudit(deps, writing.tx, secretCreated(aboutOf(application), added))
    await accountForEnds(deps, writing, application, ended)
    return added
  })
}

/**
 * Ends a secret at `atMs` (default: now), never later than it would have ended; at once means that its tokens are
 * refused too. `applicationId` must be its owner. Throws DirectoryRefusal (SecretNotFound) and StoreUnavailable.
 */
export async function endSecret(
  deps: DirectoryWrites,
  secret: { applicationId: string; keyId: string },
  atMs?: number,
): Promise<void> {
  await write(deps, async (writing) => {
    const record = await requireApplication(writing, secret.applicationId)
    if (!record.secrets.some((row) => row.key_id === secret.keyId)) {
      throw new DirectoryRefusal('SecretNotFound', 'The application has no such secret.')
    }
    const endsAt = Math.max(atMs ?? writing.nowMs, writing.nowMs)
    const ended = await shortenSecrets(writing, [secret.keyId], endsAt)
    recordApplication(writing, record.application)
    await revokeEnded(deps, writing, record.application, { keyIds: [secret.keyId], endsAt })
    await accountForEnds(deps, writing, record.application, ended)
  })
}

interface End {
  keyId: string
  endsAt: number
}

/** When each ends now: none later than it would have ended. */
async function shortenSecrets(writing: Writing, keyIds: readonly string[], endsAt: number): Promise<End[]> {
  const ends: End[] = []
  for (const keyId of keyIds) {
    const row = await shortenSecret(writing.tx, keyId, endsAt)
    if (row === undefined) continue
    ends.push({ keyId, endsAt: Number(row.ends_at) })
    // One that ends now is revoked by number: an entry for its end would say the same again.
    if (endsAt > writing.nowMs) writing.record({ kind: 'credential-end', keyId, endsAt: Number(row.ends_at) })
  }
  return ends
}

async function accountForEnds(
  deps: DirectoryWrites,
  { tx }: Writing,
  application: { id: string; tenant_id: string },
  ends: readonly End[],
): Promise<void> {
  for (const details of ends) {
    await appendAudit(deps, tx, { event: 'secret.ended', ...aboutOf(application), details: { ...details } })
  }
}

function aboutOf({ id, tenant_id }: { id: string; tenant_id: string }) {
  return { applicationId: id, tenantId: tenant_id }
}

/** An end that is now needs no clock to be believed: every token of the secret is refused by its number. */
async function revokeEnded(
  deps: DirectoryWrites,
  writing: Writing,
  application: { id: string; tenant_id: string },
  { keyIds, endsAt }: { keyIds: readonly string[]; endsAt: number },
): Promise<void> {
  if (endsAt <= writing.nowMs) await recordEndedCredentials(deps, writing, application, keyIds)
}

// Client secrets: several may live at once, each with its own end, so that they can be exchanged without an
// interruption (K3). The plain secret leaves this file once and is kept nowhere (K1).

import { readLiveSecrets, shortenSecret } from '../memory/store/application-secrets.js'
import { insertPreparedSecret, type NewSecret, prepareSecret } from './new-secret.js'
import { DirectoryRefusal } from './refusal.js'
import {
  type DirectoryWrites,
  recordApplication,
  recordRevocations,
  requireApplication,
  type Writing,
  write,
} from './writes.js'

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
    const { application } = await requireApplication(writing, applicationId)
    const added = await insertPreparedSecret(writing, application, made)
    recordApplication(writing, application)
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
    const { application } = await requireApplication(writing, applicationId)
    const old = await readLiveSecrets(writing.tx, application.id, writing.nowMs)
    const keyIds = old.map((row) => row.key_id)
    const endsAt = writing.nowMs + Math.max(0, input.overlapMs)
    await shortenSecrets(writing, keyIds, endsAt)
    const added = await insertPreparedSecret(writing, application, made)
    recordApplication(writing, application)
    await revokeEnded(deps, writing, keyIds, endsAt)
    return added
  })
}

/**
 * Ends a secret at `atMs` (default: now), never later than it would have ended; at once means that its tokens are refused
 * too. `applicationId` must be its owner. Throws DirectoryRefusal (SecretNotFound) and StoreUnavailable.
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
    await shortenSecrets(writing, [secret.keyId], endsAt)
    recordApplication(writing, record.application)
    await revokeEnded(deps, writing, [secret.keyId], endsAt)
  })
}

async function shortenSecrets(writing: Writing, keyIds: readonly string[], endsAt: number): Promise<void> {
  for (const keyId of keyIds) {
    const row = await shortenSecret(writing.tx, keyId, endsAt)
    if (row !== undefined) writing.record({ kind: 'credential-end', keyId, endsAt: Number(row.ends_at) })
  }
}

/** An end that is now needs no clock to be believed: every token of the secret is refused by its number. */
async function revokeEnded(
  deps: DirectoryWrites,
  writing: Writing,
  keyIds: readonly string[],
  endsAt: number,
): Promise<void> {
  if (endsAt > writing.nowMs) return
  await recordRevocations(
    deps,
    writing,
    keyIds.map((id) => ({ what: 'credential', id })),
  )
}

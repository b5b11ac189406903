// A new client secret on its way into the Store: made outside of the transaction, because that may run twice, and
// inserted when an application is registered or gets another secret.

import { createClientSecret, hashClientSecret, pepperId } from '../../oauth/secrets/client-secret.js'
import { insertSecret, readLiveSecrets } from '../../storage/sql/registrations/application-secrets.js'
import { countSecretsCreatedAfter, deleteSecretsEndedBefore } from '../../storage/sql/registrations/secret-upkeep.js'
import { checkName } from '../applications/names.js'
import { DirectoryRefusal } from '../refusal.js'
import type { DirectoryWrites, Writing } from '../writes.js'

const dayMs = 86_400_000
/** 24 months (contract §2). */
const longestMs = 730 * dayMs
const mostLive = 10
/** New ones in a day, ended ones among them: each leaves its row and its end behind for a while. */
const mostADay = 200
/** Ended secrets stay this long for the owner's lists; no token of theirs lives that long. */
const keepEndedMs = 90 * dayMs
/** And only this long where there are many: the row says when it ended for as long as its tokens may live. */
const keepManyMs = 2 * dayMs

/** The only copy of the plain secret. `endsAt` is epoch milliseconds. */
export interface NewSecret {
  keyId: string
  secret: string
  endsAt: number
}

/** A secret with what will be stored of it. */
export interface PreparedSecret {
  plain: ReturnType<typeof createClientSecret>
  label: string
  lifetimeMs: number
  hash: string
  pepperId: string
}

/** Checks the options and makes the secret. Throws DirectoryRefusal. */
export function prepareSecret(deps: DirectoryWrites, input: { label: string; lifetimeMs: number }): PreparedSecret {
  const { lifetimeMs } = input
  if (!Number.isSafeInteger(lifetimeMs) || lifetimeMs <= 0 || lifetimeMs > longestMs) {
    throw new DirectoryRefusal('InvalidLifetime', 'A secret lives at most 24 months (730 days).', 'expiresInDays')
  }
  const [pepper] = deps.peppers
  if (pepper === undefined) throw new Error('no pepper to hash secrets with')
  const plain = createClientSecret()
  const hash = hashClientSecret(plain.secret, pepper)
  return { plain, label: checkName(input.label, 'label', 'label'), lifetimeMs, hash, pepperId: pepperId(pepper) }
}

/**
 * Inserts it for a web application that has room. Throws DirectoryRefusal. The caller records the application's change.
 */
export async function insertPreparedSecret(
  writing: Writing,
  application: { id: string; type: string },
  made: PreparedSecret,
): Promise<NewSecret> {
  const { tx, nowMs } = writing
  if (application.type !== 'web') {
    throw new DirectoryRefusal('NativeApplication', 'A native application cannot keep a secret, so it has none.')
  }
  const live = await readLiveSecrets(tx, application.id, nowMs)
  if (live.length >= mostLive) {
    throw new DirectoryRefusal('TooManySecrets', `An application has at most ${mostLive} live secrets: end one first.`)
  }
  const lately = await countSecretsCreatedAfter(tx, application.id, nowMs - dayMs)
  if (lately >= mostADay) {
    const message = `An application gets at most ${mostADay} new secrets a day: use one of those that it has.`
    throw new DirectoryRefusal('TooManySecrets', message)
  }
  const endsAt = nowMs + made.lifetimeMs
  const { keyId, secret, hint } = made.plain
  const keepMs = lately >= mostLive ? keepManyMs : keepEndedMs
  await deleteSecretsEndedBefore(tx, application.id, nowMs - keepMs)
  await insertSecret(tx, {
    key_id: keyId,
    application_id: application.id,
    label: made.label,
    hint,
    hash: made.hash,
    pepper_id: made.pepperId,
    starts_at: nowMs,
    ends_at: endsAt,
    last_used_at: null,
    created_at: nowMs,
  })
  return { keyId, secret, endsAt }
}

// Whether a secret can be deleted without anybody noticing. A client asks for a token once in a token's life, so a
// secret counts as out of use when a newer one has been used and this one was not for a day; or not at all for a month.

import type { Secret } from '../records.js'

const dayMs = 86_400_000
/** Longer than any token lives, so that every instance of a client has come back. */
const quietMs = dayMs
const forgottenMs = 30 * dayMs

/** `all` are the secrets of the application, this one among them. Never the last one that works; `nowMs` is epoch. */
export function isSafeToDelete(secret: Secret, all: readonly Secret[], nowMs: number): boolean {
  if (secret.endsAt <= nowMs) return true
  const others = all.filter((one) => one.keyId !== secret.keyId && one.startsAt <= nowMs && one.endsAt > nowMs)
  const unusedMs = nowMs - Math.max(secret.lastUsedAt ?? 0, secret.startsAt)
  const successor = others.some(
    (one) => one.createdAt > secret.createdAt && one.lastUsedAt !== null && one.lastUsedAt > (secret.lastUsedAt ?? 0),
  )
  return (successor && unusedMs >= quietMs) || (others.length > 0 && unusedMs >= forgottenMs)
}

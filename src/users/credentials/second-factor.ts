// The second factor: a code of time, or a recovery code when the device is lost. Each code is accepted once (RFC 6238
// §5.2), decided by one statement in the Store, so also when two arrive at once at two instances.

import { write } from '../../directory/writes.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { countRecoveryCodes, replaceRecoveryCodes } from '../../storage/sql/people/recovery-codes.js'
import { takeTotpStep } from '../../storage/sql/people/totp-steps.js'
import { type UserRow, updateUser } from '../../storage/sql/people/users.js'
import { UserRefusal } from '../refusal.js'
import { endAccess } from '../sessions/end-access.js'
import { requireUser, type UserWrites } from '../writes.js'
import { checkFactorLeft } from './factor-demand.js'
import { createRecoveryCodes, useRecoveryCode, writeRecoveryCodes } from './recovery-codes.js'
import { stepOfCode } from './totp.js'

export type SecondFactorCheck =
  | { kind: 'passed'; by: 'code' | 'recovery'; recoveryCodesLeft: number }
  | { kind: 'refused' }
  | { kind: 'wait'; retryAfterSeconds: number }

/**
 * Checks a code of somebody whose password passed. Throws UserRefusal (UserNotFound), MasterKeyMismatch,
 * StoreUnavailable.
 */
export async function checkSecondFactor(
  deps: UserWrites,
  attempt: { userId: string; code: string; address: string; device?: string | undefined },
): Promise<SecondFactorCheck> {
  const { address, device } = attempt
  const user = await requireUser({ tx: deps.store.reader }, attempt.userId)
  const code = attempt.code.replace(/[\s-]/g, '')
  const isTotp = /^\d{6}$/.test(code)
  const turn = await deps.throttle.begin({
    address,
    account: `second:${user.id}`,
    device,
    // Recovery codes cannot be guessed, so wrong six-digit ones never shut them out.
    proof: isTotp ? 'code' : 'other',
  })
  if (!turn.allowed) return { kind: 'wait', retryAfterSeconds: turn.retryAfterSeconds }
  let result: 'passed' | 'failed' | undefined
  try {
    result = (await (isTotp ? takeCode(deps, user, code) : takeRecovery(deps, user, code))) ? 'passed' : 'failed'
  } finally {
    await turn.end(result)
  }
  if (result === 'failed') {
    deps.activity.note({ event: 'user.sign-in-failed', userId: user.id, address, details: { proof: 'second factor' } })
    return { kind: 'refused' }
  }
  const recoveryCodesLeft = await countRecoveryCodes(deps.store.reader, user.id)
  return { kind: 'passed', by: isTotp ? 'code' : 'recovery', recoveryCodesLeft }
}

/**
 * Turns the second factor on with the first code of a new seed (totp.ts createSeed); answers the recovery codes, their
 * only copy. Throws UserRefusal (UserNotFound, SecondFactorExists, WrongCode), MasterKeyMismatch and StoreUnavailable.
 */
export async function addSecondFactor(
  deps: UserWrites,
  adding: { userId: string; sealed: string; code: string },
): Promise<string[]> {
  const codes = createRecoveryCodes()
  await write(deps, async (writing) => {
    const { tx, nowMs } = writing
    const user = await requireUser(writing, adding.userId)
    if (user.totp_secret !== null) throw new UserRefusal('SecondFactorExists', 'There is a second factor already.')
    const step = stepOfCode(deps, user.id, adding.sealed, adding.code.replace(/\s/g, ''))
    if (step === undefined) throw new UserRefusal('WrongCode', 'That code is not right, or no longer.', 'code')
    await updateUser(tx, user.id, { totp_secret: adding.sealed, totp_last_step: step, updated_at: nowMs })
    await writeRecoveryCodes(deps, writing, user.id, codes)
    await appendAudit(deps, tx, { event: 'user.second-factor-added', userId: user.id })
  })
  return codes
}

/**
 * Turns it off, with its recovery codes, and signs the person out everywhere but in the session of hash `except` (C14).
 * Throws UserRefusal (UserNotFound, SecondFactorRequired) and StoreUnavailable.
 */
export async function removeSecondFactor(deps: UserWrites, userId: string, except?: string): Promise<void> {
  await write(deps, async (writing) => {
    const { tx, nowMs } = writing
    const user = await requireUser(writing, userId)
    if (user.totp_secret === null) return
    await updateUser(tx, user.id, { totp_secret: null, totp_last_step: null, updated_at: nowMs })
    await checkFactorLeft(deps, writing, user.id)
    await replaceRecoveryCodes(tx, user.id, [])
    await endAccess(deps, writing, { userId: user.id, except }, 'second-factor-removed')
    await appendAudit(deps, tx, { event: 'user.second-factor-removed', userId: user.id })
  })
}

/**
 * Ten new recovery codes in the place of those before. Throws UserRefusal (UserNotFound, WrongCode) and
 * StoreUnavailable.
 */
export async function renewRecoveryCodes(deps: UserWrites, userId: string): Promise<string[]> {
  const codes = createRecoveryCodes()
  await write(deps, async (writing) => {
    const user = await requireUser(writing, userId)
    if (user.totp_secret === null) throw new UserRefusal('NoSecondFactor', 'There is no second factor.')
    await writeRecoveryCodes(deps, writing, user.id, codes)
    await appendAudit(deps, writing.tx, { event: 'user.recovery-codes-renewed', userId: user.id })
  })
  return codes
}

async function takeCode(deps: UserWrites, user: UserRow, code: string): Promise<boolean> {
  if (user.totp_secret === null) return false
  const step = stepOfCode(deps, user.id, user.totp_secret, code)
  return step !== undefined && (await deps.store.transaction((tx) => takeTotpStep(tx, user.id, step)))
}

async function takeRecovery(deps: UserWrites, user: UserRow, code: string): Promise<boolean> {
  if (user.totp_secret === null || code === '') return false
  return write(deps, async (writing) => {
    const taken = await useRecoveryCode(deps, writing, user.id, code)
    if (taken) await appendAudit(deps, writing.tx, { event: 'user.recovery-code-used', userId: user.id })
    return taken
  })
}

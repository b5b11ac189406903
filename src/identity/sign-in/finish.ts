// The end of every way to sign in: a session, and back to what the person came for. Also what all of them refuse alike.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { PasswordQueueFull } from '../../users/credentials/password.js'
import { UserRefusal } from '../../users/refusal.js'
import type { ProofBasis } from '../../users/sessions/proof-basis.js'
import { signInBrowser } from '../../web/browser.js'
import { demandOf } from '../../web/demanded-factor.js'
import { errorText, PageError } from '../../web/pages/page-error.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Purpose, withDemand } from './purpose.js'

/** How somebody proved who they are: decision 0008 says what the values are. */
export const proofs = {
  password: { acr: '1', amr: ['pwd'] },
  code: { acr: '2', amr: ['pwd', 'otp', 'mfa'] },
  recoveryCode: { acr: '2', amr: ['pwd', 'mfa'] },
  passkey: { acr: '2', amr: ['hwk', 'user', 'mfa'] },
  /** After another provider; what that one says alone comes as it is. */
  externalCode: { acr: '2', amr: ['fed', 'otp', 'mfa'] },
  externalRecoveryCode: { acr: '2', amr: ['fed', 'mfa'] },
} as const

/** Where a second factor is set up. */
const setsUp = /^\/account\/(?:second-factor|passkeys)$/

/**
 * Begins the session and goes on. 303, so that no browser sends the password on (R9). False when the account was
 * disabled meanwhile, everything of it ended since `provenAfter`, or what was shown was taken away
 * (users/sessions/sessions.ts): the caller then answers as to anybody who is unknown.
 */
export async function finishSignIn(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  who: {
    userId: string
    proof: keyof typeof proofs | { acr: string; amr: readonly string[] }
    purpose: Purpose
    /** By which way they signed in, as Session has it. */
    way: string
    provenAfter?: number | undefined
    provenAt?: number | undefined
    /** What was shown besides a password. */
    basis?: ProofBasis | undefined
  },
): Promise<boolean> {
  const { userId, proof, purpose, provenAfter, provenAt, way, basis } = who
  try {
    const { acr, amr } = typeof proof === 'string' ? proofs[proof] : proof
    const session = await signInBrowser(deps, request, reply, { userId, acr, amr, way, provenAfter, provenAt, basis })
    // Also those who may still go on without one: once at each sign-in they hear until when.
    const demand = await demandOf(deps, session)
    const leads = demand !== undefined && !setsUp.test(purpose.next)
    reply.redirect(leads ? withDemand(purpose) : purpose.next, 303)
    return true
  } catch (error) {
    if (error instanceof UserRefusal) return false
    throw error
  }
}

/** The refusal of an attempt that comes too soon after others. */
export function tooManyAttempts(retryAfterSeconds: number, links: PageError['links']): PageError {
  return new PageError({
    status: 429,
    title: ({ errors }) => errors.tooManyAttempts.title,
    what: ({ errors }) => errors.tooManyAttempts.what,
    remedy: ({ errors }) => errors.tooManyAttempts.remedy(retryAfterSeconds),
    links,
    reason: 'sign_in_throttled',
    retryAfterSeconds,
  })
}

/** What a full line of passwords becomes; anything else as it is. */
export function queueFull(error: unknown, links: PageError['links']): unknown {
  if (!(error instanceof PasswordQueueFull)) return error
  return new PageError({
    status: 503,
    ...errorText(({ errors }) => errors.busy),
    links,
    reason: 'password_queue_full',
    retryAfterSeconds: 5,
    cause: error,
  })
}

// Is the person signed in, recently enough, with enough factors, and the one whom the request is for (OpenID Connect
// Core §3.1.2.1, §3.1.2.3)? What counts is whether they proved it since the request came: another session, with another
// time of proof, than the browser had before, of about then: an attacker at somebody's browser can take its session
// away and put it back. The clocks of two instances need not agree for that.

import { secondFactorClass } from '../../oauth/authentication-class.js'
import type { Session } from '../../users/records.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'

/**
 * `enough`: go on. `new`: nobody is signed in, or it has to be somebody else. `again`: the same person has to prove it
 * once more. `secondFactor`: they have one, and have to show it, or say that it is not at hand. `choose`: they say
 * whether to go on as who they are. `wrong`: they have just signed in, and are not who was meant. `unmet`: they have
 * just signed in, and cannot reach the `acr` that is demanded.
 */
export type SignInNeed = 'enough' | 'new' | 'again' | 'secondFactor' | 'choose' | 'wrong' | 'unmet'

/** When the request came and what time it is, in epoch milliseconds; and what the person could show besides. */
export interface SignInCircumstances {
  startedAtMs: number
  nowMs: number
  /** Whether this person has a second factor that the session has not seen. */
  hasSecondFactor: boolean
  /** Whether the session is young enough (`signIn.recent`) for the second factor alone. */
  isRecent: boolean
}

/** A person who signs in for this request may take so long for the rest of it, however short max_age is. Seconds. */
const timeForPages = 600
/** By how much the clocks of instances may differ, in seconds. */
const clocksDiffer = 300

/** Decides on the session of the browser. The sign-in page asks the same, to look accordingly. */
export function signInNeed(
  authorizeRequest: AuthorizeRequest,
  session: Session | undefined,
  circumstances: SignInCircumstances,
): SignInNeed {
  if (session === undefined) return 'new'
  const { startedAtMs, nowMs } = circumstances
  const { prompt, sessionBefore, authenticatedBefore, maxAgeSeconds } = authorizeRequest
  const isOther = sessionBefore !== session.idHash
  // A session that only got a new id keeps the time of its proof, which is compared to the millisecond: a person who
  // signs in twice within one second has proved it twice.
  const isSince = session.authTime >= startedAtMs / 1000 - clocksDiffer
  const isProven = isOther && isSince && authenticatedBefore !== session.authenticatedAt
  if (!isMeant(authorizeRequest, session)) return isProven ? 'wrong' : 'new'
  const factor = factorNeed(authorizeRequest, session, circumstances)
  if (factor === 'unreachable') return isProven ? 'unmet' : 'new'
  if (prompt.includes('login') && !isProven) return 'again'
  if (maxAgeSeconds !== undefined) {
    const most = isProven ? Math.max(maxAgeSeconds, timeForPages) : maxAgeSeconds
    if (nowMs / 1000 - session.authTime > most) return 'again'
  }
  if (factor !== undefined) return factor
  return prompt.includes('select_account') && !isOther ? 'choose' : 'enough'
}

/**
 * What the request's `acr` still asks of this session: one that is demanded, always; one that is only preferred, of
 * people who can show a second factor, and not where no page may be shown (OpenID Connect Core §5.5.1.1).
 */
function factorNeed(
  authorizeRequest: AuthorizeRequest,
  { acr }: Session,
  { hasSecondFactor, isRecent }: SignInCircumstances,
): 'secondFactor' | 'again' | 'unreachable' | undefined {
  const demanded = authorizeRequest.claims?.acr
  const byFactor = isRecent ? 'secondFactor' : 'again'
  if (demanded !== undefined) {
    if (demanded.includes(acr)) return undefined
    return hasSecondFactor && demanded.includes(secondFactorClass) ? byFactor : 'unreachable'
  }
  if (!hasSecondFactor || acr === secondFactorClass || authorizeRequest.prompt.includes('none')) return undefined
  return prefersSecondFactor(authorizeRequest) ? byFactor : undefined
}

/** Whether the client would rather have two factors, and the person has not said that theirs is not at hand. */
export function prefersSecondFactor({ acrValues, claims, secondFactorSkipped }: AuthorizeRequest): boolean {
  return secondFactorSkipped !== true && (claims?.acrPreferred ?? acrValues)?.[0] === secondFactorClass
}

function isMeant({ idTokenHintSub, claims }: AuthorizeRequest, { userId }: Session): boolean {
  return [idTokenHintSub, claims?.sub].every((sub) => sub === undefined || sub === userId)
}

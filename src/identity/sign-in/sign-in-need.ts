// Is the person signed in, recently enough, and the one whom the request is for (OpenID Connect Core §3.1.2.1, §3.1.2.3)? What
// counts is whether they proved it since the request came: another session, with another time of proof, than the browser had
// before, of about then: whoever sits at somebody's browser can take its session away and put it back. The clocks of two
// instances need not agree for that.

import type { Session } from '../../users/records.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'

/**
 * `enough`: go on. `new`: nobody is signed in, or it has to be somebody else. `again`: the same person has to prove it once
 * more. `choose`: they say whether to go on as who they are. `wrong`: they have just signed in, and are not who was meant.
 */
export type SignInNeed = 'enough' | 'new' | 'again' | 'choose' | 'wrong'

/** Whoever signs in for this request may take so long for the rest of it, however short max_age is. Seconds. */
const timeForPages = 600
/** By how much the clocks of instances may differ, in seconds. */
const clocksDiffer = 300

/**
 * Decides on the session of the browser; `begunAtMs` is when the request came, both in epoch milliseconds. The sign-in page
 * asks the same, to look accordingly.
 */
export function signInNeed(
  asked: AuthorizeRequest,
  session: Session | undefined,
  { begunAtMs, nowMs }: { begunAtMs: number; nowMs: number },
): SignInNeed {
  if (session === undefined) return 'new'
  const { prompt, sessionBefore, authenticatedBefore, maxAgeSeconds } = asked
  const isOther = sessionBefore !== session.idHash
  // A session that only got a new id keeps the time of its proof, which is compared to the millisecond: whoever signs in twice
  // within one second has proved it twice.
  const isSince = session.authTime >= begunAtMs / 1000 - clocksDiffer
  const isProven = isOther && isSince && authenticatedBefore !== session.authenticatedAt
  if (!isMeant(asked, session)) return isProven ? 'wrong' : 'new'
  if (prompt.includes('login') && !isProven) return 'again'
  if (maxAgeSeconds !== undefined) {
    const most = isProven ? Math.max(maxAgeSeconds, timeForPages) : maxAgeSeconds
    if (nowMs / 1000 - session.authTime > most) return 'again'
  }
  return prompt.includes('select_account') && !isOther ? 'choose' : 'enough'
}

function isMeant({ idTokenHintSub, claims }: AuthorizeRequest, { userId, acr }: Session): boolean {
  const wanted = [idTokenHintSub, claims?.sub].filter((sub) => sub !== undefined)
  return wanted.every((sub) => sub === userId) && (claims?.acr === undefined || claims.acr.includes(acr))
}

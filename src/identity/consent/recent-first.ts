// What an administrator allows for others asks for a recent sign-in on pages too (decision 97), in the POST that would
// grant it: looking is no act, and saying no needs none. A person who signed in long ago does so once more and comes
// back to the page.

import { needsAdministrator } from '../../directory/consents/consent-rules.js'
import type { Browser } from '../../web/browser.js'
import type { IdentityDependencies } from '../dependencies.js'
import { readAuthorizeRequest } from '../pending/authorize-request.js'
import { signInPath } from '../pending/paths.js'
import { changedPending } from '../pending/pending-request.js'
import { isRecent } from '../sign-in/recent.js'
import type { ConsentQuestionFor } from './consent-question.js'

/**
 * Where an administrator who consents for everybody, or to what takes one, signs in once more first; undefined: they
 * may go on. The request asks for it from then on, as if the client had sent max_age.
 */
export function signInForConsent(
  deps: IdentityDependencies,
  browser: Browser,
  { pending, answer }: ConsentQuestionFor,
  forEverybody: boolean,
): string | undefined {
  const { session } = browser
  const { catalogue, signIn } = deps.settings
  const hasWeight = forEverybody || answer.missing.some((ref) => needsAdministrator(catalogue, ref))
  if (!hasWeight || session === undefined || isRecent(deps, session)) return undefined
  const authorizeRequest = readAuthorizeRequest(pending)
  const maxAgeSeconds = Math.min(authorizeRequest?.maxAgeSeconds ?? Number.POSITIVE_INFINITY, signIn.recentMs / 1000)
  const before = { sessionBefore: session.idHash, authenticatedBefore: session.authenticatedAt }
  return signInPath(changedPending(deps, browser, pending, { body: { ...authorizeRequest, ...before, maxAgeSeconds } }))
}

// Nothing is decided on an old view: an instance that may have missed a revocation neither issues nor vouches for
// tokens.

import type { RevocationView } from '../revocation/view.js'
import type { IssuingDependencies } from './dependencies.js'
import { unavailable } from './errors.js'

/** Throws OAuthError 503 while the revocation view is stale. */
export function checkViewIsFresh(view: RevocationView): void {
  if (view.isStale()) throw unavailable('The service is not certain that it knows the newest revocations.')
}

/** Throws OAuthError 503 while the view is stale, and while the Store is away: then no revocation could be recorded. */
export function checkMayIssue({ view, health }: Pick<IssuingDependencies, 'view' | 'health'>): void {
  checkViewIsFresh(view)
  if (!health.storeUp) throw unavailable('The service cannot reach its records now.')
}

// The page for a request that cannot go on here: finished, too old, another browser's, or with cookies blocked. Nobody
// is told which of the first three it is; all of them are fixed in the same way.

import type { Browser } from './browser.js'
import { errorText, PageError } from './pages/page-error.js'

/** What to throw when a pending request is not found for this browser. */
export function requestGone({ isNew }: Pick<Browser, 'isNew'>): PageError {
  if (isNew) {
    return new PageError({
      status: 400,
      title: ({ errors }) => errors.cookiesBlocked.title,
      what: ({ errors }) => errors.cookiesBlocked.started,
      remedy: ({ errors }) => errors.cookiesBlocked.startAgain,
      reason: 'pending_no_cookie',
    })
  }
  return new PageError({
    status: 400,
    ...errorText(({ errors }) => errors.expired),
    reason: 'pending_gone',
  })
}

// The page for a request that cannot go on here: finished, too old, another browser's, or with cookies blocked. Nobody
// is told which of the first three it is; all of them are fixed in the same way.

import type { Browser } from './browser.js'
import { PageError } from './pages/page-error.js'

/** What to throw when a pending request is not found for this browser. */
export function requestGone({ isNew }: Pick<Browser, 'isNew'>): PageError {
  if (isNew) {
    return new PageError({
      status: 400,
      title: 'Cookies are blocked',
      what: 'Your browser did not send back the cookie that this site gave it, so it is not clear what you had started.',
      remedy:
        'Allow cookies for this site in your browser’s settings, then go back to the application and start again there. An address of this kind works only in the browser that began.',
      reason: 'pending_no_cookie',
    })
  }
  return new PageError({
    status: 400,
    title: 'This sign-in has expired',
    what: 'It was already completed, perhaps in another tab, it timed out, or it was started in another browser.',
    remedy: 'If the application works, close this page. If not, go back to the application and start again there.',
    reason: 'pending_gone',
  })
}

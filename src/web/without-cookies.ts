// The refusal of a browser that keeps no cookies.

import type { FastifyRequest } from 'fastify'
import { ownAddress } from './page-address.js'
import { PageError } from './pages/page-error.js'

/** Nothing here works without cookies; the page says so instead of leading in a circle. */
export function withoutCookies(request: FastifyRequest): PageError {
  return new PageError({
    status: 403,
    title: 'Cookies are blocked',
    what: 'Your browser did not send back the cookie that this site gave it. Without it nobody can be signed in here.',
    remedy:
      'Allow cookies for this site in your browser’s settings, then open the page again. Private windows and extensions may block them too.',
    links: [{ href: ownAddress(request), text: 'Open the page again' }],
    reason: 'no_cookie',
  })
}

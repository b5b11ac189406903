// The refusal of a browser that keeps no cookies.

import type { FastifyRequest } from 'fastify'
import { ownAddress } from './page-address.js'
import { errorText, PageError } from './pages/page-error.js'

/** Nothing here works without cookies; the page says so instead of leading in a circle. */
export function withoutCookies(request: FastifyRequest): PageError {
  return new PageError({
    status: 403,
    ...errorText(({ errors }) => errors.cookiesBlocked),
    links: [{ href: ownAddress(request), text: ({ frame }) => frame.openAgain }],
    reason: 'no_cookie',
  })
}

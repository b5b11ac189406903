// The page for a form of somebody who is not signed in any more.

import type { FastifyRequest } from 'fastify'
import { ownAddress } from './page-address.js'
import { errorText, PageError } from './pages/page-error.js'

/** What to throw; the page leads to the sign-in and back. */
export function signedOut(request: FastifyRequest): PageError {
  return new PageError({
    status: 403,
    ...errorText(({ errors }) => errors.signedOut),
    links: [{ href: ownAddress(request), text: ({ signIn }) => signIn.title }],
    reason: 'no_session',
  })
}

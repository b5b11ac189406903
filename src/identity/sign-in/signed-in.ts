// Pages that are for somebody who is signed in. People who are not sign in first and come back; what changes how one
// signs in asks for a recent proof (`signIn.recent`), so that a browser left alone is not enough to take an account
// over.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import { findUser } from '../../users/accounts/users.js'
import type { Session, User } from '../../users/records.js'
import type { UserWrites } from '../../users/writes.js'
import { actingAs } from '../../web/acting.js'
import type { Browser } from '../../web/browser.js'
import { ownAddress } from '../../web/page-address.js'
import { PageError } from '../../web/pages/page-error.js'
import { signedOut } from '../../web/signed-out.js'
import type { SignedInDependencies } from '../dependencies.js'
import { isPage } from '../pending/page-path.js'
import { signInPath } from '../pending/paths.js'
import { beginPending } from '../pending/pending-request.js'
import { isRecent } from './recent.js'

/** Who is here, and what a page needs to act for them. */
export interface Person {
  user: User
  session: Session
  browser: Browser
  /** For writes: the person is who does them. */
  acting: UserWrites
}

type Answer = (request: FastifyRequest, reply: FastifyReply, browser: Browser) => Promise<FastifyReply>
type PersonAnswer = (request: FastifyRequest, reply: FastifyReply, person: Person) => Promise<FastifyReply>

/**
 * Shows a page to the person who is signed in; others are sent to sign in and back to this path. `recent`: with a new
 * proof.
 */
export function shown(deps: SignedInDependencies, answer: PersonAnswer, options: { recent?: boolean } = {}): Answer {
  return async (request, reply, browser) => {
    const person = await personOf(deps, request, browser)
    const again = options.recent === true && person !== undefined && !isRecent(deps, person.session)
    if (person !== undefined && !again) return answer(request, reply, person)
    const path = pathOf(request)
    const body = again ? { path, again, loginHint: person.user.email } : { path }
    const pending = beginPending(deps, browser, { kind: 'page', body })
    return reply.redirect(signInPath(pending), 303)
  }
}

/**
 * Takes a form of the person who is signed in. Nothing is changed for anybody else: their token cannot be right, and
 * with `recent` an old sign-in is refused too. The answer still has to call checkForm.
 */
export function taken(deps: SignedInDependencies, answer: PersonAnswer, options: { recent?: boolean } = {}): Answer {
  return async (request, reply, browser) => {
    const person = await personOf(deps, request, browser)
    if (person === undefined) throw signedOut(request)
    if (options.recent === true && !isRecent(deps, person.session))
      throw tooOld(request, deps.settings.signIn.recentMs / 1000)
    return answer(request, reply, person)
  }
}

async function personOf(
  deps: SignedInDependencies,
  request: FastifyRequest,
  browser: Browser,
): Promise<Person | undefined> {
  const { session } = browser
  const user = session === undefined ? undefined : await findUser(deps.store.reader, session.userId)
  if (session === undefined || user === undefined) return undefined
  return { user, session, browser, acting: actingAs(deps, request, { user, session }) }
}

/**
 * Queries of the portal's pages say what to look at; those of other pages say what to do, and have to be sent again.
 */
function pathOf(request: FastifyRequest): string {
  const { target } = requestContext(request)
  if (!target.ok) return '/account'
  const path = target.path.startsWith('/portal') ? ownAddress(request) : target.path
  return isPage(path) ? path : '/account'
}

function tooOld(request: FastifyRequest, seconds: number): PageError {
  return new PageError({
    status: 403,
    title: ({ errors }) => errors.tooOld.title,
    what: ({ errors }) => errors.tooOld.what(seconds),
    remedy: ({ errors }) => errors.tooOld.remedy,
    links: [{ href: ownAddress(request), text: ({ errors }) => errors.tooOld.link }],
    reason: 'old_session',
  })
}

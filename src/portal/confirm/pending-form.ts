// A form that required a better sign-in than there was. What was typed waits, sealed for this browser (decision 96),
// while this person signs in once more; then they see it and send it themselves. Nothing is sent for them, and no value
// can be read in an address.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError } from '../../http/answers/api-error.js'
import { signInPath } from '../../identity/pending/paths.js'
import { beginPending, type PendingRequest } from '../../identity/pending/pending-request.js'
import type { Person } from '../../identity/sign-in/signed-in.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { FormFields } from '../../web/form-token.js'
import { ownAddress } from '../../web/page-address.js'
import { formTokenField } from '../../web/pages/form.js'
import { PageError } from '../../web/pages/page-error.js'
import type { PortalDependencies } from '../dependencies.js'

const PendingForm = Type.Object({
  /** Of the page, with its query: where the form goes. */
  path: Type.String({ pattern: '^/portal/' }),
  /** Who sent it: nobody else gets to see it. */
  userId: Type.String(),
  fields: Type.Array(Type.Tuple([Type.String(), Type.String()])),
})
export type PendingForm = Static<typeof PendingForm>

const validator = Compile(PendingForm)
const wanting: ReadonlySet<string> = new Set(['RecentSignInRequired', 'SecondFactorRequired'])

/**
 * Keeps the form and goes to the sign-in page. Rethrows what is no wish for a better sign-in; throws PageError for one
 * too long to wait.
 */
export async function signInFirst(
  deps: PortalDependencies,
  { request, reply, person, form }: { request: FastifyRequest; reply: FastifyReply; person: Person; form: FormFields },
  error: unknown,
): Promise<FastifyReply> {
  if (!(error instanceof ApiError) || !wanting.has(error.code)) throw error
  const { userId, email } = person.user
  const fields = form.entries().filter(([name]) => name !== formTokenField)
  const body = {
    path: ownAddress(request),
    userId,
    fields,
    again: true,
    secondFactor: error.code === 'SecondFactorRequired',
    loginHint: email,
  }
  return reply.redirect(signInPath(begin(deps, person, body)), 303)
}

/** The form that waits there, for the person who sent it; undefined for anything else. */
export function pendingForm(pending: PendingRequest | undefined, userId: string): PendingForm | undefined {
  if (pending?.kind !== 'form' || !validator.Check(pending.body)) return undefined
  return pending.body.userId === userId ? pending.body : undefined
}

function begin(deps: PortalDependencies, { browser }: Person, body: { fields: unknown }): PendingRequest {
  try {
    return beginPending(deps, browser, { kind: 'form', body })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const { fields: _tooLong, ...page } = body
    const again = beginPending(deps, browser, { kind: 'page', body: page })
    throw new PageError({
      status: 403,
      title: 'Sign in again first',
      what: 'This change needs a new sign-in, and what you entered is too long to be kept until then. Nothing was changed.',
      remedy: 'Sign in again. You will come back to this page and can enter it there again.',
      links: [{ href: signInPath(again), text: 'Sign in once more' }],
      reason: 'form_too_long',
      cause: error,
    })
  }
}

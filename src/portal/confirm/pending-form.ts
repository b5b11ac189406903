// A form that required a better sign-in than there was. What was typed waits, sealed for this browser (decision 96),
// while this person signs in once more; then they see it and send it themselves. Nothing is sent for them, and no value
// can be read in an address. What is too long for that, such as a logo or an export, stays in the page that answers.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError } from '../../http/answers/api-error.js'
import { signInPath } from '../../identity/pending/paths.js'
import { beginPending, type PendingRequest } from '../../identity/pending/pending-request.js'
import { isRecent } from '../../identity/sign-in/recent.js'
import type { Person } from '../../identity/sign-in/signed-in.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { FormFields } from '../../web/form-token.js'
import { ownAddress } from '../../web/page-address.js'
import { formTokenField } from '../../web/pages/form.js'
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
/** Characters that no sealing brings down to what may stand in an address. */
const longestKept = 16_384
const wanting: ReadonlySet<string> = new Set(['RecentSignInRequired', 'SecondFactorRequired'])

/** A form that is too long to be sealed. */
export interface HeldForm extends Pick<PendingForm, 'path'> {
  fields: readonly (readonly [string, string])[]
  /** The sign-in page, which leads back to the page of the form. */
  signIn: string
}

interface Sent {
  request: FastifyRequest
  reply: FastifyReply
  person: Person
  form: FormFields
  /** Answers with a page that has the form in itself. */
  hold: (held: HeldForm) => FastifyReply
}

/**
 * Keeps the form and goes to the sign-in page; one too long to stand in an address waits in its own page. Rethrows what
 * is no wish for a better sign-in.
 */
export async function signInFirst(
  deps: PortalDependencies,
  { request, reply, person, form, hold }: Sent,
  error: unknown,
): Promise<FastifyReply> {
  if (!(error instanceof ApiError) || !wanting.has(error.code)) throw error
  const { browser, user } = person
  const fields = form.entries().filter(([name]) => name !== formTokenField)
  const page = {
    path: ownAddress(request),
    again: true,
    secondFactor: error.code === 'SecondFactorRequired',
    loginHint: user.email,
  }
  const pending = pendingUnlessTooLong(deps, person, { ...page, userId: user.userId, fields })
  if (pending !== undefined) return reply.redirect(signInPath(pending), 303)
  const signIn = signInPath(beginPending(deps, browser, { kind: 'page', body: page }))
  return hold({ path: page.path, fields, signIn })
}

/**
 * Where to sign in once more before a form is filled in that may be too long to be kept; undefined for somebody whose
 * sign-in is recent.
 */
export function freshSignInPath(
  deps: PortalDependencies,
  request: FastifyRequest,
  { browser, user, session }: Person,
): string | undefined {
  if (isRecent(deps, session)) return undefined
  const body = { path: ownAddress(request), again: true, loginHint: user.email }
  return signInPath(beginPending(deps, browser, { kind: 'page', body }))
}

/** The form that waits there, for the person who sent it; undefined for anything else. */
export function pendingForm(pending: PendingRequest | undefined, userId: string): PendingForm | undefined {
  if (pending?.kind !== 'form' || !validator.Check(pending.body)) return undefined
  return pending.body.userId === userId ? pending.body : undefined
}

function pendingUnlessTooLong(
  deps: PortalDependencies,
  { browser }: Person,
  body: { path: string; userId: string; fields: readonly (readonly [string, string])[] },
): PendingRequest | undefined {
  // Sealing what is far too long would cost more than saying so.
  if (body.fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0) > longestKept) return undefined
  try {
    return beginPending(deps, browser, { kind: 'form', body })
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

// What the pages behind one-time links share: looking at a link never uses it up (mail scanners open what they find),
// and one that does not work gets a page that says how to get another, but not why.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { DirectoryRefusal } from '../../directory/refusal.js'
import type { Texts } from '../../languages/english/texts.js'
import { findLink, type LinkPurpose, type OneTimeLink } from '../../users/accounts/one-time-links.js'
import { UserRefusal } from '../../users/refusal.js'
import { refusalText } from '../../web/language/refusal-text.js'
import { PageError } from '../../web/pages/page-error.js'
import type { Problem } from '../../web/pages/problem.js'
import type { IdentityDependencies } from '../dependencies.js'
import { queueFull } from './finish.js'

/** The link of this page's address, by its purpose. Throws PageError 404 when it does not work. */
export async function requireLink(
  deps: IdentityDependencies,
  request: FastifyRequest,
  purpose: LinkPurpose,
): Promise<{ secret: string; link: OneTimeLink }> {
  const { link: secret } = request.params as { link: string }
  const link = await findLink(deps.store.reader, secret, purpose, deps.now())
  if (link === undefined) throw gone(purpose)
  return { secret, link }
}

/** The page of a link that does not work. */
export function gone(purpose: LinkPurpose): PageError {
  const ask =
    purpose === 'password-reset' ? [{ href: '/reset-password', text: ({ errors }: Texts) => errors.link.another }] : []
  return new PageError({
    status: 404,
    title: ({ errors }) => errors.link.title,
    what: ({ errors }) => errors.link.what,
    remedy: ({ errors }) => errors.link[purpose],
    links: [...ask, { href: '/sign-in', text: ({ signIn }) => signIn.title }],
    reason: 'no_link',
  })
}

/**
 * Runs what a link is for. What the person can fix is shown by `again`, with the field that it is about; a link that
 * went meanwhile is a page.
 */
export async function useOrShow<T>(
  purpose: LinkPurpose,
  work: () => Promise<T>,
  again: (problem: Problem) => FastifyReply,
): Promise<{ done: T } | { shown: FastifyReply }> {
  try {
    return { done: await work() }
  } catch (error) {
    if (error instanceof UserRefusal && error.code === 'LinkNotFound') throw gone(purpose)
    if (error instanceof UserRefusal || error instanceof DirectoryRefusal) {
      return { shown: again({ message: refusalText(error), target: error.target }) }
    }
    throw queueFull(error, [])
  }
}

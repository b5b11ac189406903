// What is said when signing in through a provider does not work: what happened, as far as it is known, and another way
// in. What a provider writes about an error is never shown: it could be anybody's text.

import { PageError } from '../../web/pages/page-error.js'
import { ProviderUnreachable } from './guarded-fetch.js'

/** The provider as people know it, and where to go on from here. */
export interface ProviderLogin {
  label: string
  links: PageError['links']
}

/** A refusal of what came back. `reason` is for the log. */
export function refusedLogin(thrown: unknown, { label, links }: ProviderLogin): PageError {
  if (isCausedBy(thrown, (each) => each instanceof ProviderUnreachable)) return away(thrown, { label, links })
  if (isCausedBy(thrown, (each) => nameOf(each) === 'AuthorizationResponseError'))
    return unfinished(thrown, { label, links })
  return new PageError({
    status: 502,
    title: `We could not verify the answer of ${label}`,
    what: `What came back from ${label} could not be verified, so nobody was signed in. It may have been meant for another place or another attempt, or ${label} is set up differently from what this server expects.`,
    remedy:
      'Try again, or sign in another way. If it happens each time, give the operator of this server the request number below.',
    links,
    reason: 'external_not_proven',
    cause: thrown,
  })
}

/** The state is not one of this browser's, or it was used already (R17). */
export function endedLogin({ label, links }: ProviderLogin): PageError {
  return new PageError({
    status: 400,
    title: 'This sign-in has expired',
    what: `What came back from ${label} belongs to a sign-in that was already completed, waited for more than a quarter of an hour, or was started in another browser.`,
    remedy: 'Start again from here.',
    links,
    reason: 'no_external_request',
  })
}

/** Nobody here is linked with who they are there. Disabled accounts read the same. */
export function noAccount({ label, links }: ProviderLogin): PageError {
  return new PageError({
    status: 403,
    title: 'No account is linked',
    what: `${label} confirmed who you are, but no account here is linked with you there.`,
    remedy: `If you have an account here, sign in another way and link ${label} on your account page. If you have none, ask an administrator of your organisation for an invitation.`,
    links,
    reason: 'external_no_account',
  })
}

/** The provider cannot make accounts as it is configured. */
export function noTenant({ label, links }: ProviderLogin, cause: unknown): PageError {
  return new PageError({
    status: 503,
    title: 'We could not create an account',
    what: `${label} confirmed who you are, but the organisation that new people join does not exist or is disabled.`,
    remedy: 'Give the operator of this server the request number below.',
    links,
    reason: 'external_no_tenant',
    retryAfterSeconds: 300,
    cause,
  })
}

function away(cause: unknown, { label, links }: ProviderLogin): PageError {
  return new PageError({
    status: 503,
    title: `${label} cannot be reached`,
    what: `${label} did not answer in time, or gave an invalid answer. Nobody was signed in.`,
    remedy: 'Wait a minute and try again, or sign in another way.',
    links,
    reason: 'external_unreachable',
    retryAfterSeconds: 60,
    cause,
  })
}

function unfinished(cause: unknown, { label, links }: ProviderLogin): PageError {
  return new PageError({
    status: 400,
    title: `You were not signed in at ${label}`,
    what: `${label} sent you back without confirming who you are: the sign-in was cancelled or refused there.`,
    remedy: 'Try again, or sign in another way.',
    links,
    reason: 'external_refused',
    cause,
  })
}

function isCausedBy(thrown: unknown, test: (each: unknown) => boolean): boolean {
  let each: unknown = thrown
  for (let depth = 0; depth < 5 && each !== undefined; depth += 1) {
    if (test(each)) return true
    each = each instanceof Error ? each.cause : undefined
  }
  return false
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.constructor.name : ''
}

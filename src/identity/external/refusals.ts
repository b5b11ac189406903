// What is said when signing in through a provider does not work: what happened, as far as it is known, and another way
// in. What a provider writes about an error is never shown: it could be anybody's text.

import { errorText, PageError } from '../../web/pages/page-error.js'
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
    ...errorText(({ ways }) => ways.provider.notProven(label)),
    links,
    reason: 'external_not_proven',
    cause: thrown,
  })
}

/** The state is not one of this browser's, or it was used already (R17). */
export function endedLogin({ label, links }: ProviderLogin): PageError {
  return new PageError({
    status: 400,
    ...errorText(({ ways }) => ways.provider.ended(label)),
    links,
    reason: 'no_external_request',
  })
}

/** Nobody here is linked with who they are there. Disabled accounts read the same. */
export function noAccount({ label, links }: ProviderLogin): PageError {
  return new PageError({
    status: 403,
    ...errorText(({ ways }) => ways.provider.noAccount(label)),
    links,
    reason: 'external_no_account',
  })
}

/** The provider cannot make accounts as it is configured. */
export function noTenant({ label, links }: ProviderLogin, cause: unknown): PageError {
  return new PageError({
    status: 503,
    ...errorText(({ ways }) => ways.provider.noTenant(label)),
    links,
    reason: 'external_no_tenant',
    retryAfterSeconds: 300,
    cause,
  })
}

function away(cause: unknown, { label, links }: ProviderLogin): PageError {
  return new PageError({
    status: 503,
    ...errorText(({ ways }) => ways.provider.away(label)),
    links,
    reason: 'external_unreachable',
    retryAfterSeconds: 60,
    cause,
  })
}

function unfinished(cause: unknown, { label, links }: ProviderLogin): PageError {
  return new PageError({
    status: 400,
    ...errorText(({ ways }) => ways.provider.unfinished(label)),
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

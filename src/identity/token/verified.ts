// Reading a token that somebody presents to an endpoint. One that another instance signed a moment ago under a key that
// is not known here yet gets a second look before it is taken for none of ours.

import { BearerError } from '../../oauth/errors/errors.js'
import type { IdentityDependencies } from '../dependencies.js'
import { unavailable } from '../errors.js'

/**
 * What `verify` gives; undefined when it throws BearerError. Throws OAuthError 503 when another instance may have
 * signed the token, and nobody can tell now.
 */
export async function verified<T>(
  deps: Pick<IdentityDependencies, 'revalidation'>,
  verify: () => T,
): Promise<T | undefined> {
  try {
    return verify()
  } catch (error) {
    if (!(error instanceof BearerError)) throw error
    if (!(await isWorthAnother(deps, error))) return undefined
  }
  try {
    return verify()
  } catch (error) {
    if (error instanceof BearerError) return undefined
    throw error
  }
}

/** Whether the refusal may only mean that this instance has not heard of something. Throws OAuthError 503. */
export async function isWorthAnother(
  { revalidation }: Pick<IdentityDependencies, 'revalidation'>,
  refused: BearerError,
): Promise<boolean> {
  try {
    return (await revalidation.after(refused)) === true
  } catch (error) {
    throw unavailable('The service cannot tell now whether it signed this token.', error)
  }
}

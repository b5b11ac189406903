// Which ways to sign in a tenant may be given (decision 130). What it has may stay, so that everything else about it can
// be changed while a provider is gone.

import type { ProviderSettings } from '../../config/settings/settings.js'
import type { Tenant } from '../../directory/records.js'
import { ApiError } from '../../http/answers/api-error.js'
import { takenProviders } from '../../users/sessions/tenant-ways.js'
import type { Body } from '../schemas.js'

const target = 'signInProviders'

/**
 * Every name that comes new is a provider of this server, and a change leaves people who are no owners a way in. To be
 * called in the transaction that writes it, with the tenant as it is there. Throws ApiError 400.
 */
export function checkWays(
  configured: ReadonlyMap<string, ProviderSettings>,
  before: Tenant,
  body: Body<'changeTenant'>,
): void {
  const ownSignIn = body.ownSignIn ?? before.ownSignIn
  const signInProviders = body.signInProviders === undefined ? before.signInProviders : body.signInProviders
  if (ownSignIn === before.ownSignIn && isSame(signInProviders, before.signInProviders)) return
  const unknown = signInProviders?.some(
    (name) => !configured.has(name) && before.signInProviders?.includes(name) !== true,
  )
  if (unknown === true) {
    throw new ApiError(400, 'UnknownProvider', 'The configuration has no provider of this name.', { target })
  }
  if (!isOnlyForOwners(configured, { ownSignIn, signInProviders })) return
  throw new ApiError(400, 'NoWayToSignIn', 'This would leave only owners a way to sign in: name a provider.', {
    target,
  })
}

/** Whether these ways leave people who are no owners none: there may be no such provider, or none any more. */
export function isOnlyForOwners(
  configured: ReadonlyMap<string, ProviderSettings>,
  { ownSignIn, signInProviders }: Pick<Tenant, 'ownSignIn' | 'signInProviders'>,
): boolean {
  return ownSignIn === 'owners' && takenProviders({ signInProviders }, configured.values()).length === 0
}

/** In any order, and however often a name comes. */
function isSame(one: Tenant['signInProviders'], other: Tenant['signInProviders']): boolean {
  if (one === null || other === null) return one === other
  const [left, right] = [new Set(one), new Set(other)]
  return left.size === right.size && [...left].every((name) => right.has(name))
}

// Whether the token of a caller who was let in is still good. A body may take half a minute to come, and an operation
// that is made of several takes its time too: what ended meanwhile must not write any more.

import { checkStillGood } from '../../access/authenticate.js'
import type { Principal } from '../../access/principal.js'
import { bearerRefusal } from '../../gateway/bearer-errors.js'
import { refusal } from '../../gateway/errors.js'
import { BearerError } from '../../oauth/errors/errors.js'
import type { ManagementDependencies } from '../dependencies.js'

export type StillGoodDependencies = Pick<ManagementDependencies, 'view' | 'keyring' | 'settings' | 'writes'>

/** Throws ApiError 401 when the caller's token has ended, 503 while nobody can say. Others have no token. */
export function requireStillGood(deps: StillGoodDependencies, principal: Principal): void {
  if (principal.kind === 'local' || principal.kind === 'session') return
  const { view, keyring, settings, writes } = deps
  if (view.isStale()) throw refusal('view_stale').error
  try {
    const { leewaySeconds } = settings.tokens
    checkStillGood(principal, { view, keyring, leewaySeconds, now: writes.now })
  } catch (error) {
    if (!(error instanceof BearerError)) throw error
    throw bearerRefusal(error, settings.catalogue.own.id, settings.server.baseUrl).error
  }
}

// The pages below /account that this folder owns; /account/apps is consent's.

import type { FastifyInstance } from 'fastify'
import type { IdentityDependencies } from '../dependencies.js'
import { registerOverview } from './account.js'
import { registerConfirmEmail } from './confirm-email.js'
import { registerDeleteAccount } from './delete-account.js'
import { registerDetails } from './details.js'
import { registerPasskeys } from './passkeys.js'
import { registerPassword } from './password.js'
import { registerSecondFactorSettings } from './second-factor.js'
import { registerSessions } from './sessions.js'

/** Registers them all on a scope that has the guard per address. */
export function registerAccount(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerOverview(scope, deps)
  registerDetails(scope, deps)
  registerConfirmEmail(scope, deps)
  registerPassword(scope, deps)
  registerSecondFactorSettings(scope, deps)
  registerPasskeys(scope, deps)
  registerSessions(scope, deps)
  registerDeleteAccount(scope, deps)
}

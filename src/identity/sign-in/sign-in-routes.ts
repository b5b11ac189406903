// The pages of signing in and out, and those behind one-time links. Other providers are external/'s.

import type { FastifyInstance } from 'fastify'
import type { IdentityDependencies } from '../dependencies.js'
import { registerInvitation } from './invitation.js'
import { registerResetPassword } from './reset-password.js'
import { registerSecondFactor } from './second-factor.js'
import { registerSetUp } from './set-up.js'
import { registerSignIn } from './sign-in.js'
import { registerSignOut } from './sign-out.js'
import { registerDemanded } from './step-up/demanded.js'

/** Registers them all on a scope that has the guard per address. */
export function registerSignInPages(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerSignIn(scope, deps)
  registerSecondFactor(scope, deps)
  registerSignOut(scope, deps)
  registerSetUp(scope, deps)
  registerInvitation(scope, deps)
  registerResetPassword(scope, deps)
  registerDemanded(scope, deps)
}

// Explaining a call takes what the gate decides by and what the token endpoint would issue; neither room knows the
// other, so they meet here.

import { listConsents } from '../directory/consents/consents.js'
import { createExplain, type Explain, type ExplainDeps } from '../gateway/explain/explain.js'
import type { IdentityDependencies } from '../identity/dependencies.js'
import { simulateToken } from '../identity/token/simulated-token.js'
import { findUser } from '../users/accounts/users.js'
import { findMembership } from '../users/memberships/memberships.js'

/** What explaining needs of what an instance shares. */
export type ExplainingDependencies = Pick<
  IdentityDependencies,
  'directory' | 'health' | 'keyring' | 'now' | 'store' | 'view'
> &
  Pick<ExplainDeps, 'authenticator' | 'gate' | 'limiter' | 'settings'>

/** The explanations of this instance. */
export function createExplanations(deps: ExplainingDependencies): Explain {
  const { reader } = deps.store
  return createExplain({
    ...deps,
    consentsOf: (about) => listConsents(reader, about),
    async personIn(userId, tenantId) {
      const [user, membership] = await Promise.all([findUser(reader, userId), findMembership(reader, userId, tenantId)])
      return { state: user?.state, role: membership?.role, isOperator: user?.isOperator === true }
    },
    simulate: (caller) => simulateToken(deps, caller),
  })
}

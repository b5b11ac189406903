// Explaining a call takes what the gate decides by and what the token endpoint would issue; neither room knows the other, so
// they meet here.

import type { Collaborators } from './collaborators.js'
import type { Settings } from './config/settings.js'
import { listConsents } from './directory/consents.js'
import { createExplain, type Explain } from './gateway/explain/explain.js'
import type { Gate } from './gateway/gate.js'
import { supposedToken } from './identity/token/supposed-token.js'
import { findMembership } from './users/memberships.js'
import { findUser } from './users/users.js'

/** What an instance shares, as far as explaining needs it. */
export type ExplainingDependencies = Pick<
  Collaborators,
  'authenticator' | 'directory' | 'health' | 'keyring' | 'limiter' | 'now' | 'store' | 'view'
> & { settings: Settings; gate: Gate }

/** The explanations of this instance. */
export function createExplanations(deps: ExplainingDependencies): Explain {
  const { reader } = deps.store
  return createExplain({
    ...deps,
    consentsOf: (about) => listConsents(reader, about),
    async personIn(userId, tenantId) {
      const [user, membership] = await Promise.all([findUser(reader, userId), findMembership(reader, userId, tenantId)])
      return { state: user?.state, role: membership?.role }
    },
    suppose: (caller) => supposedToken(deps, caller),
  })
}

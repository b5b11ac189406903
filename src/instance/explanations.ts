// Explaining a call takes what the gate decides by and what the token endpoint would issue; neither room knows the
// other, so they meet here.

import type { Authenticator } from '../access/authenticate.js'
import type { Settings } from '../config/settings/settings.js'
import { listConsents } from '../directory/consents/consents.js'
import type { Directory } from '../directory/records.js'
import { createExplain, type Explain } from '../gateway/explain/explain.js'
import type { Gate } from '../gateway/gate.js'
import { simulateToken } from '../identity/token/simulated-token.js'
import type { PeekingLimiter } from '../limits/limiter.js'
import type { RevocationView } from '../revocation/view.js'
import type { Store } from '../storage/sql/store.js'
import type { Keyring } from '../tokens/keys/keys.js'
import type { ToolPins } from '../tool-definitions/tool-definitions.js'
import { findUser } from '../users/accounts/users.js'
import { findMembership } from '../users/memberships/memberships.js'

/** What explaining needs of what an instance shares. */
export interface ExplainingDependencies {
  store: Store
  directory: Directory
  view: RevocationView
  keyring: Pick<Keyring, 'verificationKey' | 'generation'>
  authenticator: Pick<Authenticator, 'revalidate'>
  limiter: PeekingLimiter
  toolDefinitions: Pick<ToolPins, 'isChanged'>
  health: { readonly storeUp: boolean }
  /** Epoch milliseconds. */
  now: () => number
}

/** The explanations of this instance, by the rules and the routes that it decides with. */
export function createExplanations(deps: ExplainingDependencies, settings: Settings, gate: Gate): Explain {
  const { store, directory, view, keyring, authenticator, limiter, toolDefinitions: toolPins, health, now } = deps
  const { reader } = store
  return createExplain({
    settings,
    gate,
    directory,
    view,
    keyring,
    authenticator,
    limiter,
    toolPins,
    now,
    consentsOf: (about) => listConsents(reader, about),
    async personIn(userId, tenantId) {
      const [user, membership] = await Promise.all([findUser(reader, userId), findMembership(reader, userId, tenantId)])
      return { state: user?.state, role: membership?.role, isOperator: user?.isOperator === true }
    },
    simulate: (caller) => simulateToken({ settings, store, directory, view, health, now }, caller),
  })
}

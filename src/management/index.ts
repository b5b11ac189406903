// The management API (contract §1): applications with their secrets, permissions and consents, tenants, revocations,
// signing keys, the catalogue, the ledger, the state of this instance. The portal and the command line do nothing that is not here.
// It has three doors: the local socket, the public listener for access tokens, and this process for the portal. Every route
// says what it takes (access.ts) and asks whose the thing is (ownership.ts). The room knows no pages and no cookies, and
// decides nothing about applications itself: the rules are in directory/.

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { guardRoutes } from './access.js'
import { apiRoutes } from './apis.js'
import { consentRoutes } from './application-consents.js'
import { ownerRoutes } from './application-owners.js'
import { secretRoutes } from './application-secrets.js'
import { applicationRoutes } from './applications.js'
import { pruningRoutes } from './audit/pruning.js'
import { auditRoutes } from './audit.js'
import { checkedBodies } from './body-checks.js'
import { catalogueRoutes } from './catalogue.js'
import { configurationRoutes } from './configuration.js'
import { configurationRulesRoutes } from './configuration-rules.js'
import { consentListRoutes } from './consents.js'
import type { ManagementDependencies } from './dependencies.js'
import { toApiRefusal } from './errors.js'
import { explainRoutes } from './explain.js'
import { federatedCredentialRoutes } from './federated-credentials.js'
import { invitationRoutes } from './invitations.js'
import { keyRoutes } from './keys.js'
import { listedAnswers } from './listed-answers.js'
import { membershipRoutes } from './memberships.js'
import { refuseOtherMethods, rememberMethods } from './other-methods.js'
import { ownLimitRoutes } from './own-limits.js'
import { possibleOwnerRoutes } from './owners/possible-owner.js'
import { pkceUseRoutes } from './pkce/pkce-use.js'
import { recordedDecisionRoutes } from './recorded-decisions.js'
import { newOriginRoutes } from './redirect-origins/new-origins.js'
import { registrationTokenRoutes } from './registration-tokens.js'
import { revocationRoutes } from './revocations.js'
import { routeRoutes } from './routes.js'
import { sessionRoutes } from './sessions.js'
import { statusRoutes } from './status.js'
import { tenantRoutes } from './tenants.js'
import { usageRoutes } from './usage.js'
import { userRoutes } from './users.js'
import { webhookRoutes } from './webhooks.js'

/** The plugin with every management route, under /api/v2. The scope around it writes ApiErrors (http/error-responses.ts). */
export function managementRoutes(deps: ManagementDependencies): FastifyPluginAsync {
  return async (app) => {
    checkedBodies(app)
    listedAnswers(app)
    app.setErrorHandler((error) => {
      throw toApiRefusal(error)
    })
    app.addHook('onRequest', async (_request, reply) => {
      // Secrets and tokens are among the answers (RFC 6749 §5.1), and nothing here may be kept by anyone in between.
      reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    })
    const methods = rememberMethods(app)
    app.register(
      async (api) => {
        guardRoutes(api, deps)
        registerRoutes(api, deps)
      },
      { prefix: '/api/v2' },
    )
    app.register(async (others) => refuseOtherMethods(others, methods))
  }
}

function registerRoutes(api: FastifyInstance, deps: ManagementDependencies): void {
  applicationRoutes(api, deps)
  secretRoutes(api, deps)
  federatedCredentialRoutes(api, deps)
  ownerRoutes(api, deps)
  possibleOwnerRoutes(api, deps)
  newOriginRoutes(api, deps)
  pkceUseRoutes(api, deps)
  registrationTokenRoutes(api, deps)
  consentRoutes(api, deps)
  consentListRoutes(api, deps)
  tenantRoutes(api, deps)
  userRoutes(api, deps)
  membershipRoutes(api, deps)
  invitationRoutes(api, deps)
  sessionRoutes(api, deps)
  revocationRoutes(api, deps)
  keyRoutes(api, deps)
  catalogueRoutes(api, deps)
  apiRoutes(api, deps)
  auditRoutes(api, deps)
  pruningRoutes(api, deps)
  statusRoutes(api, deps)
  configurationRoutes(api, deps)
  routeRoutes(api, deps)
  configurationRulesRoutes(api, deps)
  usageRoutes(api, deps)
  ownLimitRoutes(api, deps)
  explainRoutes(api, deps)
  recordedDecisionRoutes(api, deps)
  webhookRoutes(api, deps)
}

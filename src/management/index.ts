// The management API (contract §1): applications with their secrets, permissions and consents, tenants, revocations,
// signing keys, the catalogue, the ledger, the state of this instance. The portal and the command line do nothing that
// is not here. It has three transports: the local socket, the public listener for access tokens, and this process for
// the portal. Every route says what it takes (access.ts) and asks whose the thing is (ownership.ts). The room knows no
// pages and no cookies, and decides nothing about applications itself: the rules are in directory/.

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { guardRoutes } from './access/access.js'
import { checkedBodies } from './answers/body-checks.js'
import { toApiRefusal } from './answers/errors.js'
import { listedAnswers } from './answers/listed-answers.js'
import { neverKept, refuseOtherMethods, rememberMethods } from './answers/other-methods.js'
import { apiCatalogueRoutes } from './api-catalogue/api-catalogue.js'
import { apiConsequenceRoutes } from './api-catalogue/api-consequences.js'
import { callerRoutes } from './api-catalogue/callers.js'
import { ownerRoutes } from './applications/application-owners.js'
import { secretRoutes } from './applications/application-secrets.js'
import { applicationRoutes } from './applications/applications.js'
import { federatedCredentialRoutes } from './applications/federated-credentials.js'
import { newOriginRoutes } from './applications/new-origins.js'
import { pkceUseRoutes } from './applications/pkce-use.js'
import { possibleOwnerRoutes } from './applications/possible-owner.js'
import { recordedDecisionRoutes } from './applications/recorded-decisions.js'
import { registrationTokenRoutes } from './applications/registration-tokens.js'
import { auditRoutes } from './audit/audit.js'
import { pruningRoutes } from './audit/pruning.js'
import { usageExportRoutes } from './billing/usage-export.js'
import { brandRoutes } from './brands/brands.js'
import { accessRequestRoutes } from './consents/access-requests.js'
import { consentRoutes } from './consents/application-consents.js'
import { consentListRoutes } from './consents/consents.js'
import { ownRequestRoutes } from './consents/own-requests.js'
import { deletedApplicationRoutes } from './deleted/deleted-applications.js'
import type { ManagementDependencies } from './dependencies.js'
import { importRoutes } from './imports/imports.js'
import { overviewRoutes } from './overview/overview.js'
import { invitationRoutes } from './people/invitations.js'
import { membershipRoutes } from './people/memberships.js'
import { operatorRoutes } from './people/operators.js'
import { sessionRoutes } from './people/sessions.js'
import { tenantRoutes } from './people/tenants.js'
import { userRoutes } from './people/users.js'
import { apiRoutes } from './permissions/apis.js'
import { catalogueRoutes } from './permissions/catalogue.js'
import { usageRoutes } from './permissions/usage.js'
import { planRoutes } from './plans/plans.js'
import { configurationRoutes } from './server/configuration.js'
import { configurationRulesRoutes } from './server/configuration-rules.js'
import { explainRoutes } from './server/explain.js'
import { keyRoutes } from './server/keys.js'
import { ownLimitRoutes } from './server/own-limits.js'
import { providerRoutes } from './server/providers.js'
import { revocationRoutes } from './server/revocations.js'
import { routeRoutes } from './server/routes.js'
import { statusRoutes } from './server/status.js'
import { toolChangeRoutes } from './server/tool-changes.js'
import { webhookRoutes } from './server/webhooks.js'
import { consequenceRoutes } from './stopping/consequences.js'
import { furtherConsequenceRoutes } from './stopping/further-consequences.js'
import { toolRuleRoutes } from './tools/tool-rules.js'

/**
 * The plugin with every management route, under /api/v2. The scope around it writes ApiErrors
 * (http/answers/error-responses.ts).
 */
export function managementRoutes(deps: ManagementDependencies): FastifyPluginAsync {
  return async (app) => {
    checkedBodies(app)
    listedAnswers(app)
    app.setErrorHandler((error) => {
      throw toApiRefusal(error)
    })
    app.addHook('onRequest', async (_request, reply) => neverKept(reply))
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
  deletedApplicationRoutes(api, deps)
  secretRoutes(api, deps)
  federatedCredentialRoutes(api, deps)
  ownerRoutes(api, deps)
  possibleOwnerRoutes(api, deps)
  newOriginRoutes(api, deps)
  pkceUseRoutes(api, deps)
  registrationTokenRoutes(api, deps)
  importRoutes(api, deps)
  planRoutes(api, deps)
  consentRoutes(api, deps)
  accessRequestRoutes(api, deps)
  consentListRoutes(api, deps)
  ownRequestRoutes(api, deps)
  tenantRoutes(api, deps)
  brandRoutes(api, deps)
  toolRuleRoutes(api, deps)
  userRoutes(api, deps)
  operatorRoutes(api, deps)
  membershipRoutes(api, deps)
  invitationRoutes(api, deps)
  sessionRoutes(api, deps)
  revocationRoutes(api, deps)
  keyRoutes(api, deps)
  catalogueRoutes(api, deps)
  apiRoutes(api, deps)
  apiCatalogueRoutes(api, deps)
  callerRoutes(api, deps)
  apiConsequenceRoutes(api, deps)
  auditRoutes(api, deps)
  pruningRoutes(api, deps)
  statusRoutes(api, deps)
  configurationRoutes(api, deps)
  routeRoutes(api, deps)
  configurationRulesRoutes(api, deps)
  usageRoutes(api, deps)
  usageExportRoutes(api, deps)
  ownLimitRoutes(api, deps)
  explainRoutes(api, deps)
  recordedDecisionRoutes(api, deps)
  webhookRoutes(api, deps)
  toolChangeRoutes(api, deps)
  providerRoutes(api, deps)
  consequenceRoutes(api, deps)
  furtherConsequenceRoutes(api, deps)
  overviewRoutes(api, deps)
}

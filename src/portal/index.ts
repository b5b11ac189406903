// The developer portal (contract §0, §1): register applications and everything about them, for the people of a tenant;
// and what operators of the installation see. Pages from the server that work without scripts. The room changes nothing
// itself: each page asks the management API in the name of the person who looks at it (context.ts), so it can do no
// more than that allows.
//
//   GET /portal                              overview/: what waits, how it went; members go to their tenant
//   /portal/applications …                   applications/: list, register, overview, credentials, redirect URIs
//   …/{id}/permissions …                     permissions/: API permissions, adding, removing, consent
//   …/{id}/try-it                            trial/: a short token, and calls with it
//   /portal/apis …                           apis/: the API catalogue, a page for each API
//   /portal/deleted-applications …           deleted/: what can be restored, restoring it, deleting it for good
//   /portal/people …                         people/: members, invitations, one person
//   /portal/consents …                       consents/: requests for consent, apps with access
//   /portal/audit …                          audit/: the ledger, what was tried, and taking it along
//   /portal/branding …                       branding/: what sign-in looks like, with a preview
//   /portal/tools                            tools/: which tools agents may call, and how
//   /portal/import                           imports/: what another product exported becomes registrations
//   /portal/registration-tokens …            registration-tokens/: leave for others to register applications
//   /portal/webhooks …                       webhooks/: where events go, deliveries, dead letters
//   /portal/tenant                           tenant/: what it is, and its settings
//   /portal/server/…                         server/: tenants, keys, routes, status; for operators
//   /portal/server/tool-changes …            tool-changes/: tools that changed behind the gate, to be approved; for operators
//   …/{id}/plan, /portal/plan-requests …     plans/: what an application may use, requests, who uses which plan
//   …/{id}/activity                          activity/: last token requests and refusals
//   …/{id}/usage                             usage/: calls and permissions in use
//   /portal/usage                            usage/: of all applications of the tenant
//   /portal/explain                          explain/: why a call is allowed or refused
//   /portal/reference                        reference/: the API reference, for everybody
//   /portal/confirm                          confirm/: a form that waited for its person to sign in once more

import type { FastifyPluginAsync } from 'fastify'
import { throttled } from '../identity/limits.js'
import { sendPageError } from '../web/page-errors.js'
import { registerAssets } from '../web/pages/assets.js'
import { registerActivity } from './activity/activity-page.js'
import { apiPages } from './apis/pages.js'
import { applicationPages } from './applications/pages.js'
import { auditPages } from './audit/pages.js'
import { brandingPages } from './branding/pages.js'
import { registerConfirm } from './confirm/confirm-page.js'
import { consentPages } from './consents/pages.js'
import { deletedPages } from './deleted/pages.js'
import type { PortalDependencies } from './dependencies.js'
import { registerExplain } from './explain/explain-page.js'
import { registerImport } from './imports/import-page.js'
import { registerOverview } from './overview/overview-page.js'
import { peoplePages } from './people/pages.js'
import { permissionPages } from './permissions/pages.js'
import { planPages } from './plans/pages.js'
import { newOriginPages } from './redirect-origins/page.js'
import { registerReference } from './reference/reference-page.js'
import { referenceScript } from './reference/reference-script.js'
import { registrationTokenPages } from './registration-tokens/pages.js'
import { portalScript } from './scripts.js'
import { serverPages } from './server/pages.js'
import { portalStyles } from './stylesheet.js'
import { registerTenantPage } from './tenant/tenant-page.js'
import { toolChangePages } from './tool-changes/pages.js'
import { registerToolRules } from './tools/rules-page.js'
import { registerTryIt } from './trial/try-it-page.js'
import { tryItScript } from './trial/try-it-script.js'
import { registerTenantUsage } from './usage/tenant-usage-page.js'
import { registerUsage } from './usage/usage-page.js'
import { webhookPages } from './webhooks/pages.js'

/** The plugin with every page below /portal. */
export function portalRoutes(deps: PortalDependencies): FastifyPluginAsync {
  return async (app) => {
    await app.register(async (scope) => {
      await deps.guardAddresses(scope, (_request, { retryAfterSeconds, headers }) =>
        throttled(retryAfterSeconds, headers),
      )
      registerOverview(scope, deps)
      registerTenantPage(scope, deps)
      peoplePages(scope, deps)
      consentPages(scope, deps)
      newOriginPages(scope, deps)
      auditPages(scope, deps)
      webhookPages(scope, deps)
      registrationTokenPages(scope, deps)
      registerImport(scope, deps)
      brandingPages(scope, deps)
      registerToolRules(scope, deps)
      serverPages(scope, deps)
      toolChangePages(scope, deps)
      applicationPages(scope, deps)
      deletedPages(scope, deps)
      permissionPages(scope, deps)
      apiPages(scope, deps)
      planPages(scope, deps)
      registerTryIt(scope, deps)
      registerActivity(scope, deps)
      registerUsage(scope, deps)
      registerTenantUsage(scope, deps)
      registerExplain(scope, deps)
      registerReference(scope, deps)
      registerConfirm(scope, deps)
    })
    await app.register(async (scope) => {
      scope.setErrorHandler((error, request, reply) => sendPageError(error, request, reply))
      registerAssets(scope, [portalStyles, portalScript, tryItScript, referenceScript])
    })
  }
}

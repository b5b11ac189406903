// The identity service: the OAuth endpoints (token in both spellings, revoke, introspect), the public keys, the
// metadata and the pages that explain errors. It knows registrations, keys and revocations through what app.ts gives
// it, and nothing of the gate. Each kind of route has a scope of its own, so that none inherits another's parsers or
// error bodies.
//
//   POST /api/v2/oauth2/v2.0/token, /API/v2/OAuth/token   token/token.ts
//   POST /api/v2/oauth2/v2.0/revoke, …/introspect         revoke.ts, introspect.ts
//   GET|POST /api/v2/oauth2/v2.0/authorize, /API/v2/OAuth/authorize, /choose-tenant   authorize/routes.ts
//   GET|POST /api/v2/oauth2/v2.0/userinfo                  userinfo.ts
//   GET|POST /consent, /account/apps                       consent/consent-page.tsx, apps-page.tsx
//   GET  /api/v2/oauth2/v2.0/adminconsent, /consent-requests   admin-consent/page.tsx, requests-page.tsx
//   GET  /api/v2/oauth2/v2.0/keys, …/assertionkeys        keys.ts
//   GET  /.well-known/…                                   metadata.ts
//   POST /api/v2/oauth2/v2.0/devicecode, GET|POST /device device/device-authorization.ts, device/device-page.tsx
//   GET|POST /api/v2/oauth2/v2.0/logout                    logout/logout.tsx
//   POST /api/v2/oauth2/v2.0/register, GET|PUT|DELETE …/register/{client_id}   register/routes.ts
//   GET|POST /sign-in…, /sign-out, /set-up, /invitation, /reset-password   sign-in/sign-in-routes.ts
//   GET  /sign-in/external/<provider>…                    external/routes.ts, with GET|POST /account/providers
//   GET|POST /account…                                    account/account-routes.ts
//   GET|POST /account/approvals/{id}                       approvals/approval-page.tsx
//   GET  /errors, /errors/<number>                        pages/error-page.tsx
//   GET  /brand/<file>                                    ../web/brand/brand-files.ts
//   GET  /assets/<hash>                                   pages/assets.ts
//
// Its folders, from the lowest: each imports from those before it only (test/architecture.test.ts). pages, pending,
// token < browser < sign-in < consent < authorize < account, admin-consent, device, logout, register < external

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { registerBrandFiles } from '../web/brand/brand-files.js'
import { sendPageError } from '../web/page-errors.js'
import { pageAssets, registerAssets } from '../web/pages/assets.js'
import { registerErrorPages } from '../web/pages/error-page.js'
import { codesScript, passkeyScript, passwordScript } from '../web/pages/scripts.js'
import { submitOnceScript } from '../web/pages/submit-once.js'
import { registerAccount } from './account/account-routes.js'
import { registerAdminConsent } from './admin-consent/page.js'
import { registerRequestsPage } from './admin-consent/requests-page.js'
import { registerApprovalPage } from './approvals/approval-page.js'
import { refusePending } from './authorize/refuse-pending.js'
import { formPostScript } from './authorize/respond.js'
import { registerAuthorize } from './authorize/routes.js'
import { registerAppsPage } from './consent/apps-page.js'
import { registerConsentPage } from './consent/consent-page.js'
import type { IdentityDependencies } from './dependencies.js'
import { answerDeviceAuthorization, DeviceAuthorization } from './device/device-authorization.js'
import { registerDevicePage } from './device/device-page.js'
import { writeOAuthError } from './errors.js'
import { registerExternal } from './external/routes.js'
import { prepareFormEndpoints, registerFormEndpoint } from './form-endpoint.js'
import { answerIntrospectionRequest, Introspection } from './issued-tokens/introspect.js'
import { answerRevocationRequest } from './issued-tokens/revoke.js'
import { registerUserinfo } from './issued-tokens/userinfo.js'
import { throttled } from './limits.js'
import { registerLogout } from './logout/logout.js'
import { anyCasePath } from './metadata/any-case.js'
import { registerKeys } from './metadata/keys.js'
import { endpointPaths, registerMetadata } from './metadata/metadata.js'
import { registrationAnnouncement } from './register/announcement.js'
import { registerRegistration } from './register/routes.js'
import { registerSignInPages } from './sign-in/sign-in-routes.js'
import { TokenResponse } from './token/issue-token.js'
import { answerTokenRequest } from './token/token.js'

/** The second spelling of the token endpoint. */
const tokenAlias = anyCasePath(['api', 'v2', 'oauth', 'token'])

/** The plugin with every route of the identity service. */
export function identityRoutes(deps: IdentityDependencies): FastifyPluginAsync {
  return async (app) => {
    const { server } = deps.settings
    const options = { baseUrl: server.baseUrl, now: deps.now }
    app.setErrorHandler((error, request, reply) => writeOAuthError(error, request, reply, options))
    await deps.guardAddresses(app, (_request, { retryAfterSeconds, headers }) => throttled(retryAfterSeconds, headers))
    app.register(async (scope) => registerFormEndpoints(scope, deps))
    app.register(async (scope) => registerUserinfo(scope, deps))
    if (deps.settings.registration.standard) app.register(async (scope) => registerRegistration(scope, deps))
    app.register(async (scope) => {
      registerMetadata(scope, deps.settings, registrationAnnouncement(deps))
      registerKeys(scope, deps.keyring)
    })
    app.register(async (scope) => {
      registerAuthorize(scope, deps)
      registerConsentPage(scope, deps, (reply, browser, pending) => refusePending(deps, reply, browser, pending))
      registerAdminConsent(scope, deps)
      registerAppsPage(scope, deps)
      registerRequestsPage(scope, deps)
      registerDevicePage(scope, deps)
      registerApprovalPage(scope, deps)
      registerLogout(scope, deps)
      registerSignInPages(scope, deps)
      registerExternal(scope, deps)
      registerAccount(scope, deps)
    })
    app.register(async (scope) => {
      scope.setErrorHandler((error, request, reply) => sendPageError(error, request, reply))
      registerBrandFiles(scope, deps)
    })
    app.register(async (scope) => {
      registerErrorPages(scope)
      registerAssets(scope, [
        ...Object.values(pageAssets),
        submitOnceScript,
        formPostScript,
        passwordScript,
        codesScript,
        passkeyScript,
      ])
    })
  }
}

function registerFormEndpoints(scope: FastifyInstance, deps: IdentityDependencies): void {
  prepareFormEndpoints(scope)
  registerFormEndpoint(scope, deps, {
    routeId: 'token',
    paths: [endpointPaths.token, tokenAlias],
    isForBrowsers: true,
    answer: TokenResponse,
    handle: (parameters, request, reply) => answerTokenRequest(deps, parameters, request, reply),
  })
  registerFormEndpoint(scope, deps, {
    routeId: 'revoke',
    paths: [endpointPaths.revoke],
    isForBrowsers: true,
    handle: (parameters, request, reply) => answerRevocationRequest(deps, parameters, request, reply),
  })
  registerFormEndpoint(scope, deps, {
    routeId: 'introspect',
    paths: [endpointPaths.introspect],
    answer: Introspection,
    handle: (parameters, request, reply) => answerIntrospectionRequest(deps, parameters, request, reply),
  })
  registerDeviceAuthorization(scope, deps)
}

function registerDeviceAuthorization(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerFormEndpoint(scope, deps, {
    routeId: 'device-authorization',
    paths: [endpointPaths.deviceCode],
    answer: DeviceAuthorization,
    handle: (parameters, request, reply) => answerDeviceAuthorization(deps, parameters, request, reply),
  })
}

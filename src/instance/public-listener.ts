// The listener of all that clients reach: which room is registered on it, in which order, and behind which guard.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { packageRoot } from '../config/read/package-root.js'
import type { Settings } from '../config/settings/settings.js'
import { createDownloads } from '../downloads/downloads.js'
import { downloadRoutes } from '../downloads/routes.js'
import { addressRefusal } from '../gateway/errors.js'
import { gatewayRoutes } from '../gateway/index.js'
import { callerKey } from '../gateway/upstreams/callers.js'
import { answerOtherMethods } from '../http/requests/addresses.js'
import { createHttpServer } from '../http/server.js'
import { type DevelopmentAuthority, readDevelopmentAuthority } from '../http/tls/development-ca.js'
import { loadTls, type TlsFiles } from '../http/tls/tls.js'
import { openTracing } from '../http/tracing.js'
import { identityRoutes } from '../identity/index.js'
import { type AddressGuardOptions, registerAddressGuard } from '../limits/address-guard.js'
import { createConnectionGuard } from '../limits/connection-guard.js'
import { publicTransport } from '../management/access/public-transport.js'
import { managementRoutes } from '../management/index.js'
import { registerOpenApi } from '../management/openapi/publish.js'
import { portalRoutes } from '../portal/index.js'
import { registerDocs } from '../web/docs/docs-pages.js'
import { createNothingHere } from '../web/nothing-here.js'
import { openDocumentation } from './documentation.js'
import type { InProcessManagement } from './management-listeners.js'
import {
  gatewayDependencies,
  type InstanceFacts,
  identityDependencies,
  managementDependencies,
  portalDependencies,
} from './room-dependencies.js'

/** Made before there is a listener (instance/app.ts). */
function ownAuthority({ server, data }: Settings): DevelopmentAuthority | undefined {
  return server.tls.kind === 'development' ? readDevelopmentAuthority(data.folder) : undefined
}

const notPacked = 'the client library cannot be packed'

/**
 * What clients reach: the identity service, the portal, the management API, then the gate, which takes whatever is
 * left.
 */
export async function createPublicListener(
  instance: InstanceFacts,
  { log, tls, within }: { log: FastifyBaseLogger; tls: TlsFiles | undefined; within: InProcessManagement },
): Promise<FastifyInstance> {
  const { settings, deps, version, gate, api } = instance
  const tracing = await openTracing({ env: process.env, version, onMissing: (message) => log.warn(message) })
  const app = createHttpServer({
    baseUrl: settings.server.baseUrl,
    pageLanguage: settings.signIn.language,
    limits: settings.server,
    logger: { existing: log },
    tls: tls === undefined ? undefined : loadTls(tls),
    tracing,
    trustedProxies: settings.server.trustedProxies,
    proxyProtocol: settings.server.proxyProtocol,
    hstsIncludeSubDomains: settings.server.hstsIncludeSubDomains,
    apiHosts: settings.server.apiHosts,
    accessLog: settings.log.access,
    metrics: deps.metrics,
    connections: createConnectionGuard({
      counters: deps.localCounters,
      guard: settings.addressGuard,
      most: settings.server.connections,
      monotonic: deps.monotonic,
    }),
    holdBody: (address, bytes) => deps.bodies.hold(callerKey({ principal: undefined, address }), bytes),
  })
  app.addHook('onClose', async () => tracing?.stop())
  answerOtherMethods(app)
  app.decorate('serverBrand', () => settings.brand)
  api.describe(app)
  const { localCounters: counters, monotonic } = deps
  const guardAddresses = (scope: FastifyInstance, refuse: AddressGuardOptions['refuse']) =>
    registerAddressGuard(scope, { counters, guard: settings.addressGuard, monotonic, refuse })
  await app.register(identityRoutes(identityDependencies(deps, settings, guardAddresses)))
  const downloads = createDownloads({ root: packageRoot(), version })
  const clientDownload = () => downloads.client().catch((error: unknown) => void log.warn({ err: error }, notPacked))
  const authority = ownAuthority(settings)
  const portal = { manage: within.manage, clientDownload, authority, document: api.document, version }
  await app.register(portalRoutes(portalDependencies(deps, settings, guardAddresses, portal)))
  const documentation = openDocumentation({ metrics: deps.metrics, version })
  await app.register(async (scope) => {
    await guardAddresses(scope, addressRefusal)
    await scope.register(downloadRoutes(downloads, { baseUrl: settings.server.baseUrl, authority }))
    await scope.register(async (own) => registerDocs(own, documentation))
  })
  await app.register(async (scope) => {
    await guardAddresses(scope, addressRefusal)
    const { authenticator, view, limiter } = deps
    const principalOf = publicTransport({ settings, authenticator, view, limiter })
    await scope.register(
      managementRoutes(
        managementDependencies(instance, { principalOf, requestOrigin: undefined, callAs: within.callAs }),
      ),
    )
    await scope.register(async (own) => registerOpenApi(own, api.text))
  })
  const nothingHere = createNothingHere(app.publicOrigin, settings.signIn.language, () => settings.brand)
  await app.register(async (scope) => {
    await guardAddresses(scope, addressRefusal)
    await scope.register(gatewayRoutes(gatewayDependencies(deps, settings, { gate, nothingHere })))
  })
  return app
}

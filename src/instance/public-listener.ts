// The listener of all that clients reach: which room is registered on it, in which order, and behind which guard.

import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Settings } from '../config/settings/settings.js'
import { addressRefusal } from '../gateway/errors.js'
import { gatewayRoutes } from '../gateway/index.js'
import { callerKey } from '../gateway/upstreams/callers.js'
import { ApiError } from '../http/answers/api-error.js'
import { onDemand } from '../http/on-demand.js'
import { createOverload } from '../http/overload/overload.js'
import { answerOtherMethods, refusingPattern } from '../http/requests/addresses.js'
import { requestContext } from '../http/requests/request-context.js'
import { createHttpServer, type HttpServerOptions } from '../http/server.js'
import { createStaples, type Staples, type StaplesOptions } from '../http/tls/stapling/staples.js'
import { createTicketKeys } from '../http/tls/ticket-keys.js'
import { loadTls, type TlsFiles } from '../http/tls/tls.js'
import { openTracing } from '../http/tracing.js'
import { identityRoutes } from '../identity/index.js'
import { addressGroup, addressNetwork } from '../limits/address-group.js'
import { registerAddressGuard } from '../limits/address-guard.js'
import { createConnectionGuard } from '../limits/connection-guard.js'
import { deriveKey } from '../oauth/secrets/derived-key.js'
import { createNothingHere } from '../web/nothing-here.js'
import type { InProcessManagement } from './management-listeners.js'
import { newestKey } from './master-keys.js'
import { gatewayDependencies, type InstanceFacts, identityDependencies } from './room-dependencies.js'
import { isOfRooms } from './rooms/addresses.js'
import type { PublicFrame } from './rooms/public-frame.js'

/** A development certificate has no responder. */
function staplesFor({ server }: Settings, facts: Pick<StaplesOptions, 'log' | 'metrics'>): Staples | undefined {
  return server.ocspStapling && server.tls.kind === 'files' ? createStaples(facts) : undefined
}

/** A customer has thousands of IPv6 addresses, and is one client. */
const clientOf = (address: string) => addressNetwork(address) ?? addressGroup(address)

/** What the gate takes: whatever no room has registered. */
const wildcards: ReadonlySet<string> = new Set(['/', '/*'])

/**
 * What clients reach: the identity service and the gate, which takes whatever is left. The portal, the management API
 * and what there is to read are made when somebody first comes to them (decision 139): until then most servers need
 * neither their code nor their memory.
 */
export async function createPublicListener(
  instance: InstanceFacts,
  { log, tls, within }: { log: FastifyBaseLogger; tls: TlsFiles | undefined; within: InProcessManagement },
): Promise<FastifyInstance> {
  const { settings, deps, version, api } = instance
  const tracing = await openTracing({ env: process.env, version, onMissing: (message) => log.warn(message) })
  const { longestWaitMs: longestTurnMs } = settings.server
  const overload = createOverload({ longestTurnMs, metrics: deps.metrics, log, clientOf })
  const frame = publicFrame(instance, { log, tracing, overload })
  const rooms = onDemand(async () => {
    const { createPublicRooms } = await import('./rooms/public-rooms.js')
    return createPublicRooms(instance, { frame, within, log })
  })
  const app = createHttpServer({
    ...frame.server,
    tls: tls === undefined ? undefined : loadTls(tls),
    tickets: createTicketKeys(deriveKey(newestKey(instance.masterKeys), 'tls-tickets'), settings.server.baseUrl),
    staples: staplesFor(settings, { log, metrics: deps.metrics }),
    connections: createConnectionGuard({
      counters: deps.localCounters,
      guard: settings.addressGuard,
      most: settings.server.connections,
      monotonic: deps.monotonic,
    }),
    elsewhere: (request) => (isLeftToRooms(request) ? rooms.get().catch(refuseRooms(log)) : undefined),
  })
  app.addHook('preClose', async () => overload.stop())
  app.addHook('onClose', async () => {
    await (await rooms.made())?.close()
    await tracing?.stop()
  })
  answerOtherMethods(app)
  app.decorate('serverBrand', () => settings.brand)
  api.describe(app, 'identity')
  api.madeWhole(rooms.get)
  await app.register(identityRoutes(identityDependencies(deps, settings, frame.guardAddresses)))
  await app.register(frame.gate)
  return app
}

/** What identity has at an address is its own; what the gate would take may be a room's that is yet to be made. */
function isLeftToRooms(request: FastifyRequest): boolean {
  const { target } = requestContext(request)
  // Fastify makes `routeOptions` anew each time that somebody asks for it.
  if (!target.ok || !isOfRooms(target.path) || !wildcards.has(request.routeOptions.url ?? '/*')) return false
  return refusingPattern(request) === undefined
}

/** The next request has it tried again. */
function refuseRooms(log: FastifyBaseLogger) {
  return (error: unknown): never => {
    log.error({ err: error }, 'the portal and the management API could not be made; the next request tries again')
    const headers = { 'retry-after': '5' }
    throw new ApiError(503, 'ServiceUnavailable', 'This part of the server cannot be used now.', { headers })
  }
}

function publicFrame(
  { settings, deps, gate, masterKeys }: InstanceFacts,
  { log, tracing, overload }: { log: FastifyBaseLogger } & Pick<HttpServerOptions, 'tracing' | 'overload'>,
): PublicFrame {
  const { localCounters: counters, monotonic } = deps
  const { baseUrl } = settings.server
  const guardAddresses: PublicFrame['guardAddresses'] = (scope, refuse) =>
    registerAddressGuard(scope, { counters, guard: settings.addressGuard, monotonic, refuse })
  const nothingHere = createNothingHere(baseUrl, settings.signIn.language, () => settings.brand)
  const sessionKeys = masterKeys.map((key) => deriveKey(key, 'mcp-session'))
  const routes = gatewayRoutes(gatewayDependencies(deps, settings, { gate, nothingHere, sessionKeys }))
  return {
    server: {
      ...(overload === undefined ? {} : { overload }),
      baseUrl,
      pageLanguage: settings.signIn.language,
      limits: settings.server,
      logger: { existing: log },
      tls: undefined,
      tracing,
      trustedProxies: settings.server.trustedProxies,
      proxyProtocol: settings.server.proxyProtocol,
      hstsIncludeSubDomains: settings.server.hstsIncludeSubDomains,
      apiHosts: settings.server.apiHosts,
      accessLog: settings.log.access,
      metrics: deps.metrics,
      holdBody: (address, bytes) => deps.bodies.hold(callerKey({ principal: undefined, address }), bytes),
    },
    guardAddresses,
    gate: async (scope) => {
      await guardAddresses(scope, addressRefusal)
      await scope.register(routes)
    },
  }
}

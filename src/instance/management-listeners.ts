// The management API behind the two transports that no client reaches: the local socket, and this process.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { onDemand } from '../http/on-demand.js'
import { answerOtherMethods } from '../http/requests/addresses.js'
import { createHttpServer } from '../http/server.js'
import { createInProcessTransport } from '../management/access/in-process-transport.js'
import { refuseForwarded } from '../management/access/local-transport.js'
import type { ManagementDependencies } from '../management/dependencies.js'
import type { PortalDependencies } from '../portal/dependencies.js'

import { type InstanceFacts, managementDependencies } from './room-dependencies.js'

/** The ways to the management API that stay in this process. */
export interface InProcessManagement {
  /** The portal's, in the name of who is signed in there. */
  manage: PortalDependencies['manage']
  /** Of an operation that is made of several, in the name of its caller. */
  callAs: ManagementDependencies['callAs']
}

/**
 * The transport of the command line: a Unix socket, so every caller that gets in is the operator. Its routes are made
 * when somebody first comes: most servers start for callers who use another listener.
 */
export async function createManagementListener(
  instance: InstanceFacts,
  log: FastifyBaseLogger,
  { callAs }: Pick<InProcessManagement, 'callAs'>,
): Promise<FastifyInstance> {
  const app = localServer(instance, log)
  const transport = { principalOf: () => ({ kind: 'local' }) as const, requestOrigin: undefined, callAs }
  const deps = managementDependencies(instance, transport)
  const behind = onDemand(async () => {
    const { managementRoutes } = await import('../management/index.js')
    const routes = localServer(instance, log)
    routes.addHook('onRequest', refuseForwarded)
    answerOtherMethods(routes)
    await routes.register(managementRoutes(deps))
    await routes.ready()
    return routes
  })
  app.addHook('onRequest', async (request, reply) => {
    const routes = await behind.get()
    reply.hijack()
    routes.routing(request.raw, reply.raw)
  })
  app.addHook('onClose', async () => (await behind.made())?.close())
  return app
}

/** A server that listens nowhere, behind a transport that only this process has; made when it is first called. */
export function openInProcess(instance: InstanceFacts, log: FastifyBaseLogger): InProcessManagement {
  const { principalOf, requestOrigin, call, callAs } = createInProcessTransport()
  const again: InProcessManagement['callAs'] = async (who, inner) => callAs(await behind.get(), who, inner)
  const deps = managementDependencies(instance, { principalOf, requestOrigin, callAs: again })
  const behind = onDemand(async () => {
    const { managementRoutes } = await import('../management/index.js')
    const app = localServer(instance, log)
    answerOtherMethods(app)
    await app.register(managementRoutes(deps))
    await app.ready()
    return app
  })
  return { manage: async (who, inner) => call(await behind.get(), who, inner), callAs: again }
}

function localServer({ settings }: InstanceFacts, log: FastifyBaseLogger): FastifyInstance {
  return createHttpServer({
    listener: 'local',
    tls: undefined,
    baseUrl: settings.server.baseUrl,
    limits: settings.server,
    accessLog: false,
    logger: { existing: log },
  })
}

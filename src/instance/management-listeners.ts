// The management API behind the two transports that no client reaches: the local socket, and this process.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { answerOtherMethods } from '../http/requests/addresses.js'
import { createHttpServer } from '../http/server.js'
import { createInProcessTransport } from '../management/access/in-process-transport.js'
import { refuseForwarded } from '../management/access/local-transport.js'
import { managementRoutes } from '../management/index.js'
import type { PortalDependencies } from '../portal/dependencies.js'
import { type InstanceFacts, managementDependencies } from './room-dependencies.js'

/** The transport of the command line: a Unix socket, so every caller that gets in is the operator. */
export async function createManagementListener(
  instance: InstanceFacts,
  log: FastifyBaseLogger,
): Promise<FastifyInstance> {
  const app = localServer(instance, log)
  app.addHook('onRequest', refuseForwarded)
  answerOtherMethods(app)
  await app.register(managementRoutes(managementDependencies(instance, { principalOf: () => ({ kind: 'local' }) })))
  return app
}

/**
 * The portal's way to the management API: a server that listens nowhere, behind a transport that only this process has.
 */
export async function portalTransport(
  instance: InstanceFacts,
  log: FastifyBaseLogger,
): Promise<PortalDependencies['manage']> {
  const app = localServer(instance, log)
  answerOtherMethods(app)
  const transport = createInProcessTransport()
  await app.register(managementRoutes(managementDependencies(instance, transport)))
  await app.ready()
  return (who, call) => transport.call(app, who, call)
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

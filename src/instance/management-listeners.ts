// The management API behind the two transports that no client reaches: the local socket, and this process.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { answerOtherMethods } from '../http/requests/addresses.js'
import { createHttpServer } from '../http/server.js'
import { createInProcessTransport } from '../management/access/in-process-transport.js'
import { refuseForwarded } from '../management/access/local-transport.js'
import type { ManagementDependencies } from '../management/dependencies.js'
import { managementRoutes } from '../management/index.js'
import type { PortalDependencies } from '../portal/dependencies.js'
import { type InstanceFacts, managementDependencies } from './room-dependencies.js'

/** The ways to the management API that stay in this process. */
export interface InProcessManagement {
  /** The portal's, in the name of who is signed in there. */
  manage: PortalDependencies['manage']
  /** Of an operation that is made of several, in the name of its caller. */
  callAs: ManagementDependencies['callAs']
}

/** The transport of the command line: a Unix socket, so every caller that gets in is the operator. */
export async function createManagementListener(
  instance: InstanceFacts,
  log: FastifyBaseLogger,
  { callAs }: Pick<InProcessManagement, 'callAs'>,
): Promise<FastifyInstance> {
  const app = localServer(instance, log)
  app.addHook('onRequest', refuseForwarded)
  answerOtherMethods(app)
  const transport = { principalOf: () => ({ kind: 'local' }) as const, requestOrigin: undefined, callAs }
  await app.register(managementRoutes(managementDependencies(instance, transport)))
  return app
}

/** A server that listens nowhere, behind a transport that only this process has. */
export async function openInProcess(instance: InstanceFacts, log: FastifyBaseLogger): Promise<InProcessManagement> {
  const app = localServer(instance, log)
  answerOtherMethods(app)
  const { principalOf, requestOrigin, call, callAs } = createInProcessTransport()
  const again: InProcessManagement['callAs'] = (who, inner) => callAs(app, who, inner)
  await app.register(managementRoutes(managementDependencies(instance, { principalOf, requestOrigin, callAs: again })))
  await app.ready()
  return { manage: (who, inner) => call(app, who, inner), callAs: again }
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

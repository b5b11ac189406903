// The rooms of the public listener that most callers never come to: the portal, the management API, packages and
// documentation, as an application of their own behind that of the listener. The gate is the last here too: it takes
// what has an address of theirs and is not there, exactly as it would if they stood beside identity.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginAsync } from 'fastify'
import { packageRoot } from '../../config/read/package-root.js'
import type { Settings } from '../../config/settings/settings.js'
import { createDownloads } from '../../downloads/downloads.js'
import { downloadRoutes } from '../../downloads/routes.js'
import { addressRefusal } from '../../gateway/errors.js'
import { answerOtherMethods } from '../../http/requests/addresses.js'
import { createHttpServer } from '../../http/server.js'
import { type DevelopmentAuthority, readDevelopmentAuthority } from '../../http/tls/development-ca.js'
import { publicTransport } from '../../management/access/public-transport.js'
import { managementRoutes } from '../../management/index.js'
import { registerOpenApi } from '../../management/openapi/publish.js'
import { portalRoutes } from '../../portal/index.js'
import { registerDocs } from '../../web/docs/docs-pages.js'
import { createApiDocument } from '../api-document.js'
import { openDocumentation } from '../documentation.js'
import type { InProcessManagement } from '../management-listeners.js'
import { type InstanceFacts, managementDependencies, portalDependencies } from '../room-dependencies.js'
import { isOfRooms } from './addresses.js'
import type { PublicFrame } from './public-frame.js'

/** Made before there is a listener (instance/app.ts). */
function ownAuthority({ server, data }: Settings): DevelopmentAuthority | undefined {
  return server.tls.kind === 'development' ? readDevelopmentAuthority(data.folder) : undefined
}

/** Others have their turn between two rooms: one takes tens of milliseconds. */
async function register(app: FastifyInstance, room: FastifyPluginAsync): Promise<void> {
  await app.register(room)
  await nextTurn()
}

const notPacked = 'the client library cannot be packed'

/** Ready to route. Throws Error when a room registers an address that isOfRooms() does not know. */
export async function createPublicRooms(
  instance: InstanceFacts,
  { frame, within, log }: { frame: PublicFrame; within: InProcessManagement; log: FastifyBaseLogger },
): Promise<FastifyInstance> {
  const { settings, deps, version, api } = instance
  const { guardAddresses } = frame
  const app = createHttpServer({ ...frame.server, isBehind: true })
  answerOtherMethods(app)
  app.decorate('serverBrand', () => settings.brand)
  app.addHook('onRoute', ({ url }) => {
    if (url !== '/' && !url.endsWith('/*') && !isOfRooms(url)) throw new Error(`${url} is not in rooms/addresses.ts`)
  })
  api.describe(app, 'rooms')
  const downloads = createDownloads({ root: packageRoot(), version })
  const clientDownload = () => downloads.client().catch((error: unknown) => void log.warn({ err: error }, notPacked))
  const authority = ownAuthority(settings)
  const portal = { manage: within.manage, clientDownload, authority, document: api.document, version }
  await register(app, portalRoutes(portalDependencies(deps, settings, guardAddresses, portal)))
  const documentation = openDocumentation({ metrics: deps.metrics, version })
  await register(app, async (scope) => {
    await guardAddresses(scope, addressRefusal)
    await scope.register(downloadRoutes(downloads, { baseUrl: settings.server.baseUrl, authority }))
    await scope.register(async (own) => registerDocs(own, documentation))
  })
  await register(app, async (scope) => {
    await guardAddresses(scope, addressRefusal)
    const { authenticator, view, limiter } = deps
    const principalOf = publicTransport({ settings, authenticator, view, limiter })
    const transport = { principalOf, requestOrigin: undefined, callAs: within.callAs }
    await scope.register(managementRoutes(managementDependencies(instance, transport)))
    await scope.register(async (own) => registerOpenApi(own, api.text))
  })
  await register(app, frame.gate)
  await app.ready()
  api.writtenBy((routes) => createApiDocument({ routes, settings, version }))
  return app
}

// The listener where proxies ask before they pass a request on to a service of theirs: built, and opened where the
// configuration says. Plain HTTP, because it is for what stands beside this process, and hears nobody else.

import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Settings } from '../config/settings/settings.js'
import { listConsents } from '../directory/consents/consents.js'
import { forwardAuthRoutes } from '../gateway/forward-auth/index.js'
import type { Gate } from '../gateway/gate.js'
import { createRefusalNotes } from '../gateway/refusal-notes.js'
import { listenOn } from '../http/connections/listening.js'
import { listenOnLocalSocket } from '../http/connections/local-socket.js'
import { createHttpServer } from '../http/server.js'
import { registerAddressGuard } from '../limits/address-guard.js'
import type { Collaborators } from './collaborators.js'

/** Builds it, not yet listening; undefined where nobody asks. `gate` is that of the public listener. */
export async function createForwardAuthListener(options: {
  settings: Settings
  deps: Collaborators
  gate: Gate
  log: FastifyBaseLogger
}): Promise<FastifyInstance | undefined> {
  const { settings, deps, gate, log } = options
  const { server } = settings
  const { forwardAuth } = server
  if (forwardAuth === undefined) return undefined
  const { baseUrl, trustedProxies, urlBytes, headerBytes, headerCount } = server
  const app = createHttpServer({
    listener: 'proxies',
    tls: undefined,
    baseUrl,
    trustedProxies,
    // What the question is about stands in header fields, beside its own: whatever a client may send must fit.
    limits: { ...server, headerBytes: headerBytes + urlBytes + 1024, headerCount: headerCount + 32 },
    logger: { existing: log },
    accessLog: settings.log.access,
    metrics: deps.metrics,
  })
  await app.register(
    forwardAuthRoutes({
      server,
      forwardAuth,
      authenticator: deps.authenticator,
      externalTokens: deps.externalTokens,
      view: deps.view,
      directory: deps.directory,
      consentsOf: (about) => listConsents(deps.store.reader, about),
      limiter: deps.limiter,
      keyring: deps.keyring,
      metrics: deps.metrics,
      usage: deps.usage,
      routes: gate.routes,
      now: deps.now,
      noteRefusal: createRefusalNotes(deps.decisions),
      guardAddresses: (scope, refuse) =>
        registerAddressGuard(scope, {
          counters: deps.localCounters,
          guard: settings.addressGuard,
          monotonic: deps.monotonic,
          refuse,
        }),
    }),
  )
  return app
}

/** Listens. A Unix socket is for its group too: the proxy is another user, which the operator puts there. */
export async function listenForProxies(
  app: FastifyInstance | undefined,
  { server }: Settings,
  whose: 'alone' | 'workers',
): Promise<void> {
  const listen = server.forwardAuth?.listen
  if (app === undefined || listen === undefined) return
  if ('file' in listen) return listenOnLocalSocket(app, listen.file, whose, 0o660)
  const says = `listening on ${listen.host}:${listen.port} for proxies that ask`
  await listenOn(app, { ...listen, setting: 'server.forwardAuth.listen (PORTCULLIS_FORWARD_AUTH)', says })
}

// The bundled resource service: GET and PATCH /api/v2/me, /api/v2/subscriptions, /api/v2/resourceGroups (operations.ts
// has the table). It is an HTTP service like any other behind the gate: it listens on a Unix socket inside `serve`, or
// alone on an address of its own (alone.ts), and believes nothing but the signed assertion. It knows no access tokens,
// no applications, no consents; where its data lives is behind source.ts.
//
// A request: http/server.ts (limits, request-id) > caller.ts (assertion, permission) > json.ts (body) > the operation.

import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../http/answers/api-error.js'
import { answerOtherMethods, noteAddress } from '../http/requests/addresses.js'
import { createHttpServer, type HttpServerOptions } from '../http/server.js'
import { type AssertionVerifier, identifyCallers } from './caller.js'
import { acceptJsonBodies } from './json.js'
import { changeProfile, readProfile } from './me.js'
import { type BackendContext, type Handler, type OperationName, operations } from './operations.js'
import { listResourceGroups, readResourceGroup } from './resource-groups.js'
import type { ResourceSource } from './source.js'
import { createSubscription } from './subscriptions/create.js'
import { listSubscriptions } from './subscriptions/list.js'
import { moveSubscription } from './subscriptions/move.js'
import { readSubscription } from './subscriptions/read.js'
import { deleteSubscription } from './subscriptions/remove.js'
import { renameSubscription } from './subscriptions/rename.js'

export interface BackendOptions {
  source: ResourceSource
  verify: AssertionVerifier
  /** The public origin, for links and locations. */
  baseUrl: string
  /** 32 bytes, the same in every instance; see oauth/secrets/derived-key.ts. */
  skipTokenKey: Uint8Array
  logger: HttpServerOptions['logger']
  /** Epoch milliseconds. */
  now: () => number
  newId?: () => string
  /** Largest request body; two pictures fit into the default. */
  bodyBytes?: number
  /**
   * On an address of its own: a certificate, and the names that it answers for. Absent on a Unix socket and on
   * loopback.
   */
  tls?: { cert: string; key: string; hosts: readonly string[] }
}

/** The limits of the wire. The gate's own head limit plus the assertion fits into headerBytes. */
const wireLimits = {
  urlBytes: 8 * 1024,
  headerBytes: 24 * 1024,
  headerCount: 200,
  headersTimeoutMs: 10_000,
  bodyIdleMs: 30_000,
  keepAliveMs: 75_000,
  /** No end: the gate keeps a few connections open and reuses them. */
  requestsPerConnection: 0,
}

const handlers: Readonly<Record<OperationName, (context: BackendContext) => Handler>> = {
  readProfile,
  changeProfile,
  listSubscriptions,
  createSubscription,
  readSubscription,
  renameSubscription,
  deleteSubscription,
  moveSubscription,
  listResourceGroups,
  readResourceGroup,
}

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The service, not yet listening. */
export function createBackend(options: BackendOptions): FastifyInstance {
  const { source, baseUrl, skipTokenKey, now, tls } = options
  const app = createHttpServer({
    listener: tls === undefined ? 'local' : 'public',
    tls,
    baseUrl,
    hosts: tls?.hosts ?? [],
    limits: { ...wireLimits, bodyBytes: options.bodyBytes ?? 1024 * 1024 },
    logger: options.logger,
    accessLog: false,
  })
  identifyCallers(app, options.verify, now)
  // A caller other than the gate learns nothing, not even what exists.
  answerOtherMethods(app)
  acceptJsonBodies(app)

  const context: BackendContext = { source, baseUrl, skipTokenKey, now, newId: options.newId ?? randomUUID }
  for (const [name, { method, path }] of Object.entries(operations) as [
    OperationName,
    { method: string; path: string },
  ][]) {
    app.route({ method, url: path, config: { operation: name }, handler: handlers[name](context) })
  }
  refuseOtherMethods(app)
  return app
}

/** 405 with Allow (RFC 9110 §15.5.6) for the methods that a path does not have. */
function refuseOtherMethods(app: FastifyInstance): void {
  const known = Object.values(operations)
  for (const path of new Set(known.map((operation) => operation.path))) {
    const own = known.filter((operation) => operation.path === path).map((operation) => operation.method as string)
    const served = own.includes('GET') ? [...own, 'HEAD'] : own
    const allow = served.join(', ')
    const refused = new Set(methods.filter((method) => !served.includes(method)))
    noteAddress(app, path, {
      refuses: (method) => refused.has(method),
      refuse() {
        throw new ApiError(405, 'MethodNotAllowed', `This resource has ${allow}.`, { headers: { allow } })
      },
    })
  }
}

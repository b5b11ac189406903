// Who is calling: what the signed assertion says, and nothing else. No other header is read for identity, tenant or
// permission. A call without a valid assertion gets 401 whatever it asks for, so it learns nothing, not even what
// exists.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../http/answers/api-error.js'
import { requestContext, setRequestContext } from '../http/requests/request-context.js'
import type { AssertionClaims } from '../tokens/claims.js'
import { isGuid } from './guid.js'
import { type OperationName, operations } from './operations.js'

/** The caller of one request. */
export interface Caller {
  tenantId: string
  kind: 'app' | 'user'
  /** Null for an application acting as itself: it sees the tenant's own profile. */
  userId: string | null
  permissions: ReadonlySet<string>
}

/**
 * Verifies an assertion at a time (epoch milliseconds). Throws an error whose code is `invalid_token` when it is not
 * valid; any other error means that it could not be decided, for example because the keys cannot be fetched.
 */
export type AssertionVerifier = (assertion: string, nowMs: number) => AssertionClaims | Promise<AssertionClaims>

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
  interface FastifyContextConfig {
    /** The operation of the backend that the route is; a route without one only refuses. */
    operation?: OperationName
  }
}

/** Adds the check of caller and permission to every request, unknown paths included. */
export function identifyCallers(app: FastifyInstance, verify: AssertionVerifier, now: () => number): void {
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    const claims = await verified(readAssertion(request), verify, now())
    request.caller = callerOf(claims)
    adoptRequestId(request)
    const { operation } = request.routeOptions.config
    if (operation !== undefined) checkPermission(request.caller, operation)
  })
}

/** The caller of a request that passed identifyCallers. */
export function requireCaller(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('the request was not identified')
  return request.caller
}

function readAssertion(request: FastifyRequest): string {
  const { rawHeaders } = request.raw
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  )
  // Node keeps the first of several: a proxy that let two through may have meant the other one.
  if (values.length !== 1) throw unauthenticated()
  const [, assertion] = /^Bearer ([\w.~+/-]+=*)$/i.exec(values[0] ?? '') ?? []
  if (assertion === undefined) throw unauthenticated()
  return assertion
}

async function verified(assertion: string, verify: AssertionVerifier, nowMs: number): Promise<AssertionClaims> {
  try {
    return await verify(assertion, nowMs)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'invalid_token') throw unauthenticated(cause)
    throw new ApiError(503, 'IdentityUnavailable', 'The caller cannot be verified now.', {
      headers: { 'retry-after': '1' },
      cause,
    })
  }
}

function callerOf(claims: AssertionClaims): Caller {
  return {
    tenantId: claims.tid,
    kind: claims.idtyp,
    userId: claims.idtyp === 'user' ? claims.sub : null,
    permissions: new Set(claims.scope.split(' ').filter((id) => id !== '')),
  }
}

/** The gate names the request; only a verified gate is believed, so that nobody else can put ids into the log. */
function adoptRequestId(request: FastifyRequest): void {
  const given = request.headers['request-id']
  if (typeof given !== 'string' || !isGuid(given)) return
  setRequestContext(request.raw, { ...requestContext(request), requestId: given })
}

function checkPermission(caller: Caller, name: OperationName): void {
  const enough: readonly string[] = operations[name][caller.kind]
  if (enough.some((id) => caller.permissions.has(id))) return
  const message = `This operation needs the permission ${enough[0] ?? ''}.`
  throw new ApiError(403, 'InsufficientPermission', message, {
    details: enough.map((id) => ({ code: 'Permission', message: id })),
  })
}

function unauthenticated(cause?: unknown): ApiError {
  return new ApiError(401, 'InvalidAssertion', 'This service is reached through the gateway.', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    cause,
  })
}

// The transport within this process: the same routes, called in the name of somebody who is signed in at the portal, or of
// the caller of an operation that is made of several. So neither can do anything that the API does not, and every rule
// holds for all. The server behind it listens nowhere.

import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LocalPrincipal, SessionPrincipal, TokenPrincipal } from '../../access/principal.js'
import { ApiError, type ApiErrorDetail } from '../../http/answers/api-error.js'

/** In whose name, and which request of theirs led to it, for the ledger. */
export interface InTheNameOf {
  userId: string
  tenantId: string
  /** Their session, and when and how they signed in; see SessionPrincipal. */
  session: SessionPrincipal['session']
  authTime: number
  acr: string
  requestId: string
  address: string
}

/** Who calls, as their transport found them out. */
export interface BehindCall {
  presented: TokenPrincipal | Omit<SessionPrincipal, 'resource' | 'permissions'> | LocalPrincipal
  requestId: string
  /** Empty: nobody has one there. */
  address: string
}

export interface InProcessCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /api/v2, with its query: `/applications/{id}`. */
  path: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

export interface InProcessAnswer {
  /** Undefined for an empty one. */
  answer: unknown
  /** Its entity tag, where it has one. */
  tag: string | undefined
}

export interface InProcessTransport {
  /** For ManagementDependencies. */
  principalOf: (request: FastifyRequest) => BehindCall['presented'] | undefined
  requestOrigin: (request: FastifyRequest) => { requestId: string; address: string }
  /** Asks `app`, which has the routes with this transport. Throws ApiError for whatever is refused. */
  call: (app: FastifyInstance, who: InTheNameOf, call: InProcessCall) => Promise<InProcessAnswer>
  /** As `call`, for a caller that came by any transport. */
  callAs: (app: FastifyInstance, who: BehindCall, call: InProcessCall) => Promise<InProcessAnswer>
}

/** Nobody can send it from outside, since nothing listens; it only says which of the calls under way a request is. */
const header = 'portcullis-call'

/** A transport with no calls under way. */
export function createInProcessTransport(): InProcessTransport {
  const calls = new Map<string, BehindCall>()
  const find = (request: FastifyRequest) => calls.get(String(request.headers[header]))
  const callAs: InProcessTransport['callAs'] = async (app, who, { method, path, body, headers }) => {
    const id = randomUUID()
    calls.set(id, who)
    try {
      const response = await app.inject({
        method,
        url: `/api/v2${path}`,
        headers: { ...headers, [header]: id, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
      const { etag } = response.headers
      return { answer: read(response), tag: typeof etag === 'string' ? etag : undefined }
    } finally {
      calls.delete(id)
    }
  }
  return {
    principalOf: (request) => find(request)?.presented,
    requestOrigin(request) {
      const who = find(request)
      if (who === undefined) throw new Error('a call came from nobody')
      return who
    },
    callAs,
    call(app, { requestId, address, ...who }, call) {
      const presented = { kind: 'session', ...who } as const
      return callAs(app, { presented, requestId, address }, call)
    },
  }
}

function read(response: { statusCode: number; body: string; headers: Record<string, unknown> }): unknown {
  const { statusCode, body } = response
  const answer = body === '' ? undefined : (JSON.parse(body) as unknown)
  if (statusCode < 400) return answer
  const { error } = (answer ?? {}) as { error?: { code: string; message: string; target?: string } }
  if (error === undefined) throw new ApiError(statusCode, 'Refused', 'The request was refused.')
  const { code, message, target, ...rest } = error
  const { details, innerError: _innerError, ...more } = rest as { details?: ApiErrorDetail[]; innerError?: unknown }
  throw new ApiError(statusCode, code, message, {
    ...(target === undefined ? {} : { target }),
    ...(details === undefined ? {} : { details }),
    more,
  })
}

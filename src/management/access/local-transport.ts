// The local socket is for processes that may open its file. What a proxy passes on comes from somebody else, who may
// not.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'

const ofProxies = /^(via|forwarded|x-forwarded-.*|x-real-ip)$/

/** An onRequest hook. Throws ApiError 403 for a request that says that it was passed on (RFC 9110 §7.6.3, RFC 7239). */
export async function refuseForwarded(request: FastifyRequest): Promise<void> {
  const isProxied = Object.keys(request.headers).some((name) => ofProxies.test(name))
  if (isProxied)
    throw new ApiError(403, 'ForwardedRequest', 'The local socket takes no requests that a proxy passes on.')
}

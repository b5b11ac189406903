// How urgent a request is. Only looked at while requests are refused.

import type { FastifyRequest } from 'fastify'
import type { Priority } from './shedding.js'

/** What the gate takes: whatever nobody has registered. */
const wildcards: ReadonlySet<string> = new Set(['/', '/*'])
const taking = /\/(revoke|revocations|logout|sign-out|sign-out-everywhere|end|delete|remove)$/
const tokens = /\/(token|introspect|userinfo|devicecode|keys|assertionkeys)$|^\/\.well-known\//i

/** By the pattern of its route: what takes something away first, then what people do, then what programs do. */
export function priorityOf({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>): Priority {
  const { url } = routeOptions
  if (url === undefined || wildcards.has(url)) return 'call'
  if (method === 'DELETE' || (method === 'POST' && taking.test(url))) return 'revocation'
  return tokens.test(url) ? 'token' : 'sign-in'
}

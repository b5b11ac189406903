// What an address of the management API is not for: 405 with Allow, for every caller (RFC 9110 §15.5.6).

import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { noteAddress } from '../../http/requests/addresses.js'

const usual = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** The methods of each address of this scope and those below, as they register. Call it before routes are added. */
export function rememberMethods(app: FastifyInstance): ReadonlyMap<string, ReadonlySet<string>> {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ method, url }) => {
    const known = methods.get(url) ?? new Set()
    for (const name of [method].flat()) known.add(name)
    methods.set(url, known)
  })
  return methods
}

/** Answers the others of the usual methods, without asking who calls: it is no secret what there is. */
export function refuseOtherMethods(scope: FastifyInstance, methods: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [url, known] of methods) {
    const allow = [...known].sort().join(', ')
    noteAddress(scope, url, {
      refuses: (method) => !known.has(method) && usual.has(method),
      refuse(_request, reply) {
        neverKept(reply)
        throw new ApiError(405, 'MethodNotAllowed', `This address answers ${allow} only.`, { headers: { allow } })
      },
    })
  }
}

/** Secrets and tokens are among the answers (RFC 6749 §5.1), and nothing here may be kept by anyone in between. */
export function neverKept(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
}

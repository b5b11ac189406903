// What an address of the management API is not for: 405 with Allow, for whoever asks (RFC 9110 §15.5.6).

import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'

const usual = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

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

/** Registers the others of the usual methods. On a scope that asks nobody who they are: it is no secret what there is. */
export function refuseOtherMethods(scope: FastifyInstance, methods: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const [url, known] of [...methods]) {
    const allow = [...known].sort().join(', ')
    const refuse = async () => {
      const message = `This address answers ${allow} only.`
      throw new ApiError(405, 'MethodNotAllowed', message, { headers: { allow } })
    }
    const others = usual.filter((name) => !known.has(name))
    if (others.length > 0) scope.route({ method: others, url, onRequest: refuse, handler: refuse })
  }
}

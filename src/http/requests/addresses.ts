// Which addresses the rooms on a listener have, and what each says to a method that it does not serve: 405 with Allow
// (RFC 9110 §15.5.6). One map that is consulted for every request, so that routers hold nothing but what is served, and
// so that a pattern of one address never takes a request that belongs to a more exact one (`DELETE /keys/rotate`).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Router, { type HTTPVersion, type Instance } from 'find-my-way'
import { type AddressBeginnings, createAddressBeginnings } from './address-beginnings.js'
import { requestContext } from './request-context.js'

/** How paths are told apart, here and by the router of every listener. */
export const exactRouting = { caseSensitive: true, ignoreDuplicateSlashes: false, ignoreTrailingSlash: false }

/** What a room says of one of its addresses. */
export interface RefusedMethods {
  refuses: (method: string) => boolean
  /**
   * Throws the room's own refusal, which the error handler of its scope writes. May set what belongs to every answer.
   */
  refuse: (request: FastifyRequest, reply: FastifyReply) => never
}

interface Address extends RefusedMethods {
  pattern: string
  scope: FastifyInstance
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Undefined on listeners that refuse no methods. */
    servedAddresses?: ServedAddresses
  }
}

interface ServedAddresses {
  router: Instance<HTTPVersion.V1>
  beginnings: AddressBeginnings
}

/**
 * Makes a listener answer for the addresses that its rooms note, in onRequest, after the hooks that are there already
 * and before those of any room. Call it before rooms register.
 */
export function answerOtherMethods(app: FastifyInstance): void {
  const router = Router({ ...exactRouting, maxParamLength: 65_536 })
  app.decorate('servedAddresses', { router, beginnings: createAddressBeginnings() })
  app.addHook('onRequest', (request, reply, done) => {
    const address = refusingAddress(request)
    if (address === undefined) return void done()
    try {
      address.refuse(request, reply)
    } catch (error) {
      writeRefusal(address, { error, request, reply, done })
    }
  })
}

/** Notes an address of `scope`. Throws Error when the listener does not ask, or has this address already. */
export function noteAddress(scope: FastifyInstance, url: string, methods: RefusedMethods): void {
  const { servedAddresses } = scope
  if (servedAddresses === undefined) throw new Error(`nobody answers other methods at ${url}: see answerOtherMethods`)
  const pattern = `${scope.prefix}${url}`
  // The method says nothing here: each pattern is there once.
  servedAddresses.router.on('GET', pattern, () => undefined, { pattern, scope, ...methods } satisfies Address)
  servedAddresses.beginnings.add(pattern)
}

/** The pattern of the address that refuses this request's method; undefined when none does. */
export function refusingPattern(request: FastifyRequest): string | undefined {
  return refusingAddress(request)?.pattern
}

function refusingAddress(request: FastifyRequest): Address | undefined {
  const { target } = requestContext(request)
  if (!target.ok) return undefined
  const { servedAddresses } = request.server
  if (servedAddresses?.beginnings.mayHave(target.path) !== true) return undefined
  const address = servedAddresses.router.find('GET', target.path)?.store as Address | null | undefined
  return address?.refuses(request.method) === true ? address : undefined
}

/** As Fastify would: by the scope's error handler, and what that throws by the one above it. */
function writeRefusal(
  { scope }: Address,
  about: { error: unknown; request: FastifyRequest; reply: FastifyReply; done: (error: Error) => void },
): void {
  const { error, request, reply, done } = about
  try {
    scope.errorHandler(error as Parameters<typeof scope.errorHandler>[0], request, reply)
  } catch (next) {
    done(next as Error)
  }
}

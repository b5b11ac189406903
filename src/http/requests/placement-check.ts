// What a request may be where its route is registered: the gate's routes decide themselves on encoded slashes, hosts
// for routes only and other protocols; everywhere else these are refused, also where a room has the address but not the
// method.

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../answers/api-error.js'
import { isUpgrade } from '../connections/upgrades.js'
import { refusingPattern } from './addresses.js'
import { upgradeRefused } from './admission.js'
import { invalidTarget } from './invalid-target.js'
import type { RequestContext } from './request-context.js'

/** The refusal, or undefined. Throws nothing. */
export function refuseMisplaced(request: FastifyRequest, facts: RequestContext): ApiError | undefined {
  return refuseEncodedSlash(request, facts) ?? refuseOwnPages(request, facts) ?? misplacedUpgrade(request)
}

/** What is registered here reads it as a slash, or as none; only the gate's routes may say which. */
function refuseEncodedSlash(request: FastifyRequest, { target }: RequestContext): ApiError | undefined {
  if (!target.ok || target.encodedSlash === undefined || isLeftToGate(request, 'streams')) return undefined
  return invalidTarget('encoded_separator')
}

/** An origin on which proxied pages run scripts has none of ours beside them. */
function refuseOwnPages(request: FastifyRequest, facts: RequestContext): ApiError | undefined {
  if (facts.entry.apiHost === undefined || isLeftToGate(request, 'streams')) return undefined
  return new ApiError(404, 'NotFound', 'There is nothing here.')
}

/** What is registered here speaks HTTP, unless it says otherwise. */
function misplacedUpgrade(request: FastifyRequest): ApiError | undefined {
  if (!isUpgrade(request.raw) || isLeftToGate(request, 'upgrades')) return undefined
  return upgradeRefused()
}

/** Whether the gate's wildcard took it, and no room has this address. */
function isLeftToGate(request: FastifyRequest, what: 'streams' | 'upgrades'): boolean {
  return request.routeOptions.config[what] === true && refusingPattern(request) === undefined
}

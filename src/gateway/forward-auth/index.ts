// Forward-auth: decisions for proxies that stand in front of services themselves, on a listener of its own. The proxy
// says which request it has; it hears whether that may go on, and with which identity. The decision is the gate's own,
// with all that belongs to it: limits are charged, use is counted, refusals are noted. The service is never dialled
// from here, and bodies are none of it: their limits are the proxy's. Register it on a server with the listener
// `proxies`.

import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { ForwardAuthSettings } from '../../config/settings/forward-auth-settings.js'
import type { Settings } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import { toApiError } from '../../http/answers/error-responses.js'
import { refuseAdmission } from '../../http/requests/admission.js'
import { requestContext, setRequestContext } from '../../http/requests/request-context.js'
import type { AddressGuardOptions } from '../../limits/address-guard.js'
import type { Keyring } from '../../tokens/keys/keys.js'
import type { PresentedHead, Verdict } from '../admit.js'
import { createDecision, type Decide, type DecisionDeps } from '../decision.js'
import { addressRefusal, type Refusal, refusal } from '../errors.js'
import { type Assertions, createAssertions } from '../forward/assertions.js'
import { identityFields } from '../forward/headers/identity-fields.js'
import { type Allowed, answerAllowed, answerRefusal } from './answers.js'
import { describedTarget, hostPrefixes, readDescription } from './description.js'
import { type Dialect, dialects } from './dialects.js'
import { refuseOtherPeers } from './peers.js'

export interface ForwardAuthDeps extends Omit<DecisionDeps, 'baseUrl' | 'log'> {
  server: Pick<Settings['server'], 'baseUrl' | 'urlBytes' | 'headerBytes' | 'headerCount'>
  forwardAuth: Pick<ForwardAuthSettings, 'hosts' | 'proxies'>
  guardAddresses: (scope: FastifyInstance, refuse: AddressGuardOptions['refuse']) => Promise<void>
  keyring: Keyring
  /** Epoch milliseconds. */
  now: () => number
}

/** The plugin: one path for each way to ask. */
export function forwardAuthRoutes(deps: ForwardAuthDeps): FastifyPluginAsync {
  return async (app) => {
    const { baseUrl } = deps.server
    refuseOtherPeers(app.server, deps.forwardAuth.proxies)
    const decide = createDecision({
      authenticator: deps.authenticator,
      externalTokens: deps.externalTokens,
      view: deps.view,
      directory: deps.directory,
      consentsOf: deps.consentsOf,
      limiter: deps.limiter,
      metrics: deps.metrics,
      usage: deps.usage,
      noteRefusal: deps.noteRefusal,
      routes: deps.routes,
      baseUrl,
      log: app.log,
    })
    const assertions = createAssertions({ keyring: deps.keyring, issuer: baseUrl, now: deps.now })
    for (const dialect of dialects) {
      await app.register(async (scope) => {
        scope.setErrorHandler((error, request, reply) => {
          answerRefusal(request, reply, refusalOf(toApiError(error), request), dialect)
          return reply
        })
        addDescription(scope, dialect, deps)
        await deps.guardAddresses(scope, addressRefusal)
        addDecision(scope, dialect, { decide, assertions })
        const path = dialect.source === 'itself' ? `${dialect.path}/*` : dialect.path
        scope.all(path, () => Promise.reject(new Error('a request was not decided')))
      })
    }
  }
}

/** From here on the request's facts are those of the one in question. */
function addDescription(scope: FastifyInstance, dialect: Dialect, { server, forwardAuth }: ForwardAuthDeps): void {
  const prefixOf = hostPrefixes(server.baseUrl, forwardAuth.hosts)
  const rules = { listener: 'public', isKnownHost: (host: string) => prefixOf(host) !== undefined, ...server } as const
  scope.addHook('onRequest', (request, _reply, done) => {
    const asking = requestContext(request)
    asking.entry.source = 'gate'
    const { method, target, host } = readDescription(request, dialect)
    const facts = {
      ...asking,
      describedMethod: method,
      target: describedTarget(target, { prefix: prefixOf(host) ?? '', urlBytes: server.urlBytes }),
    }
    setRequestContext(request.raw, facts)
    // Sizes were those of the request that asks, and are looked at.
    const head = { method, headers: { host }, rawHeaders: ['host', host], httpVersionMajor: 1, httpVersionMinor: 1 }
    done(refuseAdmission(head, facts, rules))
  })
}

/** In preParsing, as in the gate: no byte of a body is read. */
function addDecision(
  scope: FastifyInstance,
  dialect: Dialect,
  { decide, assertions }: { decide: Decide; assertions: Assertions },
): void {
  scope.addHook('preParsing', (request, reply) => {
    const refuse = (refused: Refusal) => answerRefusal(request, reply, refused, dialect)
    const head = headOf(request)
    decide(head, requestContext(request), (verdict) => {
      conclude(head, verdict, assertions).then(
        (outcome) => (outcome.kind === 'allowed' ? answerAllowed(request, reply, outcome) : refuse(outcome)),
        (error: unknown) => {
          request.server.log.error({ requestId: requestContext(request).requestId, err: error }, 'no identity')
          refuse(refusal('internal', error))
        },
      )
    })
  })
}

/** The caller's own fields, without those that frame a body which is not here. */
function headOf(request: FastifyRequest): PresentedHead {
  const { 'content-length': _length, 'transfer-encoding': _coding, ...headers } = request.raw.headers
  const { rawHeaders, socket } = request.raw
  return { method: requestContext(request).describedMethod, headers, rawHeaders, socket }
}

async function conclude(
  { headers }: PresentedHead,
  verdict: Verdict,
  assertions: Assertions,
): Promise<Allowed | Refusal> {
  if (verdict.kind === 'refused') return verdict
  if (verdict.kind === 'options') {
    // The gate answers it without asking the service; a proxy that gets 2xx here would pass it on.
    const error = new ApiError(405, 'MethodNotAllowed', 'OPTIONS is not passed on.', {
      headers: { allow: verdict.allow },
    })
    return { kind: 'refused', reason: 'method_not_allowed', error }
  }
  const { plan, principal, permissions, limitFields } = verdict
  // Which tool is called stands in the body, and whose a session is in what the gate makes of its id.
  if (plan.route.mcp !== undefined) return refusal('mcp_message_unseen')
  // Proxies keep Upgrade to themselves; this field is in each handshake, and crosses.
  if (headers['sec-websocket-key'] !== undefined && !plan.route.stream) return refusal('upgrade_refused')
  if (principal === undefined || plan.identity === 'none') {
    return { kind: 'allowed', authorization: '', identity: [], limitFields }
  }
  const { assertionSlot: slot, exchangeable } = plan
  const about = { principal, audience: plan.upstream.name, permissions, slot, exchangeable }
  const authorization = await assertions.authorization(about)
  if (plan.identity === 'jwt') return { kind: 'allowed', authorization, identity: [], limitFields }
  const identity = identityFields(principal, permissions, authorization)
  return { kind: 'allowed', authorization: '', identity, limitFields }
}

function refusalOf(error: ApiError, request: FastifyRequest): Refusal {
  const facts = requestContext(request)
  if (error.status >= 500) request.server.log.error({ requestId: facts.requestId, err: error }, error.code)
  const reason = facts.entry.reason ?? error.code.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase()
  return { kind: 'refused', reason, error }
}

// The gate: every path that no other room has registered. It owns the route table and the way to the services behind
// it; it refuses what is not listed, decides on what is (admit.ts), and forwards what may pass (forward/). It does not
// know what the services are, how tokens are made, or how limits count. Register it last, in a scope of its own, with
// the address guard already on that scope.

import type { IncomingMessage } from 'node:http'
import httpProxy from '@fastify/http-proxy'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticator } from '../access/authenticate.js'
import type { ExternalTokens } from '../access/external-tokens.js'
import type { MissingPermissionDependencies } from '../access/missing-permission.js'
import type { Usage } from '../access/usage.js'
import type { CallApprovals } from '../approvals/call-approvals.js'
import type { Settings } from '../config/settings/settings.js'
import { hasUnreadBody } from '../http/answers/answer-raw.js'
import type { BodyBudget } from '../http/requests/body-budget.js'
import { type RequestContext, requestContext } from '../http/requests/request-context.js'
import type { DecisionNotes } from '../ledger/decisions.js'
import type { Limiter } from '../limits/limiter.js'
import type { Metrics } from '../observability/metrics.js'
import type { RevocationView } from '../revocation/view.js'
import type { Keyring } from '../tokens/keys/keys.js'
import type { ToolPins } from '../tool-definitions/tool-definitions.js'
import type { Passage, Verdict } from './admit.js'
import { describedInTime } from './caller.js'
import { createDecision, type Decide, decisionCounts } from './decision.js'
import { writeRefusal } from './errors.js'
import { createAssertions } from './forward/assertions.js'
import { createForward } from './forward/forward.js'
import { createOpenStreams } from './forward/open-streams.js'
import type { Gate } from './gate.js'
import type { ToolRuleDeps } from './mcp/demands/tenant-rules.js'
import { createSessionSeal } from './mcp/session-seal.js'
import { createMcpWatch } from './mcp/watch.js'
import { createRefusalNotes } from './refusal-notes.js'

export interface GatewayDeps extends Omit<MissingPermissionDependencies, 'baseUrl'> {
  directory: MissingPermissionDependencies['directory'] & ToolRuleDeps
  settings: Pick<Settings, 'catalogue' | 'routes' | 'upstreams'> & {
    server: Pick<Settings['server'], 'baseUrl' | 'bodyIdleMs' | 'perCaller'>
    tokens: Pick<Settings['tokens'], 'leewaySeconds'>
  }
  authenticator: Authenticator
  view: Pick<RevocationView, 'isStale' | 'refusal' | 'seq'>
  limiter: Limiter
  keyring: Keyring
  metrics: Metrics
  usage: Pick<Usage, 'allowed' | 'refused'>
  /** For the owners of applications. */
  decisions: DecisionNotes
  /** For routes that take tokens of issuers outside. */
  externalTokens?: ExternalTokens
  gate: Gate
  /** Of single calls of tools of MCP servers. */
  approvals: CallApprovals
  /** What ids of sessions with MCP servers are sealed with, the newest first. */
  sessionKeys: readonly Uint8Array[]
  /** Which definitions of tools were approved. */
  toolPins: ToolPins
  /** How long an open stream may go on that a reload has taken away. */
  reloadGraceMs?: number | undefined
  /** For request bodies that are read whole. */
  bodies: BodyBudget
  /** What a browser gets where there is nothing; undefined for a request that gets the error body. */
  nothingHere?: NothingHere | undefined
  /** How many instances there are; absent: this one. */
  instances?: () => number
  /** Epoch milliseconds. */
  now: () => number
}

type NothingHere = (
  request: IncomingMessage,
  facts: RequestContext,
) => { status: number; headers: Readonly<Record<string, string>>; body: string } | undefined

const passageOf = Symbol('portcullis.passage')
type RawWithPassage = FastifyRequest['raw'] & { [passageOf]?: Passage }

/**
 * Of a failed connection; a name with several addresses fails with several errors, and a message of its own that is
 * empty.
 */
function causeOf(error: Error & { code?: string }): string {
  return error.message === '' ? (error.code ?? error.name) : error.message
}

/**
 * The plugin. It may be registered on several applications of one listener: they share one gate, whose connections are
 * closed with the first.
 */
export function gatewayRoutes(deps: GatewayDeps): FastifyPluginAsync {
  let opened: ReturnType<typeof openGate> | undefined
  return async (scope) => {
    opened ??= openGate(scope, deps)
    const { decide, forward } = opened
    addDecision(scope, decide, deps.nothingHere)
    await addProxy(scope, (request, reply) => {
      const passage = (request.raw as RawWithPassage)[passageOf]
      if (passage === undefined) throw new Error('a request reached the forwarder without a decision')
      reply.hijack()
      forward({
        request: request.raw,
        response: reply.raw,
        facts: requestContext(request),
        passage,
        hold: undefined,
        place: undefined,
        tally: undefined,
        rewrite: undefined,
        answerBytes: 0,
        planTally: undefined,
      })
    })
  }
}

/** What decides and what forwards. It ends with `scope`. */
function openGate(scope: FastifyInstance, deps: GatewayDeps) {
  const { settings, metrics, view, keyring, now } = deps
  const { baseUrl, bodyIdleMs, perCaller } = settings.server
  const { routes } = deps.gate
  const { leewaySeconds } = settings.tokens
  const { externalTokens } = deps
  const streams = createOpenStreams({
    view,
    keyring,
    externalTokens,
    leewaySeconds,
    now,
    routes,
    reloadGraceMs: deps.reloadGraceMs,
    gauge: metrics.openStreams,
    onTick: () => showLoad(deps),
  })
  const assertions = createAssertions({ keyring, issuer: baseUrl, now })
  const onFailure = (error: Error, upstream: string, requestId: string) =>
    scope.log.warn({ requestId, upstream, cause: causeOf(error) }, 'upstream failed')
  const noteRefusal = createRefusalNotes(deps.decisions)
  const forward = createForward({
    baseUrl,
    assertions,
    streams,
    bodies: deps.bodies,
    perCaller,
    mcp: {
      limiter: deps.limiter,
      usage: deps.usage,
      sessions: createSessionSeal(deps.sessionKeys),
      pins: deps.toolPins,
      approvals: deps.approvals,
      counts: decisionCounts(metrics),
      toolRules: deps.directory,
      watch: createMcpWatch({ metrics, log: scope.log }),
      describe: (principal, missing) =>
        describedInTime({ directory: deps.directory, consentsOf: deps.consentsOf, baseUrl }, principal, missing),
    },
    instances: deps.instances ?? (() => 1),
    bodyIdleMs,
    onFailure,
    noteRefusal,
  })
  // Before the server waits for its connections: Node counts these among them, and ends none of them.
  scope.addHook('preClose', async () => streams.leave())
  scope.addHook('onClose', async () => {
    streams.stop()
    await deps.gate.close()
  })
  const decide = createDecision({
    authenticator: deps.authenticator,
    externalTokens,
    view,
    directory: deps.directory,
    consentsOf: deps.consentsOf,
    limiter: deps.limiter,
    metrics,
    usage: deps.usage,
    noteRefusal,
    routes,
    baseUrl,
    log: scope.log,
  })
  return { decide, forward }
}

function showLoad({ gate, metrics, bodies }: GatewayDeps): void {
  metrics.heldBodyBytes.set(bodies.held)
  for (const [upstream, { requests, openStreams, serverStreams }] of gate.upstreams()) {
    metrics.upstreamInFlight.set({ upstream, state: 'running' }, requests.running)
    metrics.upstreamInFlight.set({ upstream, state: 'waiting' }, requests.waiting)
    metrics.upstreamInFlight.set({ upstream, state: 'stream' }, openStreams())
    for (const [route, { underWay }] of serverStreams) {
      if (!metrics.named.isGone(['route'], [route])) metrics.mcpStreams.set({ route }, underWay)
    }
  }
}

/** In preParsing, because that is after every guard on the scope and before a byte of the body is read. */
function addDecision(scope: FastifyInstance, decide: Decide, nothingHere: NothingHere | undefined): void {
  scope.addHook('preParsing', (request, reply, _payload, done) => {
    const facts = requestContext(request)
    facts.entry.source = 'gate'
    decide(request.raw, facts, (verdict) => {
      if (verdict.kind !== 'passed') return answer(verdict, { request, reply, facts, nothingHere })
      ;(request.raw as RawWithPassage)[passageOf] = verdict
      done()
    })
  })
}

interface Answering {
  request: FastifyRequest
  reply: FastifyReply
  facts: RequestContext
  nothingHere: NothingHere | undefined
}

function answer(verdict: Exclude<Verdict, Passage>, { request, reply, facts, nothingHere }: Answering): void {
  if (verdict.kind === 'options') {
    if (hasUnreadBody(request.raw)) reply.header('connection', 'close')
    reply.code(204).header('allow', verdict.allow)
    for (let i = 0; i < verdict.fields.length; i += 2) reply.header(verdict.fields[i] ?? '', verdict.fields[i + 1])
    reply.send()
    return
  }
  reply.hijack()
  // By what the caller hears and not by the reason: what is hidden from them reads as what there is not.
  const page = verdict.error.code === 'NotFound' ? nothingHere?.(request.raw, facts) : undefined
  writeRefusal(request.raw, reply.raw, facts, verdict, page)
}

/** The package carries the routes; its forwarding, rewriting and WebSocket paths are never reached (decision 0025). */
async function addProxy(
  scope: FastifyInstance,
  handler: (request: FastifyRequest, reply: FastifyReply) => void,
): Promise<void> {
  // Without this, text/plain would be read whole before it is forwarded.
  scope.removeAllContentTypeParsers()
  await scope.register(httpProxy, {
    upstream: 'http://gate.invalid',
    websocket: false,
    httpMethods: [...scope.supportedMethods],
    config: { streams: true, upgrades: true },
    // The target was canonicalised already, and the forwarder does not ask the package where to go. The package would
    // work that out all the same before it calls its handler, with three URL objects; so the forwarder hijacks the
    // reply one step earlier, and stands in the handler to keep the package's own forwarding out of reach.
    preRewrite: () => '/',
    preHandler: handler,
    handler,
  })
}

// Answers that are still being sent. A token that ends or is revoked, or whose key was removed, takes its open streams
// with it: what was allowed when the stream began is checked again, once a tick, for as long as it lasts (contract §5).
// So does a view that is stale for more than a moment: nobody could say then whether the token still lives. And so does
// a reload that takes away what let it through (after-reload.ts), after a while in which ordinary answers may end by
// themselves.

import type { ExternalTokens } from '../../access/external-tokens.js'
import type { TokenPrincipal } from '../../access/principal.js'
import { revocableToken } from '../../access/token-principal.js'
import type { RevocationView } from '../../revocation/view.js'
import type { Keyring } from '../../tokens/keys/keys.js'
import type { RouteSnapshot } from '../routes/snapshot.js'
import { endedByReload, type OpenCall } from './reload-check.js'

export interface OpenStream {
  /** Undefined on public routes. */
  principal: TokenPrincipal | undefined
  kind: 'response' | 'websocket'
  /** By performance.now(). */
  readonly since?: number
  /** What its route says of a stale view. */
  onStale: 'refuse' | 'pass'
  /** Absent: no reload ends it. */
  call?: OpenCall
  /** Called at each tick, with performance.now(). */
  tick?(now: number): void
  /** Where the register keeps it: the register's own. */
  place: number
  /** Ends it at both sides; never a clean end. */
  cut(reason: string): void
  /** Asks both sides to end it, where there are words for that; the server is about to close. */
  leave(): void
}

export interface OpenStreams {
  add(stream: OpenStream): void
  remove(stream: OpenStream): void
  /** Asks again for all of them; called by the clock, and by tests. */
  sweep(): void
  /** Asks all of them to end. */
  leave(): void
  stop(): void
}

export interface OpenStreamsOptions {
  view: Pick<RevocationView, 'refusal' | 'isStale' | 'seq'>
  keyring: Pick<Keyring, 'verificationKey'>
  /** Of tokens of issuers outside; without it their keys are not fetched. */
  externalTokens?: Pick<ExternalTokens, 'isKeyGone'> | undefined
  leewaySeconds: number
  now: () => number
  gauge: { set(labels: { kind: OpenStream['kind'] }, value: number): void }
  /** The rules of the moment; without them no reload ends anything. */
  routes?: () => RouteSnapshot
  reloadGraceMs?: number | undefined
  /** Hears of each tick. */
  onTick?: () => void
  everyMs?: number
}

/**
 * A view that is stale for fewer ticks in a row costs no stream: a process that was paused is behind until its next
 * look.
 */
const patientTicks = 4

/** A call that is answered sooner may finish; together with a tick this stays below the second that revocation has. */
const callMs = 300

/** How long what a reload has taken away may go on: an ordinary answer may end meanwhile. */
const graceMs = 10_000

/**
 * A change of the view is looked at sooner: what it revokes has a second, and the end of many streams takes a part of
 * it.
 */
const looksPerTick = 5

/** Builds the register. The tick bounds how long a stream goes on whose token ends by the clock: half a second. */
export function createOpenStreams(options: OpenStreamsOptions): OpenStreams {
  const { view } = options
  // No Set: one that is added to and taken from on every request leaves a chain of outgrown tables behind, each
  // pointing to the next. As soon as one of them has grown old, the collector keeps all that follow, with every request
  // that was in them.
  const open: OpenStream[] = []
  const remove = (stream: OpenStream) => {
    if (open[stream.place] !== stream) return
    const last = open.pop() as OpenStream
    if (last === stream) return
    open[stream.place] = last
    last.place = stream.place
  }
  const followReload = createReloadFollower(open, options)
  let staleTicks = 0
  let lastSeq = view.seq
  const askAgain = () => {
    const nowMs = options.now()
    const before = performance.now() - callMs
    lastSeq = view.seq
    // From the end, because what is cut leaves its place to the last one.
    for (let i = open.length - 1; i >= 0; i -= 1) {
      const stream = open[i]
      const principal = stream?.principal
      if (stream === undefined || principal === undefined || (stream.since ?? 0) > before) continue
      if (nowMs >= (principal.expiresAt + options.leewaySeconds) * 1000) stream.cut('token_expired')
      else if (view.refusal(revocableToken(principal), nowMs) !== undefined) stream.cut('token_revoked')
      else if (isKeyGone(options, principal)) stream.cut('key_removed')
      else if (staleTicks >= patientTicks && stream.onStale === 'refuse') stream.cut('view_stale')
    }
  }
  const sweep = () => {
    const webSockets = open.reduce((count, { kind }) => (kind === 'websocket' ? count + 1 : count), 0)
    options.gauge.set({ kind: 'websocket' }, webSockets)
    options.gauge.set({ kind: 'response' }, open.length - webSockets)
    staleTicks = view.isStale() ? staleTicks + 1 : 0
    askAgain()
    const now = performance.now()
    followReload(now)
    for (let i = open.length - 1; i >= 0; i -= 1) open[i]?.tick?.(now)
    options.onTick?.()
  }
  let looks = 0
  const look = () => {
    looks = (looks + 1) % looksPerTick
    if (looks === 0) sweep()
    else if (view.seq !== lastSeq) askAgain()
  }
  const timer = setInterval(look, (options.everyMs ?? 500) / looksPerTick).unref()
  return {
    add(stream) {
      stream.place = open.length
      open.push(stream)
    },
    remove,
    sweep,
    leave() {
      for (const stream of [...open]) stream.leave()
    },
    stop: () => clearInterval(timer),
  }
}

/** Called at each tick; costs a comparison until the first reload. */
function createReloadFollower(open: readonly OpenStream[], options: OpenStreamsOptions): (now: number) => void {
  const { routes, reloadGraceMs = graceMs } = options
  let known = routes?.()
  let changedAt: number | undefined
  return (now) => {
    const current = routes?.()
    if (current !== known) {
      known = current
      changedAt = now
    }
    if (current === undefined || changedAt === undefined || now - changedAt < reloadGraceMs) return
    for (let i = open.length - 1; i >= 0; i -= 1) {
      const stream = open[i]
      if (stream?.call === undefined || stream.call.confirmedBy === current) continue
      // A client that still waits for an answer gets one, or a time-out.
      if (stream.call.facts.entry.headAt === undefined && !stream.call.plan.route.stream) continue
      const reason = endedByReload(stream.call, stream.principal, current)
      if (reason === undefined) stream.call.confirmedBy = current
      else stream.cut(reason)
    }
  }
}

function isKeyGone({ keyring, externalTokens }: OpenStreamsOptions, principal: TokenPrincipal): boolean {
  if (principal.issuer !== undefined) return externalTokens?.isKeyGone(principal) === true
  return keyring.verificationKey('token', principal.keyId) === undefined
}

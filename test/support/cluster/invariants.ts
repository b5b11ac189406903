// The invariants I1 to I8 that hold in every fault run, judged from what was written down: the clients' exchanges
// joined with the hits of the service behind the gate, the acknowledged writes looked up again, and what the processes
// use.

import type { Hit } from '../upstreams/recording-upstream.js'
import { type Exchange, mustRefuse, promiseMs, wrongAnswer } from './token-ledger.js'

/** When requests may fail, and how. */
export interface Allowance {
  fromMs: number
  /** Absent: until the end. */
  toMs?: number
  /** 0 is a connection that broke. */
  statuses: readonly number[]
  /** Absent: everywhere. */
  via?: string
  /** At most so many; absent: any number. */
  most?: number
  /** Only answers that say this; absent: any. */
  saying?: string
}

/** A write that was answered with success, and how to see that it is there exactly once. */
export interface AcknowledgedWrite {
  what: string
  /** How often it is there. */
  count: () => Promise<number>
}

/** What may be spent once, such as a code, and what each success gave: the same thing again is a repeated answer. */
export interface Spend {
  what: string
  gave: readonly string[]
}

export interface Usage {
  rssMb: number
  descriptors: number
}

export interface Evidence {
  exchanges: readonly Exchange[]
  /** Sent while something was waited for: their hits are judged, and their answers are not. */
  waits: readonly Exchange[]
  hits: readonly Hit[]
  allowances: readonly Allowance[]
  writes: readonly AcknowledgedWrite[]
  /** Codes and refresh tokens that were sent more than once. */
  spends: readonly Spend[]
  /** The lines in the ledger of what was acknowledged. */
  audits: readonly AcknowledgedWrite[]
  /** Of each instance that was not restarted, before and after. */
  usage: readonly { name: string; before: Usage; after: Usage }[]
  /** Where more than the usual second is allowed until a revocation is heard of, by the exchange's `via`. */
  bounds: ReadonlyMap<string, number>
  /** For so long nothing ran at all; every bound is so much later. */
  stalledMs?: number
  /** Instances that ended though nobody ended them. */
  lost: readonly string[]
}

export interface Judgement {
  invariant: 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8'
  /** Empty: it holds. */
  violations: readonly string[]
}

/** A heap that once was larger keeps some of it; connections that are kept for the next request are no leak. */
const mostGrowth = { factor: 1.1, rssMb: 64, descriptors: 40 }

/** A call that takes no longer is answered though its token has ended (callMs of gateway/forward/open-streams.ts). */
const ordinaryCallMs = 300
const cutConnection = /socket hang up|ECONNRESET|aborted/

/** Every invariant with what violates it; I3 and I8 only where something was spent or had to be written down. */
export async function judge(evidence: Evidence): Promise<Judgement[]> {
  return [
    { invariant: 'I1', violations: hitsThatMustNotBe(evidence) },
    { invariant: 'I2', violations: await lostWrites(evidence.writes) },
    ...(evidence.spends.length === 0 ? [] : [{ invariant: 'I3' as const, violations: spentTwice(evidence.spends) }]),
    { invariant: 'I4', violations: [...answersThatMustNotBe(evidence), ...failuresOutOfBounds(evidence)] },
    { invariant: 'I5', violations: mixedUp(evidence.exchanges) },
    { invariant: 'I6', violations: grown(evidence.usage) },
    { invariant: 'I7', violations: evidence.lost.map((name) => `instance ${name} ended by itself`) },
    ...(evidence.audits.length === 0
      ? []
      : [{ invariant: 'I8' as const, violations: await lostWrites(evidence.audits) }]),
  ]
}

function spentTwice(spends: readonly Spend[]): string[] {
  return spends.flatMap(({ what, gave }) => {
    const different = new Set(gave).size
    return different > 1 ? [`${what} was spent ${different} times`] : []
  })
}

function boundOf({ bounds, stalledMs = 0 }: Evidence, via: string): number {
  return (bounds.get(via) ?? promiseMs) + stalledMs
}

function hitsThatMustNotBe(evidence: Evidence): string[] {
  const { exchanges, waits, hits } = evidence
  const sent = new Map([...exchanges, ...waits].map((exchange) => [exchange.nonce, exchange]))
  return hits.flatMap((hit) => {
    const exchange = sent.get(hit.nonce)
    if (exchange === undefined) return [`a request of nobody reached the service: ${hit.method} ${hit.path}`]
    const { token, sentMs, via } = exchange
    if (mustRefuse(token, sentMs, boundOf(evidence, via)))
      return [`a request with a token that is ${token.never ?? 'revoked'} reached the service`]
    const own = hit.applicationId === token.applicationId && hit.tenantId === token.tenantId
    return own ? [] : ['the service got another caller than the one whose token was sent']
  })
}

async function lostWrites(writes: readonly AcknowledgedWrite[]): Promise<string[]> {
  const found: string[] = []
  for (const { what, count } of writes) {
    const times = await count()
    if (times !== 1) found.push(`${what}: acknowledged once, there ${times} times`)
  }
  return found
}

function answersThatMustNotBe(evidence: Evidence): string[] {
  return evidence.exchanges.flatMap((exchange) => {
    const wrong = wrongAnswer(exchange, boundOf(evidence, exchange.via))
    if (wrong === undefined || isAllowed(exchange, evidence.allowances)) return []
    return [`${exchange.via}: ${wrong}`]
  })
}

/** What broke or answered 5xx: only while that is allowed, only so often, and only in the promised form. */
function failuresOutOfBounds(evidence: Evidence): string[] {
  const { exchanges, allowances } = evidence
  const failed = exchanges.filter((one) => (one.status === 0 && !isCut(one, evidence)) || one.status >= 500)
  const outside = failed
    .filter((exchange) => !isAllowed(exchange, allowances))
    .map(
      ({ via, status, fault, said }) =>
        `${via}: ${status === 0 ? 'the connection broke' : status} (${fault ?? `in form: ${said}`})`,
    )
  const misshapen = failed
    .filter((exchange) => exchange.status >= 500 && exchange.fault !== undefined)
    .map(({ via, fault }) => `${via}: ${fault}`)
  const tooMany = allowances.flatMap((allowance) => {
    const count = failed.filter((exchange) => isAllowed(exchange, [allowance])).length
    return count > (allowance.most ?? Number.POSITIVE_INFINITY)
      ? [`${count} failed, at most ${allowance.most} may`]
      : []
  })
  return [...outside, ...misshapen, ...tooMany]
}

/** An open call ends with its token, once it has taken as long as an ordinary one may (contract §5). */
function isCut({ token, sentMs, endedMs, via, fault = '' }: Exchange, evidence: Evidence): boolean {
  const { revokingMs, revokedMs = Number.POSITIVE_INFINITY } = token
  if (revokingMs === undefined || !cutConnection.test(fault)) return false
  const heardMs = revokedMs + boundOf(evidence, via)
  const isOpenThen = endedMs >= revokingMs && sentMs <= heardMs
  // Cut as soon as the instance has heard of it: what hung for longer, hung.
  const isSoon = endedMs <= Math.max(heardMs, sentMs + ordinaryCallMs) + promiseMs
  return isOpenThen && endedMs - sentMs >= ordinaryCallMs && isSoon
}

/** A request may fail when it was open at a moment at which that is allowed. */
function isAllowed({ sentMs, endedMs, status, via, said }: Exchange, allowances: readonly Allowance[]): boolean {
  return allowances.some(
    (one) =>
      one.statuses.includes(status) &&
      (one.via === undefined || one.via === via) &&
      (one.saying === undefined || said?.includes(one.saying) === true) &&
      endedMs >= one.fromMs &&
      sentMs <= (one.toMs ?? Number.POSITIVE_INFINITY),
  )
}

function mixedUp(exchanges: readonly Exchange[]): string[] {
  return exchanges
    .filter(({ status, fault }) => status > 0 && status < 300 && fault !== undefined)
    .map(({ fault }) => `${fault}`)
}

function grown(usage: Evidence['usage']): string[] {
  return usage.flatMap(({ name, before, after }) => {
    const found: string[] = []
    const most = Math.max(before.rssMb * mostGrowth.factor, before.rssMb + mostGrowth.rssMb)
    if (after.rssMb > most) found.push(`${name} grew from ${before.rssMb.toFixed(0)} to ${after.rssMb.toFixed(0)} MiB`)
    const mostOpen = before.descriptors * mostGrowth.factor + mostGrowth.descriptors
    if (after.descriptors > mostOpen)
      found.push(`${name} had ${before.descriptors} descriptors, has ${after.descriptors}`)
    return found
  })
}

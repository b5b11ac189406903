// A limit policy as decisions use it: whose bucket a request takes from, under which key, and how its decisions are counted.

import type { LimitPolicy } from '../config/limit-settings.js'
import type { Metrics } from '../http/metrics.js'
import type { Bucket } from '../memory/counters/counters.js'
import { addressGroup } from './address-group.js'

/** Who makes the request, as far as it is known. A policy is charged only when every part that it counts by is known. */
export interface LimitSubject {
  /** The peer's IP address as in the request context; IPv6 is counted by /64. */
  address?: string | undefined
  applicationId?: string | undefined
  tenantId?: string | undefined
  /** Absent for tokens of applications. */
  userId?: string | undefined
  /** The route's id, never the URL. Two spellings of one endpoint have one id and so one bucket. */
  routeId?: string | undefined
}

/**
 * Which policies of the list a decision takes. `address`: those that count by address and nothing but the route
 * beside it, charged before any cryptography. `caller`: all others, charged when the caller is known; a route's own
 * budget is among them, so that strangers cannot empty it. Without a stage: all.
 */
export type LimitStage = 'address' | 'caller'

export interface CompiledPolicy {
  policy: LimitPolicy
  prefix: string
  stage: LimitStage
  mode: NonNullable<LimitPolicy['mode']>
  onDown: NonNullable<LimitPolicy['onDown']>
  /** Of a policy that counts by one part: its buckets by that part's value. A key is long, and dear to put together. */
  buckets: Map<string, Bucket>
  /** Adds one decision to the metric. */
  count: (allowed: boolean, nowMs: number) => void
}

type Part = LimitPolicy['by'][number]

// A letter for each part and its length before it: no two subjects share a key, whatever characters they contain (R9).
const letters: Record<Part, string> = { address: 'a', application: 'p', tenant: 't', user: 'u', route: 'r' }

/** Of one policy that are remembered. */
const mostBuckets = 2_000

/** Compiles a policy; its decisions are counted in `metrics` under its name. */
export function compilePolicy(policy: LimitPolicy, metrics: Metrics): CompiledPolicy {
  return {
    policy,
    prefix: `limit:${policy.name.length}:${policy.name}`,
    stage:
      policy.by.includes('address') && policy.by.every((part) => part === 'address' || part === 'route')
        ? 'address'
        : 'caller',
    mode: policy.mode ?? 'local',
    onDown: policy.onDown ?? 'local',
    buckets: new Map(),
    count: policy.shadow === true ? countWouldRefuse(policy.name, metrics) : countDecisions(policy.name, metrics),
  }
}

/** What a request of this subject and cost takes from; undefined when not all that it is counted by is known. */
export function bucketOf(compiled: CompiledPolicy, subject: LimitSubject, cost: number): Bucket | undefined {
  const bucket = bucketOfOne(compiled, subject)
  // Most requests cost one unit, and share their bucket's description.
  return bucket === undefined || cost === 1 ? bucket : { ...bucket, cost }
}

function bucketOfOne(compiled: CompiledPolicy, subject: LimitSubject): Bucket | undefined {
  const { by } = compiled.policy
  const only = by.length === 1 ? partOf(subject, by[0] as Part) : undefined
  const known = only === undefined ? undefined : compiled.buckets.get(only)
  if (known !== undefined) return known
  const key = bucketKey(compiled, subject)
  if (key === undefined) return undefined
  const { policy, mode, onDown, buckets } = compiled
  const bucket: Bucket = { key, algorithm: policy.algorithm, cost: 1, mode, onDown }
  if (only === undefined) return bucket
  // Whoever has many subjects must not fill the memory with their keys.
  if (buckets.size >= mostBuckets) buckets.clear()
  buckets.set(only, bucket)
  return bucket
}

function bucketKey(compiled: CompiledPolicy, subject: LimitSubject): string | undefined {
  let key = compiled.prefix
  for (const part of compiled.policy.by) {
    const value = partOf(subject, part)
    if (value === undefined) return undefined
    key += `;${letters[part]}${value.length}:${value}`
  }
  return key
}

function partOf(subject: LimitSubject, part: Part): string | undefined {
  switch (part) {
    case 'address':
      return subject.address === undefined ? undefined : addressGroup(subject.address)
    case 'application':
      return subject.applicationId
    case 'tenant':
      return subject.tenantId
    case 'user':
      return subject.userId
    case 'route':
      return subject.routeId
  }
}

/** Refusals are counted one by one. Passes come by the thousand, and an increment costs a tenth of a decision: they are
 * added in sixteens, or after a second. */
function countDecisions(policyName: string, metrics: Metrics): CompiledPolicy['count'] {
  const allowed = metrics.limitDecisions.labels(policyName, 'allowed')
  const refused = metrics.limitDecisions.labels(policyName, 'refused')
  let pending = 0
  let addedAt = Number.NEGATIVE_INFINITY
  return (passed, nowMs) => {
    if (!passed) {
      refused.inc()
      return
    }
    pending += 1
    if (pending < 16 && nowMs - addedAt < 1000) return
    allowed.inc(pending)
    pending = 0
    addedAt = nowMs
  }
}

/** Of a policy that is only watched: those that it would have refused. */
function countWouldRefuse(policyName: string, metrics: Metrics): CompiledPolicy['count'] {
  const wouldRefuse = metrics.limitWouldRefuse.labels(policyName)
  return (allowed) => {
    if (!allowed) wouldRefuse.inc()
  }
}

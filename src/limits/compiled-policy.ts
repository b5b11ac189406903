// A limit policy as decisions use it: whose bucket a request takes from, under which key, and how its decisions are
// counted.

import type { LimitPolicy } from '../config/settings/limit-settings.js'
import type { Metrics } from '../observability/metrics.js'
import type { Bucket } from '../storage/counters/counters.js'
import { addressGroup } from './address-group.js'

/**
 * Who makes the request, as far as it is known. A policy is charged only when every part that it counts by is known.
 */
export interface LimitSubject {
  /** The peer's IP address as in the request context; IPv6 is counted by /64. */
  address?: string | undefined
  applicationId?: string | undefined
  tenantId?: string | undefined
  /** null: there is none, the application calls for itself. Absent: not known yet. */
  userId?: string | null | undefined
  /** The route's id, never the URL. Two spellings of one endpoint have one id and so one bucket. */
  routeId?: string | undefined
}

/**
 * Which policies of the list a decision takes. `address`: those that count by address and nothing but the route beside
 * it, charged before any cryptography. `caller`: all others, charged when the caller is known; a route's own budget is
 * among them, so that untrusted parties cannot empty it. `claim`: those that count by application, for somebody who has
 * named one and proved nothing: counted by address and application, in buckets of their own. Without a stage: address
 * and caller.
 */
export type LimitStage = 'address' | 'caller' | 'claim'

/** What was made before, by the value of one part after the other. */
type BucketTree = Map<string, BucketTree | Bucket>

export interface CompiledPolicy {
  policy: LimitPolicy
  prefix: string
  stage: 'address' | 'caller'
  /** Has a bucket at the stage `claim`. */
  isClaimable: boolean
  mode: NonNullable<LimitPolicy['mode']>
  onDown: NonNullable<LimitPolicy['onDown']>
  /** A key is long, and dear to put together. */
  buckets: BucketTree
  /** How many they are. */
  remembered: number
  /** Adds one decision to the metric. */
  count: (allowed: boolean, nowMs: number) => void
}

type Part = LimitPolicy['by'][number]

// A letter for each part and its length before it: no two subjects share a key, whatever characters they contain (Q9).
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
    isClaimable: policy.by.includes('application'),
    mode: policy.mode ?? 'local',
    onDown: policy.onDown ?? 'local',
    buckets: new Map(),
    remembered: 0,
    count: policy.shadow === true ? countWouldRefuse(policy.name, metrics) : countDecisions(policy.name, metrics),
  }
}

/** What a request of this subject and cost takes from; undefined when not all that it is counted by is known. */
export function bucketOf(compiled: CompiledPolicy, subject: LimitSubject, cost: number): Bucket | undefined {
  const bucket = bucketOfOne(compiled, subject)
  // Most requests cost one unit, and share their bucket's description.
  return bucket === undefined || cost === 1 ? bucket : { ...bucket, cost }
}

/**
 * What somebody takes from who says that they are an application, and has not proved it: the same allowance, for their
 * address alone. Its keys are a family of their own, so that spraying them takes no memory from callers who are known.
 */
export function claimBucketOf(
  { policy, mode, onDown }: CompiledPolicy,
  { address, applicationId }: LimitSubject,
  cost: number,
): Bucket | undefined {
  if (address === undefined || applicationId === undefined) return undefined
  const group = addressGroup(address)
  const subject = `a${group.length}:${group};p${applicationId.length}:${applicationId}`
  return {
    key: `claim-${policy.name.length}:${policy.name};${subject}`,
    algorithm: policy.algorithm,
    cost,
    mode,
    onDown,
  }
}

function bucketOfOne(compiled: CompiledPolicy, subject: LimitSubject): Bucket | undefined {
  const { by } = compiled.policy
  let known: BucketTree | Bucket | undefined = compiled.buckets
  // By index: an iterator makes an object for each part, of each policy, of each request.
  for (let i = 0; i < by.length; i += 1) {
    const value = partOf(subject, by[i] as Part, by)
    if (value === undefined) return undefined
    if (known instanceof Map) known = known.get(value)
  }
  return known === undefined || known instanceof Map ? makeBucket(compiled, subject) : known
}

function makeBucket(compiled: CompiledPolicy, subject: LimitSubject): Bucket {
  const { policy, prefix, mode, onDown } = compiled
  const values = policy.by.map((part) => partOf(subject, part, policy.by) ?? '')
  const key = values.reduce(
    (made, value, i) => `${made};${letters[policy.by[i] as Part]}${value.length}:${value}`,
    prefix,
  )
  const bucket: Bucket = { key, algorithm: policy.algorithm, cost: 1, mode, onDown }
  remember(compiled, values, bucket)
  return bucket
}

function remember(compiled: CompiledPolicy, values: readonly string[], bucket: Bucket): void {
  // A caller with many subjects must not fill the memory with their keys.
  if (compiled.remembered >= mostBuckets) {
    compiled.buckets.clear()
    compiled.remembered = 0
  }
  compiled.remembered += 1
  let tree = compiled.buckets
  for (const value of values.slice(0, -1)) {
    const next = tree.get(value)
    const below = next instanceof Map ? next : new Map()
    tree.set(value, below)
    tree = below
  }
  tree.set(values.at(-1) ?? '', bucket)
}

function partOf(subject: LimitSubject, part: Part, by: readonly Part[]): string | undefined {
  switch (part) {
    case 'address':
      return subject.address === undefined ? undefined : addressGroup(subject.address)
    case 'application':
      return subject.applicationId
    case 'tenant':
      return subject.tenantId
    case 'user':
      // Beside another part an application that calls for itself has a bucket of its own; alone there is nobody to
      // count.
      return subject.userId === null ? (by.length > 1 ? '' : undefined) : subject.userId
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
  // An increase from nothing to 1 is none to Prometheus.
  wouldRefuse.inc(0)
  return (allowed) => {
    if (!allowed) wouldRefuse.inc()
  }
}

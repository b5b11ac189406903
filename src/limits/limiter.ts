// Rates and quotas by address, application, tenant, user and route (contract §6). One decision takes every policy of
// a request at once: all buckets are charged or none, so a refused request does not burn the other budgets. This file
// knows policies and subjects; the numbers live in the Counters, the response fields in headers.ts.
// No await and no parsing when the Counters are in this process: three policies must stay below 3 µs.

import type { LimitPolicy } from '../config/limit-settings.js'
import type { Metrics } from '../http/metrics.js'
import type { Bucket, BucketState, Counters } from '../memory/counters/counters.js'
import { addressGroup } from './address-group.js'
import { policyItem } from './limit-item.js'

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

export interface LimitDecision {
  allowed: boolean
  /** The policies that applied, in the order of the list; `states[i]` belongs to `policies[i]`. */
  policies: readonly LimitPolicy[]
  states: readonly BucketState[]
  /** The RateLimit-Policy field for `policies`, made once. */
  policyField: string
}

export interface Limiter {
  /**
   * Charges one unit on the named policies. Synchronous where the Counters are. Throws, or rejects with, CountersUnavailable
   * when a policy says so. Throws when a name is not a policy: the configuration was checked, so that is a bug. Reuse the
   * same array for the same route: it is compiled once.
   */
  decide(
    policyNames: readonly string[],
    subject: LimitSubject,
    stage?: LimitStage,
  ): LimitDecision | Promise<LimitDecision>
}

export interface PeekingLimiter extends Limiter {
  /** What `decide` would answer now; nothing is charged or counted. */
  peek: Limiter['decide']
  /** From now on these are the policies; a list that was used before still means what it meant. */
  replace(policies: ReadonlyMap<string, LimitPolicy>): void
}

type Part = LimitPolicy['by'][number]

interface CompiledPolicy {
  policy: LimitPolicy
  prefix: string
  stage: LimitStage
  mode: NonNullable<LimitPolicy['mode']>
  onDown: NonNullable<LimitPolicy['onDown']>
  /** Of a policy that counts by one part: its buckets by that part's value. A key is long, and dear to put together. */
  buckets: Map<string, Bucket>
  count: DecisionCount
}

/** The policies of one list that apply to one kind of subject. */
interface Selection {
  policies: readonly LimitPolicy[]
  compiled: readonly CompiledPolicy[]
  policyField: string
}

/** Adds one decision about a policy to the metric. */
type DecisionCount = (allowed: boolean, nowMs: number) => void

interface Plan {
  compiled: readonly CompiledPolicy[]
  /** Which stages have a policy at all: most routes have none by address. */
  stages: ReadonlySet<LimitStage>
  /** By bit mask of the policies that apply. */
  selections: Map<number, Selection>
}

// A letter for each part and its length before it: no two subjects share a key, whatever characters they contain (R9).
const letters: Record<Part, string> = { address: 'a', application: 'p', tenant: 't', user: 'u', route: 'r' }

/** Of one policy that are remembered. */
const mostBuckets = 2_000

const unlimited: LimitDecision = Object.freeze({ allowed: true, policies: [], states: [], policyField: '' })

/**
 * Builds the limiter. `policies` are the configured ones by name, `monotonic` gives milliseconds of a clock that
 * never goes back, `metrics` counts what was decided per policy.
 */
export function createLimiter(options: {
  counters: Counters
  policies: ReadonlyMap<string, LimitPolicy>
  metrics: Metrics
  monotonic: () => number
}): PeekingLimiter {
  const { counters, metrics, monotonic } = options
  const compileAll = (policies: ReadonlyMap<string, LimitPolicy>) =>
    new Map([...policies].map(([name, policy]) => [name, compilePolicy(policy, metrics)]))
  let byName = compileAll(options.policies)
  const plans = new WeakMap<readonly string[], Plan>()

  function planOf(names: readonly string[]): Plan {
    const known = plans.get(names)
    if (known !== undefined) return known
    const plan = compilePlan(names, byName)
    plans.set(names, plan)
    return plan
  }

  const asking = (ask: Counters['take'], isCounted: boolean): Limiter['decide'] => {
    return (policyNames, subject, stage) => {
      const plan = planOf(policyNames)
      if (stage !== undefined && !plan.stages.has(stage)) return unlimited
      const buckets: Bucket[] = []
      let mask = 0
      for (let i = 0; i < plan.compiled.length; i += 1) {
        const each = plan.compiled[i] as CompiledPolicy
        if (stage !== undefined && each.stage !== stage) continue
        const bucket = bucketOf(each, subject)
        if (bucket === undefined) continue
        buckets.push(bucket)
        mask |= 1 << i
      }
      if (mask === 0) return unlimited
      const selection = selectionOf(plan, mask)
      const now = monotonic()
      const states = ask(buckets, now)
      return Array.isArray(states)
        ? decided(selection, states, now, isCounted)
        : states.then((late) => decided(selection, late, now, isCounted))
    }
  }
  return {
    decide: asking((buckets, now) => counters.take(buckets, now), true),
    peek: asking((buckets, now) => counters.peek(buckets, now), false),
    replace(policies) {
      byName = compileAll(policies)
    },
  }
}

function compilePolicy(policy: LimitPolicy, metrics: Metrics): CompiledPolicy {
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
    count: countDecisions(policy.name, metrics),
  }
}

/** Refusals are counted one by one. Passes come by the thousand, and an increment costs a tenth of a decision: they are
 * added in sixteens, or after a second. */
function countDecisions(policyName: string, metrics: Metrics): DecisionCount {
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

function compilePlan(names: readonly string[], byName: ReadonlyMap<string, CompiledPolicy>): Plan {
  // A policy named twice is still one policy: charged once.
  const compiled = [...new Set(names)].map((name) => {
    const policy = byName.get(name)
    if (policy === undefined) throw new Error(`there is no limit policy named ${JSON.stringify(name)}`)
    return policy
  })
  if (compiled.length > 31) throw new Error('a route can have at most 31 limit policies')
  return { compiled, stages: new Set(compiled.map((policy) => policy.stage)), selections: new Map() }
}

function selectionOf(plan: Plan, mask: number): Selection {
  const known = plan.selections.get(mask)
  if (known !== undefined) return known
  const compiled = plan.compiled.filter((_, i) => (mask & (1 << i)) !== 0)
  const policies = compiled.map((each) => each.policy)
  const selection = { compiled, policies, policyField: policies.map(policyItem).join(', ') }
  plan.selections.set(mask, selection)
  return selection
}

function bucketOf(compiled: CompiledPolicy, subject: LimitSubject): Bucket | undefined {
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

function decided(
  selection: Selection,
  states: readonly BucketState[],
  nowMs: number,
  isCounted: boolean,
): LimitDecision {
  const allowed = states.every((state) => state.allowed)
  for (let i = 0; isCounted && i < states.length; i += 1) {
    // In a refusal the policies that would have allowed were not charged, so they are not counted.
    if (allowed || states[i]?.allowed === false) selection.compiled[i]?.count(allowed, nowMs)
  }
  return { allowed, policies: selection.policies, states, policyField: selection.policyField }
}

// Rates and quotas by address, application, tenant, user and route (contract §6). One decision takes every policy of
// a request at once: all buckets are charged or none, so a refused request does not burn the other budgets. This file
// knows policies and subjects; the numbers live in the Counters, the response fields in headers.ts.
// No await and no parsing when the Counters are in this process: three policies must stay below 3 µs.

import type { LimitPolicy } from '../config/settings/limit-settings.js'
import type { Metrics } from '../observability/metrics.js'
import type { Bucket, BucketState, Counters } from '../storage/counters/counters.js'
import {
  bucketOf,
  type CompiledPolicy,
  claimBucketOf,
  compilePolicy,
  type LimitStage,
  type LimitSubject,
} from './compiled-policy.js'
import { policyItem } from './limit-item.js'

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
   * Charges `cost` units, one unless it is said, on the named policies. Synchronous where the Counters are. Throws, or
   * rejects with, CountersUnavailable when a policy says so. Throws when a name is not a policy: the configuration was
   * checked, so that is a bug. Reuse the same array for the same route: it is compiled once.
   */
  decide(
    policyNames: readonly string[],
    subject: LimitSubject,
    stage?: LimitStage,
    cost?: number,
  ): LimitDecision | Promise<LimitDecision>
}

export interface PeekingLimiter extends Limiter {
  /** What `decide` would answer now; nothing is charged or counted. */
  peek: Limiter['decide']
  /** From now on these are the policies; a list that was used before still means what it meant. */
  replace(policies: ReadonlyMap<string, LimitPolicy>): void
}

/** The policies of one list that apply to one kind of subject. */
interface Selection {
  policies: readonly LimitPolicy[]
  compiled: readonly CompiledPolicy[]
  policyField: string
}

interface Plan {
  compiled: readonly CompiledPolicy[]
  /** Those that are only watched: each by itself, never told to the caller, never waited for. */
  watched: readonly CompiledPolicy[]
  /** Which stages have a policy at all: most routes have none by address. */
  stages: ReadonlySet<LimitStage>
  /** By bit mask of the policies that apply. */
  selections: Map<number, Selection>
}

interface LimitRequest {
  subject: LimitSubject
  stage: LimitStage | undefined
  cost: number
}

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

  const asking = (ask: Counters['take'], isCounted: boolean) => {
    return (plan: Plan, { subject, stage, cost }: LimitRequest): LimitDecision | Promise<LimitDecision> => {
      if (stage !== undefined && !plan.stages.has(stage)) return unlimited
      // Of the right length: pushing reserves room for 17, at each request.
      const buckets = new Array<Bucket>(plan.compiled.length)
      let taken = 0
      let mask = 0
      for (let i = 0; i < plan.compiled.length; i += 1) {
        const each = plan.compiled[i] as CompiledPolicy
        const bucket = bucketAt(stage, each, subject, cost)
        if (bucket === undefined) continue
        buckets[taken] = bucket
        taken += 1
        mask |= 1 << i
      }
      if (taken === 0) return unlimited
      if (taken < buckets.length) buckets.length = taken
      const selection = selectionOf(plan, mask)
      const now = monotonic()
      const states = ask(buckets, now)
      return Array.isArray(states)
        ? decided(selection, states, now, isCounted)
        : states.then((late) => decided(selection, late, now, isCounted))
    }
  }
  const take = asking((buckets, now) => counters.take(buckets, now), true)
  const look = asking((buckets, now) => counters.peek(buckets, now), false)

  /** After the decision, on what would have been charged too: a request that was refused had not come so far. */
  function watch(plan: Plan, { subject, stage, cost }: LimitRequest, decision: LimitDecision): LimitDecision {
    if (!decision.allowed) return decision
    const now = monotonic()
    for (const each of plan.watched) {
      const bucket = stage !== undefined && each.stage !== stage ? undefined : bucketOf(each, subject, cost)
      if (bucket !== undefined) watchOne(each, bucket, now)
    }
    return decision
  }

  function watchOne(compiled: CompiledPolicy, bucket: Bucket, now: number): void {
    const note = ([state]: readonly BucketState[]) => compiled.count(state?.allowed !== false, now)
    // Without the shared numbers it would have been a 503, if that is what the policy says.
    const noteUnknown = () => compiled.count(false, now)
    try {
      const states = counters.take([bucket], now)
      if (Array.isArray(states)) note(states)
      else states.then(note, noteUnknown)
    } catch {
      noteUnknown()
    }
  }

  return {
    decide(policyNames, subject, stage, cost = 1) {
      const plan = planOf(policyNames)
      const request = { subject, stage, cost }
      const decision = take(plan, request)
      if (plan.watched.length === 0) return decision
      return decision instanceof Promise
        ? decision.then((late) => watch(plan, request, late))
        : watch(plan, request, decision)
    },
    peek: (policyNames, subject, stage, cost = 1) => look(planOf(policyNames), { subject, stage, cost }),
    replace(policies) {
      byName = compileAll(policies)
    },
  }
}

function compilePlan(names: readonly string[], byName: ReadonlyMap<string, CompiledPolicy>): Plan {
  // A policy named twice is still one policy: charged once.
  const all = [...new Set(names)].map((name) => {
    const policy = byName.get(name)
    if (policy === undefined) throw new Error(`there is no limit policy named ${JSON.stringify(name)}`)
    return policy
  })
  if (all.length > 31) throw new Error('a route can have at most 31 limit policies')
  const compiled = all.filter(({ policy }) => policy.shadow !== true)
  const watched = all.filter(({ policy }) => policy.shadow === true)
  const stages = new Set<LimitStage>(compiled.map((policy) => policy.stage))
  if (compiled.some(({ isClaimable }) => isClaimable)) stages.add('claim')
  return { compiled, watched, stages, selections: new Map() }
}

/** Undefined for a policy that this stage does not charge. */
function bucketAt(
  stage: LimitStage | undefined,
  compiled: CompiledPolicy,
  subject: LimitSubject,
  cost: number,
): Bucket | undefined {
  if (stage === 'claim') return compiled.isClaimable ? claimBucketOf(compiled, subject, cost) : undefined
  return stage === undefined || compiled.stage === stage ? bucketOf(compiled, subject, cost) : undefined
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

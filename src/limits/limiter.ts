// Rates and quotas by address, application, tenant, user and route (contract §6). One decision takes every policy of
// a request at once: all buckets are charged or none, so a refused request does not burn the other budgets. This file
// knows policies and subjects; the numbers live in the Counters, the response fields in headers.ts.
// No await and no parsing when the Counters are in this process: three policies must stay below 3 µs.

import type { PlanRules } from '../config/plans/plan-settings.js'
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
import type { AssignedPlans, EffectivePlan } from './effective-plan.js'
import { compileList, type LimitList, type Selection, selectionOf } from './limit-list.js'
import { compilePlans } from './plan-lists.js'

export interface LimitDecision {
  allowed: boolean
  /** The policies that applied, in the order of the list; `states[i]` belongs to `policies[i]`. */
  policies: readonly LimitPolicy[]
  states: readonly BucketState[]
  /** The RateLimit-Policy field for `policies`, made once. */
  policyField: string
  /** The plan whose numbers they are; undefined: no plan's. */
  plan?: string | undefined
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
  /** What counts for an application; undefined: the limits of routes as they are. */
  planOf(applicationId: string): EffectivePlan | undefined
}

export interface PeekingLimiter extends Limiter {
  /** What `decide` would answer now; nothing is charged or counted. */
  peek: Limiter['decide']
  /** As `peek`, of what the application's plan counts beside the limits of routes, for all routes together. */
  peekPlan(subject: LimitSubject): LimitDecision | Promise<LimitDecision>
  /** From now on these are the policies and plans; a list that was used before still means what it meant. */
  replace(policies: ReadonlyMap<string, LimitPolicy>, plans?: PlanRules): void
}

interface LimitRequest {
  subject: LimitSubject
  stage: LimitStage | undefined
  cost: number
}

const noPlans: PlanRules = { plans: new Map(), defaultPlan: undefined }
const nothingAssigned: AssignedPlans = { of: () => undefined, size: 0 }

const unlimited: LimitDecision = Object.freeze({ allowed: true, policies: [], states: [], policyField: '' })

/**
 * Builds the limiter. `policies` are the configured ones by name, `assigned` the plans of
 * applications, `monotonic` gives milliseconds of a clock that
 * never goes back, `metrics` counts what was decided per policy.
 */
export function createLimiter(options: {
  counters: Counters
  policies: ReadonlyMap<string, LimitPolicy>
  metrics: Metrics
  monotonic: () => number
  /** Absent: there are none. */
  plans?: PlanRules
  assigned?: AssignedPlans
}): PeekingLimiter {
  const { counters, metrics, monotonic } = options
  const compileAll = (policies: ReadonlyMap<string, LimitPolicy>) =>
    new Map([...policies].map(([name, policy]) => [name, compilePolicy(policy, metrics)]))
  let byName = compileAll(options.policies)
  const lists = new WeakMap<readonly string[], LimitList>()
  const compileBook = (policies: ReadonlyMap<string, LimitPolicy>, rules: PlanRules) =>
    compilePlans({ ...rules, limits: policies }, options.assigned ?? nothingAssigned, (one) =>
      compilePolicy(one, metrics),
    )
  let plans = compileBook(options.policies, options.plans ?? noPlans)

  function listOf(names: readonly string[]): LimitList {
    const known = lists.get(names)
    if (known !== undefined) return known
    const list = compileNames(names, byName)
    lists.set(names, list)
    return list
  }

  /** Who has only named an application has none of what its plan gives. */
  function listFor(names: readonly string[], subject: LimitSubject, stage: LimitStage | undefined): LimitList {
    const base = listOf(names)
    if (subject.applicationId === undefined || stage === 'address' || stage === 'claim') return base
    const plan = plans.of(subject.applicationId)
    return plan === undefined ? base : plan.listOf(names, base, subject.routeId)
  }

  const asking = (ask: Counters['take'], isCounted: boolean) => {
    return (list: LimitList, { subject, stage, cost }: LimitRequest): LimitDecision | Promise<LimitDecision> => {
      if (stage !== undefined && !list.stages.has(stage)) return unlimited
      // Of the right length: pushing reserves room for 17, at each request.
      const buckets = new Array<Bucket>(list.compiled.length)
      let taken = 0
      let mask = 0
      for (let i = 0; i < list.compiled.length; i += 1) {
        const each = list.compiled[i] as CompiledPolicy
        const bucket = bucketAt(stage, each, subject, cost)
        if (bucket === undefined) continue
        buckets[taken] = bucket
        taken += 1
        mask |= 1 << i
      }
      if (taken === 0) return unlimited
      if (taken < buckets.length) buckets.length = taken
      const selection = selectionOf(list, mask)
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
  function watch(list: LimitList, { subject, stage, cost }: LimitRequest, decision: LimitDecision): LimitDecision {
    if (!decision.allowed) return decision
    const now = monotonic()
    for (const each of list.watched) {
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
      const list = listFor(policyNames, subject, stage)
      const request = { subject, stage, cost }
      const decision = take(list, request)
      if (list.watched.length === 0) return decision
      return decision instanceof Promise
        ? decision.then((late) => watch(list, request, late))
        : watch(list, request, decision)
    },
    peek: (names, subject, stage, cost = 1) => look(listFor(names, subject, stage), { subject, stage, cost }),
    peekPlan(subject) {
      const plan = subject.applicationId === undefined ? undefined : plans.of(subject.applicationId)
      return plan === undefined ? unlimited : look(plan.further, { subject, stage: undefined, cost: 1 })
    },
    planOf: (applicationId) => plans.of(applicationId)?.effective,
    replace(policies, rules = noPlans) {
      byName = compileAll(policies)
      plans = compileBook(policies, rules)
    },
  }
}

function compileNames(names: readonly string[], byName: ReadonlyMap<string, CompiledPolicy>): LimitList {
  // A policy named twice is still one policy: charged once.
  const all = [...new Set(names)].map((name) => {
    const policy = byName.get(name)
    if (policy === undefined) throw new Error(`there is no limit policy named ${JSON.stringify(name)}`)
    return policy
  })
  return compileList(all)
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
  const { policies, policyField, plan } = selection
  return { allowed, policies, states, policyField, plan }
}

// Reads `plans`. A plan can only say something about what is counted by application: what guards against untrusted parties
// stays as it is for everybody.

import { algorithmOf, sharingOf } from '../process/limit-numbers.js'
import { checkCost } from '../process/limits.js'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { LimitPolicy } from '../settings/limit-settings.js'
import type { RouteSettings } from '../settings/route-settings.js'
import type { PlanLimit, PlanRules, PlanSettings } from './plan-settings.js'

interface PlanContext {
  file: ConfigurationFile
  limits: ReadonlyMap<string, LimitPolicy>
  routes: readonly RouteSettings[]
  report: Report
}

type PlanOfFile = Partial<ConfigurationFile['plans'][string]>
type LimitOfPlan = NonNullable<PlanOfFile['limits']>[string]

/** As many as the limiter decides together. */
const mostTogether = 31

/** Reads `plans` and `defaults.plan`. Mistakes go to the report. */
export function compilePlans(context: PlanContext): PlanRules {
  const { file, report } = context
  const plans = new Map<string, PlanSettings>()
  for (const [name, entry] of Object.entries<PlanOfFile>(file.plans)) plans.set(name, planOf(name, entry, context))
  warnOfOtherCounts(plans, report)
  const defaultPlan = file.defaults.plan
  if (defaultPlan !== undefined && !plans.has(defaultPlan)) {
    const thing = { what: 'plan', name: defaultPlan, section: ['plans'], known: plans.keys() }
    report.unknown(['defaults', 'plan'], thing)
  }
  return { plans, defaultPlan }
}

function planOf(name: string, entry: PlanOfFile, context: PlanContext): PlanSettings {
  const path: Path = ['plans', name]
  const limits = new Map<string, PlanLimit>()
  for (const [limit, said] of Object.entries<LimitOfPlan>(entry.limits ?? {})) {
    limits.set(limit, planLimitOf(limit, said, [...path, 'limits', limit], context))
  }
  checkRoutes(limits, path, context)
  return {
    name,
    describe: entry.describe ?? '',
    chosenBy: entry.chosenBy ?? 'operators',
    limits,
    concurrent: entry.concurrent,
    position: context.report.places.position(path, 'key'),
  }
}

function planLimitOf(name: string, said: LimitOfPlan, path: Path, context: PlanContext): PlanLimit {
  const { file, limits, report } = context
  const replaced = limits.get(name)
  const by = typeof said.by === 'string' ? [said.by] : (said.by ?? replaced?.by ?? ['application'])
  if (replaced !== undefined && !replaced.by.includes('application')) {
    const message = `is the name of a limit by ${replaced.by.join(', ')}, which holds whatever plan an application has`
    report.problem(path, message, 'key')
  } else if (!by.includes('application')) {
    report.problem([...path, 'by'], 'must have application among it: a plan is of an application')
  }
  if (replaced !== undefined && said.routes !== undefined) {
    report.problem([...path, 'routes'], 'cannot stand here: routes name this limit themselves', 'key')
  }
  const sharing = sharingOf(file, said, path, report)
  const algorithm = algorithmOf(said, path, report)
  const position = report.places.position(path, 'key')
  const policy = { name, by, algorithm, ...sharing, shadow: said.shadow ?? false, plan: true, position }
  return { policy, routes: replaced === undefined ? routesOf(said, path, context) : undefined }
}

/** A key of a route is that one; `/reports/**` is all whose path begins so. */
function routesOf(said: LimitOfPlan, path: Path, { routes, report }: PlanContext): ReadonlySet<string> {
  const ids = new Set(routes.map(({ id }) => id))
  if (said.routes === undefined) return ids
  const found = new Set<string>()
  for (const [index, key] of said.routes.entries()) {
    const beginning = key.startsWith('/') && key.endsWith('/**') ? key.slice(0, -3) : undefined
    const those = ids.has(key)
      ? [key]
      : routes.filter((route) => beginning !== undefined && isBelow(route.path, beginning)).map(({ id }) => id)
    if (those.length === 0) {
      report.unknown([...path, 'routes', index], { what: 'route', name: key, section: ['routes'], known: ids })
    }
    for (const id of those) found.add(id)
  }
  return found
}

function isBelow(routePath: string, beginning: string): boolean {
  return routePath === beginning || routePath.startsWith(`${beginning}/`)
}

/** What a route could never get, or the limiter not decide together. */
function checkRoutes(limits: ReadonlyMap<string, PlanLimit>, path: Path, { routes, report }: PlanContext): void {
  const further = [...limits.values()].filter((limit) => limit.routes !== undefined)
  const section = `${path.join('.')}.limits`
  for (const { id, limits: names, cost = 1, mcp } of routes) {
    const here = further.filter((limit) => limit.routes?.has(id) === true).map(({ policy }) => policy)
    if (names.length + here.length > mostTogether) {
      report.problem(path, `brings ${JSON.stringify(id)} to more than ${mostTogether} limits`, 'key')
      return
    }
    const check = (of: number, at: Path, listed: readonly string[]) => {
      const replacing = listed.flatMap((name) => limits.get(name)?.policy ?? [])
      const policies = new Map([...replacing, ...here].map((policy) => [policy.name, policy]))
      checkCost(of, at, [...policies.keys()], { limits: policies, report, section })
    }
    if (cost > 1) check(cost, ['routes', id, 'cost'], names)
    for (const kind of ['tools', 'prompts', 'resources'] as const) {
      for (const [name, { cost: own = 1, limits: listed = names }] of mcp?.[kind] ?? []) {
        if (own > 1) check(own, ['routes', id, 'mcp', kind, name, 'cost'], listed)
      }
    }
  }
}

/** Limits of one name share what they count, which makes sense only when they count the same. */
function warnOfOtherCounts(plans: ReadonlyMap<string, PlanSettings>, report: Report): void {
  const first = new Map<string, { plan: string; policy: LimitPolicy }>()
  for (const [plan, { limits }] of plans) {
    for (const [name, { policy, routes }] of limits) {
      const other = first.get(name)
      if (routes === undefined) continue
      if (other === undefined) first.set(name, { plan, policy })
      else if (countingOf(other.policy) !== countingOf(policy)) {
        const message = `counts otherwise than in ${JSON.stringify(other.plan)}: an application that changes between them begins anew. Give it another name, or the same by and period`
        report.warning(['plans', plan, 'limits', name], message)
      }
    }
  }
}

function countingOf({ by, algorithm }: LimitPolicy): string {
  return `${by.join()} ${algorithm.kind} ${algorithm.periodMs}`
}

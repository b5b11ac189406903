// The rules that an access diff compares, as plain data: those of a running server, for a program that compares a file
// with them.

import { type Static, Type } from 'typebox'
import { planChoosers } from '../../config/plans/plan-schema.js'
import type { PlanSettings } from '../../config/plans/plan-settings.js'
import { catalogueOf } from '../../config/routes/catalogue.js'
import type { LimitPolicy } from '../../config/settings/limit-settings.js'
import type { RouteSettings } from '../../config/settings/route-settings.js'
import type { PermissionDefinition } from '../../config/settings/settings.js'
import type { AccessRules } from './access-table.js'
import { mcpOf, PlainMcp, plainMcp } from './plain-mcp.js'

const text = Type.String()
const texts = Type.Array(text)
/** What it says besides, whatever that is in this version. */
const further = Type.Record(Type.String(), Type.Unknown())
const position = Type.Object({ file: text, line: Type.Integer(), column: Type.Integer() })

export const PlainRules = Type.Object({
  resources: Type.Array(Type.Object({ id: text, name: text, own: Type.Boolean() })),
  permissions: Type.Array(
    Type.Object({
      id: text,
      resource: text,
      kinds: Type.Array(Type.Enum(['application', 'delegated'])),
      describe: text,
      adminConsent: Type.Boolean(),
      role: text,
      covers: texts,
    }),
  ),
  routes: Type.Array(
    Type.Object({
      id: text,
      path: text,
      resource: text,
      upstream: text,
      limits: texts,
      position,
      methods: Type.Array(Type.Object({ method: text, public: Type.Boolean(), anyOf: Type.Array(Type.Array(text)) })),
      mcp: Type.Optional(PlainMcp),
      further,
    }),
  ),
  limits: Type.Array(further),
  tokenLimits: texts,
  plans: Type.Array(
    Type.Object({
      name: text,
      describe: text,
      chosenBy: Type.Enum(planChoosers),
      concurrent: Type.Optional(Type.Integer()),
      position,
      limits: Type.Array(
        Type.Object({
          policy: further,
          /** `named`: in place of the limit of that name; `listed`: on these; else on every route. */
          on: Type.Enum(['named', 'listed', 'all']),
          routes: texts,
        }),
      ),
    }),
  ),
  defaultPlan: Type.Optional(text),
})
export type PlainRules = Static<typeof PlainRules>
type PlainPlan = PlainRules['plans'][number]

/** Without the APIs of tenants: no route is about them. */
export function plainRules({ catalogue, routes, limits, tokenLimits, plans, defaultPlan }: AccessRules): PlainRules {
  const ofConfiguration = <T extends { tenantId?: string }>(all: Iterable<T>) =>
    [...all].filter(({ tenantId }) => tenantId === undefined)
  return {
    resources: ofConfiguration(catalogue.resources.values()).map(({ id, name, own }) => ({ id, name, own })),
    permissions: ofConfiguration(catalogue.permissions).map(({ kinds, covers, descriptions: _, ...one }) => ({
      ...one,
      kinds: [...kinds],
      covers: [...covers],
    })),
    routes: routes.map(plainRoute),
    limits: [...limits.values()].map(({ position: _, ...policy }) => ({ ...policy })),
    tokenLimits: [...tokenLimits],
    plans: [...plans.values()].map((plan) => plainPlan(plan, routes.length)),
    ...(defaultPlan === undefined ? {} : { defaultPlan }),
  }
}

/** The rules again. */
export function accessRules({ resources, permissions, routes, limits, tokenLimits, ...rest }: PlainRules): AccessRules {
  const own = resources.find((one) => one.own) ?? { id: '', name: '', own: true }
  const byId = new Map(resources.map((one) => [one.id, one]))
  const policies = limits as unknown as LimitPolicy[]
  return {
    catalogue: catalogueOf(own, byId, permissions as PermissionDefinition[], 'en'),
    routes: routes.map(routeOf),
    limits: new Map(policies.map((policy) => [policy.name, policy])),
    tokenLimits,
    plans: new Map(rest.plans.map((plan) => [plan.name, planOf(plan, routes)])),
    defaultPlan: rest.defaultPlan,
  }
}

function plainPlan({ limits, concurrent, position, ...plan }: PlanSettings, allRoutes: number): PlainPlan {
  return {
    ...plan,
    position: { ...position },
    ...(concurrent === undefined ? {} : { concurrent }),
    limits: [...limits.values()].map(({ policy: { position: _, ...policy }, routes }) => {
      const on = routes === undefined ? 'named' : routes.size < allRoutes ? 'listed' : 'all'
      return { policy: { ...policy }, on, routes: on === 'listed' ? [...(routes ?? [])] : [] }
    }),
  }
}

function planOf({ limits, concurrent, ...plan }: PlainPlan, all: PlainRules['routes']): PlanSettings {
  const everywhere = new Set(all.map(({ id }) => id))
  const entries = limits.map(({ policy, on, routes }) => {
    const listed = on === 'all' ? everywhere : new Set(routes)
    const limit = { policy: policy as unknown as LimitPolicy, routes: on === 'named' ? undefined : listed }
    return [limit.policy.name, limit] as const
  })
  return { ...plan, concurrent, limits: new Map(entries) }
}

function plainRoute(route: RouteSettings): PlainRules['routes'][number] {
  const { id, path, resource, upstream, limits, position, methods, mcp, ...further } = route
  return {
    id,
    path,
    resource,
    upstream,
    limits: [...limits],
    position: { ...position },
    ...(mcp === undefined ? {} : { mcp: plainMcp(mcp) }),
    further: { ...further },
    methods: [...methods].map(([method, needs]) => ({
      method,
      public: needs === 'public',
      anyOf: needs === 'public' ? [] : needs.anyOf.map((list) => [...list]),
    })),
  }
}

function routeOf({ further, methods, mcp, ...route }: PlainRules['routes'][number]): RouteSettings {
  const needs = methods.map(({ method, public: isPublic, anyOf }) => [method, isPublic ? 'public' : { anyOf }] as const)
  return {
    ...(further as Pick<RouteSettings, 'bodyBytes' | 'onStale' | 'stream'>),
    ...route,
    ...(mcp === undefined ? {} : { mcp: mcpOf(mcp) }),
    methods: new Map(needs),
  }
}

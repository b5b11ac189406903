// The rules that an access diff compares, as plain data: those of a running server, for a program that compares a file
// with them.

import { type Static, Type } from 'typebox'
import { catalogueOf } from '../../config/routes/catalogue.js'
import type { LimitPolicy } from '../../config/settings/limit-settings.js'
import type { RouteSettings } from '../../config/settings/route-settings.js'
import type { PermissionDefinition } from '../../config/settings/settings.js'
import type { AccessRules } from './access-table.js'

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
      further,
    }),
  ),
  limits: Type.Array(further),
  tokenLimits: texts,
})
export type PlainRules = Static<typeof PlainRules>

/** Without the APIs of tenants: no route is about them. */
export function plainRules({ catalogue, routes, limits, tokenLimits }: AccessRules): PlainRules {
  const ofConfiguration = <T extends { tenantId?: string }>(all: Iterable<T>) =>
    [...all].filter(({ tenantId }) => tenantId === undefined)
  return {
    resources: ofConfiguration(catalogue.resources.values()).map(({ id, name, own }) => ({ id, name, own })),
    permissions: ofConfiguration(catalogue.permissions).map(({ kinds, covers, ...one }) => ({
      ...one,
      kinds: [...kinds],
      covers: [...covers],
    })),
    routes: routes.map(plainRoute),
    limits: [...limits.values()].map(({ position: _, ...policy }) => ({ ...policy })),
    tokenLimits: [...tokenLimits],
  }
}

/** The rules again. */
export function accessRules({ resources, permissions, routes, limits, tokenLimits }: PlainRules): AccessRules {
  const own = resources.find((one) => one.own) ?? { id: '', name: '', own: true }
  const byId = new Map(resources.map((one) => [one.id, one]))
  const policies = limits as unknown as LimitPolicy[]
  return {
    catalogue: catalogueOf(own, byId, permissions as PermissionDefinition[]),
    routes: routes.map(routeOf),
    limits: new Map(policies.map((policy) => [policy.name, policy])),
    tokenLimits,
  }
}

function plainRoute(route: RouteSettings): PlainRules['routes'][number] {
  const { id, path, resource, upstream, limits, position, methods, ...further } = route
  return {
    id,
    path,
    resource,
    upstream,
    limits: [...limits],
    position: { ...position },
    further: { ...further },
    methods: [...methods].map(([method, needs]) => ({
      method,
      public: needs === 'public',
      anyOf: needs === 'public' ? [] : needs.anyOf.map((list) => [...list]),
    })),
  }
}

function routeOf({ further, methods, ...route }: PlainRules['routes'][number]): RouteSettings {
  const needs = methods.map(({ method, public: isPublic, anyOf }) => [method, isPublic ? 'public' : { anyOf }] as const)
  return { ...(further as Pick<RouteSettings, 'bodyBytes' | 'onStale' | 'stream'>), ...route, methods: new Map(needs) }
}

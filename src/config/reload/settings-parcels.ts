// Settings on their way from the thread that read them to the one that decides by them: plain data, in parcels of a
// hundred routes, each of which is unpacked in a moment. What cannot be sent (functions, secrets that hide) is made
// anew at the other end, and what must be one object there is one again.

import { describeService, documentOf } from '../../openapi/describe-service.js'
import { type SecretValue, secretValue } from '../read/secret-value.js'
import { catalogueOf } from '../routes/catalogue.js'
import type { RouteSettings } from '../settings/route-settings.js'
import type { Catalogue, Settings } from '../settings/settings.js'
import type { UpstreamSettings } from '../settings/upstream-settings.js'
import { frozen } from './frozen.js'
import type { Steps } from './steps.js'

/** What can be sent; it holds the secrets of the settings. */
export interface SettingsParcels {
  /** Everything but the routes. */
  rest: unknown
  routes: readonly unknown[][]
}

const routesOfParcel = 100

/** Throws Error when something among them cannot be sent. */
export function packSettings(settings: Settings): SettingsParcels {
  const { routes, catalogue, upstreams, ...rest } = settings
  const { own, language, resources, permissions } = catalogue
  const packedUpstreams = [...upstreams].map(([name, upstream]) => {
    const { description } = upstream
    return [name, packed(undescribed(upstream)), description === undefined ? undefined : documentOf(description)]
  })
  const packedRoutes = routes.map((route) => packed(undescribed(route)))
  return {
    rest: {
      ...(packed(rest) as object),
      catalogue: { own, language, resources: packed(resources), permissions: packed(permissions) },
      upstreams: packedUpstreams,
    },
    routes: parcelsOf(packedRoutes),
  }
}

/**
 * The settings that were packed, frozen; `next` gives a parcel of routes at a time, undefined when it was the last.
 */
export function* unpackSettings(rest: unknown, next: () => readonly unknown[] | undefined): Steps<Settings> {
  const { catalogue, upstreams, ...others } = rest as PackedRest
  const settings = unpacked(others) as Omit<Settings, 'routes' | 'catalogue' | 'upstreams'>
  yield
  const byName = new Map<string, UpstreamSettings>()
  for (const [name, upstream, document] of upstreams) {
    const one = unpacked(upstream) as UpstreamSettings
    byName.set(name, document === undefined ? one : { ...one, description: describeService(document) })
    yield
  }
  const routes: RouteSettings[] = []
  const same = sharedLists()
  for (let parcel = next(); parcel !== undefined; parcel = next()) {
    for (const one of parcel) {
      const route = unpacked(one) as RouteSettings
      const description = byName.get(route.upstream)?.description
      const described = route.description === undefined || description === undefined ? {} : { description }
      routes.push(frozen({ ...route, limits: same(route.limits), ...described }))
      yield
    }
  }
  const { own, language, resources, permissions } = catalogue
  const known = unpacked(resources) as Catalogue['resources']
  const definitions = unpacked(permissions) as Catalogue['permissions']
  return frozen({
    ...settings,
    catalogue: catalogueOf(known.get(own.id) ?? own, known, definitions, language),
    upstreams: byName,
    routes,
  })
}

/** With a mark where the description stood: rules are compared in the order of their settings. */
function undescribed<T extends { description?: unknown }>(thing: T): unknown {
  return thing.description === undefined ? thing : { ...thing, description: true }
}

interface PackedRest {
  catalogue: { own: Catalogue['own']; language: Catalogue['language']; resources: unknown; permissions: unknown }
  upstreams: readonly (readonly [name: string, upstream: unknown, document: string | undefined])[]
}

/** Bytes stand for a secret: settings have none of their own. `known` keeps what is one object one object. */
function packed(value: unknown, known = new Map<object, unknown>()): unknown {
  if (typeof value === 'function') throw new Error('a function among the settings cannot be sent')
  if (typeof value !== 'object' || value === null) return value
  const before = known.get(value)
  if (before !== undefined) return before
  const copy = packedObject(value, (item) => packed(item, known))
  known.set(value, copy)
  return copy
}

function packedObject(value: object, inner: (item: unknown) => unknown): unknown {
  if (isSecret(value)) return new TextEncoder().encode(value.reveal())
  if (Array.isArray(value)) return value.map(inner)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, inner(item)]))
  if (value instanceof Set) return new Set([...value].map(inner))
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('an object of a class cannot be sent')
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]))
}

function isSecret(value: object): value is SecretValue {
  return 'reveal' in value && typeof value.reveal === 'function'
}

/** Changes what it is given, which nobody else has: secrets take their places again. */
function unpacked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return secretValue(new TextDecoder().decode(value))
  if (value instanceof Set || isSecret(value)) return value
  if (value instanceof Map) for (const [key, item] of value) value.set(key, unpacked(item))
  else for (const [key, item] of Object.entries(value)) if (isObject(item)) Reflect.set(value, key, unpacked(item))
  return value
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function parcelsOf(all: readonly unknown[]): unknown[][] {
  const count = Math.ceil(all.length / routesOfParcel)
  return Array.from({ length: count }, (_, i) => all.slice(i * routesOfParcel, (i + 1) * routesOfParcel))
}

/** Lists of the same names become one list: the limiter compiles each only once. */
function sharedLists(): (list: readonly string[]) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (list) => {
    const key = JSON.stringify(list)
    const before = known.get(key)
    if (before === undefined) known.set(key, list)
    return before ?? list
  }
}

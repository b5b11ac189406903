// What differs between two configurations in their rules, by the names that people gave: for the log, and for the
// caller of a reload.

import { createHash } from 'node:crypto'
import type { Steps } from '../reload/steps.js'
import type { Settings } from '../settings/settings.js'

/** Names that came, went, or mean something else now. */
export interface NamedChanges {
  added: string[]
  removed: string[]
  changed: string[]
}

/** By section of the file. Of another resource than the own one, a permission is `resource/id`. */
export type RuleChanges = Record<
  'routes' | 'upstreams' | 'limits' | 'plans' | 'issuers' | 'permissions' | 'resources' | 'defaults',
  NamedChanges
>

type Rules = Pick<
  Settings,
  'routes' | 'upstreams' | 'limits' | 'plans' | 'defaultPlan' | 'issuers' | 'tokenLimits' | 'catalogue'
>

/** Where something stands in its file is no difference. */
export function* ruleChanges(before: Rules, after: Rules): Steps<RuleChanges> {
  const differing = (read: (rules: Rules) => Iterable<readonly [string, unknown]>) =>
    namedChanges(new Map(read(before)), new Map(read(after)))
  return {
    routes: yield* differing(({ routes }) => routes.map((route) => [route.id, route])),
    upstreams: yield* differing(({ upstreams }) => upstreams),
    limits: yield* differing(({ limits }) => limits),
    plans: yield* differing(({ plans }) => plans),
    issuers: yield* differing(({ issuers }) => issuers),
    permissions: yield* differing(({ catalogue }) =>
      catalogue.permissions.map((one) => [nameOf(one, catalogue.own.id), one]),
    ),
    resources: yield* differing(({ catalogue }) => catalogue.resources),
    defaults: yield* differing(({ tokenLimits, defaultPlan }) => [
      ['tokenLimits', tokenLimits],
      ['plan', defaultPlan ?? ''],
    ]),
  }
}

/** Whether nothing came, went or changed. */
export function isEmpty(changes: RuleChanges): boolean {
  return Object.values(changes).every(
    ({ added, removed, changed }) => added.length + removed.length + changed.length === 0,
  )
}

/**
 * The same for two things that say the same, wherever they stand; secrets are told apart and cannot be read from it.
 */
export function fingerprint(thing: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(comparable(thing)))
    .digest('base64url')
}

function* namedChanges(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): Steps<NamedChanges> {
  const changed: string[] = []
  for (const [name, thing] of after) {
    yield
    if (before.has(name) && fingerprint(before.get(name)) !== fingerprint(thing)) changed.push(name)
  }
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed,
  }
}

function nameOf({ id, resource }: { id: string; resource: string }, own: string): string {
  return resource === own ? id : `${resource}/${id}`
}

function comparable(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('reveal' in value && typeof value.reveal === 'function') return { secret: String(value.reveal()) }
  if (Array.isArray(value)) return value.map(comparable)
  if (value instanceof Set) return [...value].map(comparable)
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value)
  return entries.filter(([key]) => key !== 'position').map(([key, item]) => [key, comparable(item)])
}

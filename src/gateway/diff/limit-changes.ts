// What a change of the configuration makes of limits: the policies themselves, and which of them a route has.

import type { LimitPolicy } from '../../config/settings/limit-settings.js'
import { type AccessRules, operationsOf } from './access-table.js'

export interface LimitChange {
  /** A policy, the list of a route, or that of the token endpoint. */
  of: 'limit' | 'route' | 'token'
  name: string
  /** In words; null: it is not there. */
  before: string | null
  after: string | null
}

/** The changes: policies by name, then lists of routes that are in both by id. */
export function limitChanges(before: AccessRules, after: AccessRules): readonly LimitChange[] {
  const routes = (rules: AccessRules) => new Map(rules.routes.flatMap(listsOf))
  const texts = (rules: AccessRules) => new Map([...rules.limits].map(([name, policy]) => [name, policyText(policy)]))
  const [was, is] = [routes(before), routes(after)]
  const kept = [...was.keys()].filter((id) => is.has(id))
  return [
    ...changesOf('limit', texts(before), texts(after)),
    ...changesOf('token', new Map([['', listText(before.tokenLimits)]]), new Map([['', listText(after.tokenLimits)]])),
    ...kept.flatMap((id) => changesOf('route', new Map([[id, was.get(id) ?? '']]), new Map([[id, is.get(id) ?? '']]))),
  ]
}

/** Of an operation of an MCP server the one that it says itself. */
function listsOf({ id, limits, mcp }: AccessRules['routes'][number]): [string, string][] {
  const operations = mcp === undefined ? [] : [...operationsOf(mcp)]
  return [
    [id, listText(limits)],
    ...operations.map(([name, own]): [string, string] => [
      `${id} ${name}`,
      own.limits === undefined ? 'those of the route' : listText(own.limits),
    ]),
  ]
}

function changesOf(
  of: LimitChange['of'],
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): LimitChange[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names]
    .map((name) => ({ of, name, before: before.get(name) ?? null, after: after.get(name) ?? null }))
    .filter((change) => change.before !== change.after)
}

/** Sorted, or `none`. */
export function listText(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.toSorted().join(', ')
}

/** Such as `10 in 1 s by application, 1 at once`. */
export function policyText({ name: _, position: __, by, algorithm, ...rest }: LimitPolicy): string {
  const { kind, limit, periodMs } = algorithm
  const burst = kind === 'rate' ? `, ${algorithm.burst} at once` : ''
  const said = Object.entries(rest).filter(([, value]) => value !== false && value !== undefined)
  const further = said.map(([key, value]) => (value === true ? `, ${key}` : `, ${key} ${String(value)}`))
  return `${limit} in ${periodMs / 1000} s by ${by.join(' and ')}${burst}${further.join('')}`
}

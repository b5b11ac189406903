// Limits and the lists that name them.

import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import { LIMITS_THERE_ARE } from '../schema/limits.js'
import type { LimitPolicy } from '../settings/limit-settings.js'
import { algorithmOf, sharingOf } from './limit-numbers.js'

type LimitOfFile = Partial<ConfigurationFile['limits'][string]>

/** Reads `limits`, and adds those of the default that it does not define. Mistakes go to the report. */
export function compileLimits(file: ConfigurationFile, report: Report): ReadonlyMap<string, LimitPolicy> {
  const policies = new Map<string, LimitPolicy>()
  for (const [name, entry] of Object.entries<LimitOfFile>({ ...LIMITS_THERE_ARE, ...file.limits })) {
    const path: Path = ['limits', name]
    const by = typeof entry.by === 'string' ? [entry.by] : (entry.by ?? [])
    const sharing = sharingOf(file, entry, path, report)
    const position = report.places.position(path, 'key')
    const algorithm = algorithmOf(entry, path, report)
    policies.set(name, { name, by, algorithm, ...sharing, shadow: entry.shadow ?? false, position })
  }
  return policies
}

/** The names of a list that limits have; the others are reported, and so is one that stands there twice. */
export function knownLimits(
  names: readonly string[],
  path: Path,
  limits: ReadonlyMap<string, LimitPolicy>,
  report: Report,
): readonly string[] {
  for (const [index, name] of names.entries()) {
    const at = [...path, index]
    if (names.indexOf(name) < index) report.problem(at, `${report.places.quoted(at)} stands in this list already`)
    if (!limits.has(name)) reportUnknown(name, at, limits, report)
  }
  return names.filter((name) => limits.has(name))
}

/**
 * What a route's own list makes of the default one: another list, or the default one with `+name` and `-name` applied.
 */
export function adjustedLimits(
  list: { names: readonly string[]; path: Path },
  defaults: readonly string[],
  limits: ReadonlyMap<string, LimitPolicy>,
  report: Report,
): readonly string[] {
  const { names, path } = list
  const changes = names.filter((name) => /^[+-]/.test(name))
  if (changes.length === 0) return knownLimits(names, path, limits, report)
  if (changes.length < names.length) {
    report.problem(path, 'is either a list of names, or of +name and -name; not both')
    return defaults
  }
  const result = new Set(defaults)
  for (const [index, change] of changes.entries()) {
    const at = [...path, index]
    const name = change.slice(1)
    if (!limits.has(name)) reportUnknown(name, at, limits, report)
    else if (change.startsWith('+')) result.add(name)
    else if (!result.delete(name)) report.problem(at, `${JSON.stringify(name)} is not one of the default limits`)
  }
  return [...result]
}

/**
 * Reports what a request of this cost could never get from one of the limits; `path` is where the cost stands, `section`
 * where the limits do. `subject`: what costs so much, where the cost does not stand at `path`.
 */
export function checkCost(
  cost: number,
  path: Path,
  names: readonly string[],
  {
    limits,
    report,
    section = 'limits',
    subject = '',
  }: { limits: ReadonlyMap<string, LimitPolicy>; report: Report; section?: string; subject?: string },
): void {
  for (const name of names) {
    const policy = limits.get(name)
    const most = policy === undefined ? cost : mostAtOnce(policy)
    if (policy === undefined || cost <= most) continue
    const what = `${subject}is more than the limit ${JSON.stringify(name)} ever lets through at once, which is ${most}`
    const remedy = `give ${section}.${name} a ${leastFor(cost, policy)} or more, lower this cost, or leave the limit out here`
    report.problem(path, `${what}; ${remedy}`)
  }
}

/** Of a leased rate a quarter of the burst at most is held back for what is leased (decision 45). */
function mostAtOnce({ algorithm, mode }: LimitPolicy): number {
  if (algorithm.kind === 'quota') return algorithm.limit
  return mode === 'leased' ? Math.max(1, Math.floor((algorithm.burst * 3) / 4)) : algorithm.burst
}

/** The least with which mostAtOnce is so much. */
function leastFor(cost: number, { algorithm, mode }: LimitPolicy): string {
  if (algorithm.kind === 'quota') return `quota of ${cost}`
  return `burst of ${mode === 'leased' ? Math.ceil((cost * 4) / 3) : cost}`
}

function reportUnknown(name: string, path: Path, limits: ReadonlyMap<string, LimitPolicy>, report: Report): void {
  report.unknown(path, { what: 'limit', name, section: ['limits'], known: limits.keys() })
}

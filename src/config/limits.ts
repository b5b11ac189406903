// Limits and the lists that name them.

import type { Path, Report } from './report.js'
import type { ConfigurationFile } from './schema/file.js'
import type { LimitPolicy } from './settings.js'
import { didYouMean } from './suggest.js'
import { quantity } from './units.js'

type LimitOfFile = Partial<ConfigurationFile['limits'][string]>

/** Reads `limits`. Mistakes go to the report. */
export function compileLimits(file: ConfigurationFile, report: Report): ReadonlyMap<string, LimitPolicy> {
  const policies = new Map<string, LimitPolicy>()
  for (const [name, entry] of Object.entries(file.limits)) {
    const path: Path = ['limits', name]
    const by = typeof entry.by === 'string' ? [entry.by] : (entry.by ?? [])
    policies.set(name, { name, by, algorithm: algorithmOf(entry, path, report) })
  }
  return policies
}

/** The names of a list that limits have; the others are reported, and so is one that stands there twice. */
export function knownLimits(
  names: readonly string[],
  path: Path,
  limits: ReadonlyMap<string, LimitPolicy>,
  report: Report,
): string[] {
  return names.filter((name, index) => {
    const at = [...path, index]
    const isKnown = limits.has(name)
    if (names.indexOf(name) < index) report.problem(at, `${report.quoted(at)} stands in this list already`)
    if (!isKnown) report.problem(at, unknownLimit(name, at, limits, report))
    return isKnown
  })
}

/** What a route's own list makes of the default one: another list, or the default one with `+name` and `-name` applied. */
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
    if (!limits.has(name)) report.problem(at, unknownLimit(name, at, limits, report))
    else if (change.startsWith('+')) result.add(name)
    else if (!result.delete(name)) report.problem(at, `${JSON.stringify(name)} is not one of the default limits`)
  }
  return [...result]
}

function algorithmOf(entry: LimitOfFile, path: Path, report: Report): LimitPolicy['algorithm'] {
  const isWhole = !report.isBroken(path)
  if (isWhole && entry.rate === undefined && entry.quota === undefined)
    report.problem(path, 'needs a rate or a quota', 'key')
  if (entry.rate !== undefined && entry.quota !== undefined) {
    report.problem([...path, 'quota'], 'a limit is a rate or a quota; make it two limits', 'key')
  }
  if (entry.burst !== undefined && entry.rate === undefined && isWhole) {
    report.problem([...path, 'burst'], 'a burst belongs to a rate', 'key')
  }
  if (entry.quota !== undefined) return { kind: 'quota', ...quantity.rate(entry.quota) }
  const { limit, periodMs } = quantity.rate(entry.rate ?? '1/s')
  return { kind: 'rate', limit, periodMs, burst: entry.burst ?? Math.max(1, Math.ceil(limit / 10)) }
}

function unknownLimit(name: string, path: Path, limits: ReadonlyMap<string, LimitPolicy>, report: Report): string {
  const hint = report.shownText(path) === '' ? '' : didYouMean(name, limits.keys())
  return `there is no limit ${JSON.stringify(name)}${hint}`
}

// What a running process keeps until its end, whatever its file says meanwhile: everything but the rules. A reload
// compiles new rules for the process as it runs, and tells which of the other settings wait for the next start.

import type { Problem } from '../report/problem.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import { isReloaded } from '../schema/rules.js'
import type { Path } from './places.js'

/** The settings of a file that are no rules. Behind a function, so that no output shows the secrets among them. */
export type FixedSections = () => Readonly<Partial<ConfigurationFile>>

/** Of a file whose shape was checked. */
export function fixedSections(file: ConfigurationFile): FixedSections {
  const fixed = Object.entries(structuredClone(file)).filter(([section]) => !isReloaded(section))
  const sections: Partial<ConfigurationFile> = Object.fromEntries(fixed)
  return () => sections
}

/**
 * What of a file differs from what runs and is no rule, each with where it stands; `report` knows the file's places.
 */
export function waitingForStart(running: FixedSections, next: FixedSections, report: Report): readonly Problem[] {
  const paths = differences(running(), next(), [])
  return paths.map((path) => report.note(path, 'takes effect at the next start'))
}

function differences(one: unknown, other: unknown, path: Path): readonly Path[] {
  if (!isMapping(one) || !isMapping(other)) return JSON.stringify(one) === JSON.stringify(other) ? [] : [path]
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].flatMap((name) => differences(one[name], other[name], [...path, name]))
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

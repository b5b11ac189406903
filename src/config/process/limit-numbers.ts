// What a limit says of its numbers and how they are counted, wherever it stands.

import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { LimitPolicy } from '../settings/limit-settings.js'
import { quantity } from './units.js'

type Numbers = Partial<Omit<ConfigurationFile['limits'][string], 'by'>>

/**
 * How instances count together. Shares taken ahead are the default where there is something to take them from; one
 * process alone counts exactly, whatever its limits say.
 */
export function sharingOf(
  file: ConfigurationFile,
  { mode, onDown }: Numbers,
  path: Path,
  report: Report,
): Required<Pick<LimitPolicy, 'mode' | 'onDown'>> {
  const isShared = file.redis.url !== ''
  if (!isShared && file.store.url !== '' && (mode === 'strict' || mode === 'leased')) {
    report.problem([...path, 'mode'], 'several instances on PostgreSQL cannot count together without redis.url')
  }
  if (mode === 'local' && onDown !== undefined) {
    report.warning([...path, 'onDown'], 'means nothing here: a local limit does not ask Redis')
  }
  return { mode: mode ?? (isShared ? 'leased' : 'local'), onDown: onDown ?? 'local' }
}

/** The numbers of a limit; what is wrong with them goes to the report. */
export function algorithmOf(entry: Numbers, path: Path, report: Report): LimitPolicy['algorithm'] {
  const isWhole = !report.isBroken(path)
  if (isWhole && entry.rate === undefined && entry.quota === undefined) {
    report.missing(path, 'needs a rate or a quota')
  }
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

// Which engine answers in PostgreSQL's protocol. Several do and keep other promises: advisory locks that lock nothing,
// isolation levels that are other levels. One that is not known is refused (decision 0144).

import { UnsafeDatabase } from './unsafe-database.js'

/** `other`: the operator takes an engine that is not known here; it is tried at each start (engine-trial.ts). */
export type EngineChoice = 'postgresql' | 'other'

/** Names that stand in `version()` of engines that are not PostgreSQL. */
const others: readonly (readonly [RegExp, string])[] = [
  [/cockroach/i, 'CockroachDB'],
  [/-YB-|yugabyte/i, 'YugabyteDB'],
  [/redshift/i, 'Amazon Redshift'],
  [/greenplum|cloudberry/i, 'Greenplum'],
  [/materialize/i, 'Materialize'],
  [/risingwave/i, 'RisingWave'],
  [/crate/i, 'CrateDB'],
  [/questdb/i, 'QuestDB'],
  [/gauss/i, 'openGauss'],
  [/\bemcc\b|emscripten/i, 'PGlite'],
]

/** `PostgreSQL 15.8 (Debian 15.8-0+deb12u1) on x86_64-pc-linux-gnu, compiled by …`; in brackets is who packed it. */
const postgresql =
  /^PostgreSQL \d+(?:\.\d+|beta\d+|rc\d+|devel)?(?: \((?:Debian|Ubuntu|Raspbian|Homebrew|Postgres\.app|EnterpriseDB|RDS|PGDG)[^()]*\))?(?: - Percona [\w. -]*)? on \S+/

/** Throws UnsafeDatabase for an engine that the choice does not cover; `version` is what `version()` answers. */
export function requireEngine(version: string, choice: EngineChoice): void {
  if (choice === 'other') return
  const name = others.find(([pattern]) => pattern.test(version))?.[1]
  if (name === undefined && postgresql.test(version)) return
  throw new UnsafeDatabase(
    `the database is ${name ?? 'an engine that is not known here'}, not PostgreSQL: ` +
      'it may not keep what Portcullis relies on. ' +
      'store.postgresql.engine: other tries it at each start, and takes it when it passes',
  )
}

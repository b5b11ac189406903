// The history of a schema: what a migration is, and which of them a database lacks. The same for both engines.

/** One step of the schema. Its statements are in the subset of SQL that both engines share. */
export interface Migration {
  version: number
  name: string
  /** Each a single statement without parameters. */
  statements: readonly string[]
}

/** The database belongs to a newer program, or to a history that is not this one's. Nothing was changed. */
export class UnknownSchema extends Error {
  readonly code = 'unknown_schema'
}

/** The statement that makes the table in which a database notes its migrations. */
export const historyTable =
  'create table if not exists schema_migrations (version bigint primary key, name text not null, applied_at bigint not null)'

/** A migration that a database has been through. */
export interface AppliedMigration {
  version: number
  name: string
}

/** What `history` has beyond `applied`. Throws UnknownSchema when `applied` is not its beginning. */
export function missingMigrations(
  history: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  applied.forEach((row, index) => {
    const known = history[index]
    if (known === undefined) {
      throw new UnknownSchema(
        `the database has schema version ${row.version}, this program knows ${history.length}: ` +
          'start the version of Portcullis that made it so, or restore a backup of before',
      )
    }
    if (known.version !== row.version || known.name !== row.name) {
      throw new UnknownSchema(`schema version ${row.version} is "${row.name}" in the database, "${known.name}" here`)
    }
  })
  return history.slice(applied.length)
}

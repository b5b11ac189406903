// What stands around a PostgreSQL: Aurora's storage, or Citus, which spreads tables over several servers.

import type { PostgresConnection } from './postgresql-pool.js'
import { UnsafeDatabase } from './unsafe-database.js'

/** PostgreSQL with something around it, for people. */
export interface EngineFacts {
  version: string
  isAurora: boolean
  hasCitus: boolean
}

const around = `select version() as version,
  to_regproc('aurora_version') is not null as aurora,
  to_regclass('pg_dist_partition') is not null as citus`

/** Asks what stands around PostgreSQL. Throws UnsafeDatabase where Citus has spread our tables over several servers. */
export async function readEngine(connection: PostgresConnection): Promise<EngineFacts> {
  const { rows } = await connection.run(around)
  const facts = { version: String(rows[0].version), isAurora: rows[0].aurora === 1, hasCitus: rows[0].citus === 1 }
  if (facts.hasCitus && (await isSpread(connection))) {
    throw new UnsafeDatabase(
      'Citus has spread tables of this database over several servers, where transactions are not serializable: ' +
        'undistribute_table() brings them back to the coordinator',
    )
  }
  return facts
}

async function isSpread(connection: PostgresConnection): Promise<boolean> {
  const { rows } = await connection.run(
    `select exists (select 1 from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
      where c.relnamespace = current_schema()::regnamespace) as spread`,
  )
  return rows[0].spread === 1
}

// Queries of leases: who does what only one instance should do at a time. No clock is compared here: wall clocks of
// instances may differ. A lease saves work, it does not keep anything safe. What its holder does is harmless when done
// twice.

import { sql } from 'kysely'
import type { Statements } from '../store.js'

export interface Lease {
  /** The instance that has it. */
  holder: string
  /** Epoch milliseconds by the clock of its holder; each renewal changes it. */
  endsAt: number
}

/** The lease as it is written down; undefined when nobody has taken it, or it was given back. */
export async function readLease(statements: Statements, name: string): Promise<Lease | undefined> {
  const query = statements.selectFrom('leases').select(['holder', 'ends_at as endsAt']).where('name', '=', name)
  return query.executeTakeFirst()
}

/**
 * Takes or renews a lease in one conditional statement; false while it is somebody else's. `over`: the lease of another
 * that may be taken away, as long as it is still the same.
 */
export async function takeLease(
  tx: Statements,
  lease: { name: string; holder: string; endsAt: number; over: Lease | undefined },
): Promise<boolean> {
  const { name, holder, endsAt, over } = lease
  const taken = await tx
    .insertInto('leases')
    .values({ name, holder, ends_at: endsAt })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, ends_at: endsAt })
        .where((held) => {
          const own = held('leases.holder', '=', holder)
          if (over === undefined) return own
          const same = held.and([held('leases.holder', '=', over.holder), held('leases.ends_at', '=', over.endsAt)])
          return held.or([own, same])
        }),
    )
    .returning('holder')
    .executeTakeFirst()
  return taken !== undefined
}

/** Gives a lease back; nothing happens when it is somebody else's by now. */
export async function releaseLease(tx: Statements, lease: { name: string; holder: string }): Promise<void> {
  await tx.deleteFrom('leases').where('name', '=', lease.name).where('holder', '=', lease.holder).execute()
}

/** The clock of the database's server, in epoch milliseconds. PostgreSQL only. */
export async function readServerClock(statements: Statements): Promise<number> {
  const clock = sql<number>`extract(epoch from clock_timestamp()) * 1000`
  const { at } = await statements.selectNoFrom(clock.as('at')).executeTakeFirstOrThrow()
  return Number(at)
}

// Queries of leases: who does what only one instance should do at a time. The clocks are those of the instances, which
// may differ: a lease saves work, it does not keep anything safe. What its holder does is harmless when done twice.

import type { Statements } from '../store.js'

export interface LeaseRequest {
  name: string
  /** The instance that asks. */
  holder: string
  /** Epoch milliseconds: a lease that ended by now is anybody's. */
  now: number
  /** Epoch milliseconds. */
  endsAt: number
}

/** Takes or renews a lease in one conditional statement; false while it is somebody else's. */
export async function takeLease(tx: Statements, lease: LeaseRequest): Promise<boolean> {
  const { name, holder, now, endsAt } = lease
  const taken = await tx
    .insertInto('leases')
    .values({ name, holder, ends_at: endsAt })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, ends_at: endsAt })
        .where((held) => held.or([held('leases.holder', '=', holder), held('leases.ends_at', '<=', now)])),
    )
    .returning('holder')
    .executeTakeFirst()
  return taken !== undefined
}

/** Gives a lease back; nothing happens when it is somebody else's by now. */
export async function releaseLease(tx: Statements, lease: { name: string; holder: string }): Promise<void> {
  await tx.deleteFrom('leases').where('name', '=', lease.name).where('holder', '=', lease.holder).execute()
}

/** Who has the lease; undefined when nobody does at `now`, in epoch milliseconds. */
export async function findHolder(
  statements: Statements,
  { name, now }: { name: string; now: number },
): Promise<string | undefined> {
  const query = statements.selectFrom('leases').select('holder').where('name', '=', name).where('ends_at', '>', now)
  return (await query.executeTakeFirst())?.holder
}

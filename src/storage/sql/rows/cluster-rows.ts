// The tables of the numbered change log, of who follows it, and of who leads. Text ids, epoch milliseconds, as in
// tables.ts, which takes these in.

/** One row: the number of the newest change. Its row lock makes commit order the sequence. */
interface FeedHeadTable {
  id: number
  seq: number
}

/** Numbers that the log never gave: above `after_seq` and below `until_seq`. Pruned after the longest token life. */
interface FeedGapsTable {
  until_seq: number
  after_seq: number
  at: number
}

/**
 * The change log that every instance follows. `body` is the JSON of a ChangeEntry. Pruned after the longest token life.
 */
interface ChangesTable {
  seq: number
  at: number
  body: string
}

/**
 * The instances that follow the change log; see storage/changes/acknowledgements.ts. A row whose instance died is
 * pruned.
 */
interface InstancesTable {
  id: string
  started_at: number
  seen_at: number
  /** The newest change that it has applied. */
  applied_seq: number
  /** For people. */
  name: string
}

/** Who does what only one instance does at a time, until when by the clocks of those who ask. */
interface LeasesTable {
  name: string
  holder: string
  ends_at: number
}

/** Their part of the tables. */
export interface ClusterTables {
  feed_head: FeedHeadTable
  feed_gaps: FeedGapsTable
  changes: ChangesTable
  instances: InstancesTable
  leases: LeasesTable
}

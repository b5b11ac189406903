// Which instances share this database. Each notes itself there (the shared Feed does, with what it has applied); here
// the list is read once a second, of more than a few less often, so that limits know by how many to divide and people see who is there.

import { processTimers, type Timers } from '../storage/changes/timers.js'
import { type InstanceRow, listInstances } from '../storage/sql/cluster/instances.js'
import { pauseFactor } from '../storage/sql/cluster/list-pauses.js'
import { isSameSign } from '../storage/sql/cluster/signs-of-life.js'
import type { Store } from '../storage/sql/store.js'

export interface Membership {
  readonly instanceId: string
  /** How many live, this one included; the last answer while the Store is away. Never less than one. */
  count(): number
  /** Those that live, as last read. */
  members(): readonly InstanceRow[]
  /**
   * By how many milliseconds the wall clock of each other one that lives is ahead of this one's, at least; behind:
   * negative. Undefined: nobody knows yet.
   */
  clockDifferences(): readonly (number | undefined)[]
  /** How far the one that differs most is, either way. */
  skewMs(): number
  /** Reads the list, then again about every second, of more than 32 every second for each 32. Throws StoreUnavailable the first time. */
  begin(): Promise<void>
  end(): void
}

/** What is known of a member; `changedAt` by the monotonic clock, `differsMs` once its row was seen to change. */
interface Sign {
  member: InstanceRow
  changedAt: number
  differsMs: number | undefined
}

const readEveryMs = 1_000
/** A row that changed between two readings may be so old, without any clock being wrong. */
const oldestNewsMs = 3_000

/**
 * The members of a shared Store. One counts for as long as its row changes every `silentMs` by this instance's
 * monotonic clock: wall clocks may differ, and a row of a dead instance stays as it is.
 */
export function createMembership(options: {
  store: Pick<Store, 'reader'>
  instanceId: string
  silentMs: number
  /** Epoch milliseconds. */
  now: () => number
  monotonic: () => number
  onError: (error: unknown) => void
  /** Absent: the process's. */
  timers?: Timers
}): Membership {
  const { store, instanceId, silentMs, now, monotonic, onError, timers = processTimers } = options
  let lastSigns = new Map<string, Sign>()
  let alive: readonly Sign[] = []
  let cancel = (): void => {}
  let ended = false

  async function read(): Promise<void> {
    const members = await listInstances(store.reader, 0)
    const at = monotonic()
    lastSigns = new Map(
      members.map((member) => {
        const before = lastSigns.get(member.id)
        const isSilent = before !== undefined && isSameSign(before.member, member)
        const differsMs = isNews(member, before) ? difference(now() - member.seenAt) : before?.differsMs
        return [member.id, { member, changedAt: isSilent ? before.changedAt : at, differsMs }]
      }),
    )
    alive = [...lastSigns.values()].filter(
      ({ member, changedAt }) => member.id === instanceId || at - changedAt <= silentMs,
    )
  }
  /** Another's row that was written since the last reading: of an older one nobody knows how old it is. */
  const isNews = ({ id, seenAt }: InstanceRow, before: Sign | undefined): boolean =>
    id !== instanceId && before !== undefined && before.member.seenAt !== seenAt
  const clockDifferences = () =>
    alive.filter(({ member }) => member.id !== instanceId).map(({ differsMs }) => differsMs)
  const again = (): void => {
    if (ended) return
    cancel = timers.after(readEveryMs * pauseFactor(lastSigns.size) * (0.75 + timers.random() / 2), () => {
      read().catch(onError).finally(again)
    })
  }

  return {
    instanceId,
    // Limits ask for every request: what the last reading made of it.
    count: () => Math.max(1, alive.length),
    members: () => alive.map(({ member }) => member),
    clockDifferences,
    skewMs: () => Math.max(0, ...clockDifferences().map((ms = 0) => Math.abs(ms))),
    async begin() {
      await read()
      again()
    },
    end() {
      ended = true
      cancel()
    },
  }
}

/** Milliseconds by which a clock is ahead (behind: negative) at least, for a row that seems `ageMs` old. */
function difference(ageMs: number): number {
  return ageMs < 0 ? -ageMs : -Math.max(0, ageMs - oldestNewsMs)
}

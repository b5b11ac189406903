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
  /** How far the wall clock of the instance that differs most is from this one's, as far as their rows tell. */
  skewMs(): number
  /** Reads the list, then again about every second, of more than 32 every second for each 32. Throws StoreUnavailable the first time. */
  begin(): Promise<void>
  end(): void
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
  let lastSigns = new Map<string, { changedAt: number; member: InstanceRow }>()
  let alive: readonly InstanceRow[] = []
  let skewMs = 0
  let cancel = (): void => {}
  let ended = false

  async function read(): Promise<void> {
    const members = await listInstances(store.reader, 0)
    const at = monotonic()
    const news = members.filter((member) => isNews(member))
    skewMs = Math.max(0, ...news.map(({ seenAt }) => difference(now() - seenAt)))
    lastSigns = new Map(
      members.map((member) => {
        const before = lastSigns.get(member.id)
        const isSilent = before !== undefined && isSameSign(before.member, member)
        return [member.id, isSilent ? before : { changedAt: at, member }]
      }),
    )
    alive = [...lastSigns.values()]
      .filter(({ member, changedAt }) => member.id === instanceId || at - changedAt <= silentMs)
      .map(({ member }) => member)
  }
  /** Another's row that was written since the last reading. */
  const isNews = ({ id, seenAt }: InstanceRow): boolean => {
    const before = lastSigns.get(id)?.member.seenAt
    return id !== instanceId && before !== undefined && before !== seenAt
  }
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
    members: () => alive,
    skewMs: () => skewMs,
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

/** Milliseconds by which a clock is wrong at least, for a row that seems `ageMs` old. */
function difference(ageMs: number): number {
  return ageMs < 0 ? -ageMs : Math.max(0, ageMs - oldestNewsMs)
}

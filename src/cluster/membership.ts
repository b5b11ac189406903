// Which instances share this database. Each notes itself there (the shared Feed does, with what it has applied); here
// the list is read once a second, so that limits know by how many to divide and people see who is there.

import { type InstanceRow, listInstances } from '../storage/sql/cluster/instances.js'
import type { Store } from '../storage/sql/store.js'

export interface Membership {
  readonly instanceId: string
  /** How many live, this one included; the last answer while the Store is away. Never less than one. */
  count(): number
  /** Those that live, as last read. */
  members(): readonly InstanceRow[]
  /** How far the wall clock of the instance that differs most is from this one's, as far as their rows tell. */
  skewMs(): number
  /** Reads the list, then again about every second. Throws StoreUnavailable the first time. */
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
}): Membership {
  const { store, instanceId, silentMs, now, monotonic, onError } = options
  let lastSigns = new Map<string, { sign: string; changedAt: number; member: InstanceRow }>()
  let alive: readonly InstanceRow[] = []
  let skewMs = 0
  let timer: NodeJS.Timeout | undefined
  let ended = false

  async function read(): Promise<void> {
    const members = await listInstances(store.reader, 0)
    const at = monotonic()
    const news = members.filter((member) => isNews(member))
    skewMs = Math.max(0, ...news.map(({ seenAt }) => difference(now() - seenAt)))
    lastSigns = new Map(
      members.map((member) => {
        const sign = `${member.startedAt} ${member.seenAt} ${member.appliedSeq}`
        const before = lastSigns.get(member.id)
        return [member.id, { sign, changedAt: before?.sign === sign ? before.changedAt : at, member }]
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
    timer = setTimeout(
      () => {
        read().catch(onError).finally(again)
      },
      readEveryMs * (0.75 + Math.random() / 2),
    ).unref()
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
      clearTimeout(timer)
    },
  }
}

/** Milliseconds by which a clock is wrong at least, for a row that seems `ageMs` old. */
function difference(ageMs: number): number {
  return ageMs < 0 ? -ageMs : Math.max(0, ageMs - oldestNewsMs)
}

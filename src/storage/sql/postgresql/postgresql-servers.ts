// Which of several servers is the primary. Each promotion begins a new timeline, so of two that both call themselves
// primary the one of the higher timeline is; the other was left behind and takes writes that will be lost. A server of
// an earlier timeline than one seen is never used, also where the URL names one host (decision 0144).

import { StoreUnavailable } from '../store.js'
import type { PostgresHost } from './postgresql-address.js'
import type { SessionFacts } from './postgresql-session.js'

export interface PostgresServers {
  /** Where the next connection leads. */
  current(): PostgresHost
  /** Whether there is more than one to choose from. */
  readonly isChoice: boolean
  /** False while several are named and none was looked for since the last doubt: who answers may be a former primary. */
  isChosen(): boolean
  /** A connection broke: the chosen one may have been left behind, or have come back as a former primary. */
  doubt(): void
  /** Throws StoreUnavailable for a server that others have left behind. */
  admit(facts: SessionFacts): void
  /** Looks at all, and chooses; several callers share one round. Throws StoreUnavailable when none can be chosen. */
  look(): Promise<void>
}

export interface PostgresServersOptions {
  servers: readonly [PostgresHost, ...PostgresHost[]]
  /** Connects to one and ends that; rejects when it is no primary. */
  inspect: (server: PostgresHost) => Promise<SessionFacts>
  /** For an engine whose servers all take writes: any that answers. */
  anyServes: boolean
  /** The primary is another one now: connections of before lead to a former one. */
  onChange: () => void
  onError: (error: unknown) => void
}

/** Once one has answered, the others have this long to say that they are the newer primary. */
const GRACE_MS = 500

interface Primary {
  server: PostgresHost
  facts: SessionFacts
}

export function createPostgresServers(options: PostgresServersOptions): PostgresServers {
  const { servers } = options
  const newest = new Map<string, number>()
  let chosen = servers[0]
  let round: Promise<void> | undefined
  let hasWarned = false
  let doubts = 0
  /** The doubt that the last look has answered. */
  let settled = servers.length === 1 ? Number.POSITIVE_INFINITY : -1

  const admit = ({ system, timeline }: SessionFacts): void => {
    if (system === undefined || timeline === undefined) return
    const seen = newest.get(system)
    if (seen !== undefined && timeline < seen) {
      throw new StoreUnavailable(
        `the server is a former primary (timeline ${timeline}, the newest is ${seen}): another was promoted`,
      )
    }
    newest.set(system, timeline)
    // Behind one name, or a proxy that follows the primary, this is all that says so.
    if (seen !== undefined && timeline > seen) options.onChange()
  }
  const choose = async (): Promise<void> => {
    const answers = doubts
    const primaries = await answering(servers, options.inspect)
    const best = options.anyServes ? (same(primaries, chosen) ?? primaries[0]) : newestOf(primaries)
    if (best === undefined) throw new StoreUnavailable('none of the servers of store.url is a primary')
    admit(best.facts)
    // Said once for each time that it begins: whatever reaches the other one writes what will be lost.
    const isDivided = primaries.length > 1 && !options.anyServes
    if (isDivided && !hasWarned) {
      options.onError(new StoreUnavailable('two servers of store.url take writes: stop the former primary'))
    }
    hasWarned = isDivided
    settled = Math.max(settled, answers)
    if (best.server === chosen) return
    chosen = best.server
    options.onChange()
  }
  return {
    isChoice: servers.length > 1,
    isChosen: () => settled >= doubts,
    doubt() {
      doubts += 1
    },
    current: () => chosen,
    admit,
    look() {
      round ??= choose().finally(() => {
        round = undefined
      })
      return round
    },
  }
}

/** Those that are primaries, in their order; who is slower than the first by more than GRACE_MS is not waited for. */
async function answering(
  servers: readonly PostgresHost[],
  inspect: (server: PostgresHost) => Promise<SessionFacts>,
): Promise<Primary[]> {
  const found = new Map<PostgresHost, Primary>()
  let failure: unknown
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    const looks = servers.map((server) =>
      inspect(server).then(
        (facts) => {
          found.set(server, { server, facts })
          timer ??= setTimeout(resolve, GRACE_MS)
        },
        (error: unknown) => {
          failure = error
        },
      ),
    )
    void Promise.all(looks).then(() => resolve())
  })
  clearTimeout(timer)
  if (found.size === 0) {
    throw new StoreUnavailable('none of the servers of store.url is a primary that answers', { cause: failure })
  }
  return servers.flatMap((server) => found.get(server) ?? [])
}

function same(primaries: readonly Primary[], server: PostgresHost): Primary | undefined {
  return primaries.find((primary) => primary.server === server)
}

/** Throws StoreUnavailable where it is not clear which one it is. */
function newestOf(primaries: readonly Primary[]): Primary | undefined {
  if (primaries.length < 2) return primaries[0]
  const [first] = primaries
  const isOneHistory = primaries.every(
    ({ facts }) => facts.system !== undefined && facts.system === first?.facts.system,
  )
  const sorted = [...primaries].sort((a, b) => (b.facts.timeline ?? 0) - (a.facts.timeline ?? 0))
  const [best, next] = sorted
  if (!isOneHistory || best?.facts.timeline === next?.facts.timeline) {
    throw new StoreUnavailable('several servers of store.url take writes, and which is the primary is not clear')
  }
  return best
}

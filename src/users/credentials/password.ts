// Hashes of passwords: argon2id (RFC 9106, the second recommendation's memory scaled to 19 MiB and two passes), two at
// a time. Each takes a core for some ten milliseconds and 19 MiB, so a flood of sign-ins waits here, in a bounded line,
// and never in front of the requests that the gate forwards (U8). The line is fair by address: each has its turn, and
// when it is full the address with the most waiting gives way.

import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { addressGroup } from '../../limits/address-group.js'

/**
 * KiB, passes, lanes, and the variant: 2 is argon2id. Changing them makes every older hash be renewed at its next use.
 */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1, algorithm: 2, outputLen: 32 } as const
const encodedParameters = `$argon2id$v=19$m=${parameters.memoryCost},t=${parameters.timeCost},p=${parameters.parallelism}$`

/** Too many are waiting: answer 503 and let the person try again. */
export class PasswordQueueFull extends Error {
  readonly code = 'password_queue_full'
}

export interface Passwords {
  /** What is stored instead of the password. `address` is whom the work is for. Throws PasswordQueueFull. */
  hash(password: string, address: string): Promise<string>
  /**
   * Whether the password is the one of this hash. Without a hash the same work is done for nothing, so that nobody can
   * tell from the time it takes whether there is such a person (U7). Throws PasswordQueueFull.
   */
  verify(stored: string | null | undefined, password: string, address: string): Promise<boolean>
  /** Whether the hash was made with other parameters than those of today. */
  isOutdated(stored: string): boolean
  /** How many hashes were computed, and how many are waiting: for tests and bounds. */
  readonly counts: { computed: number; waiting: number }
}

/** `parallel`: hashes at the same time; `waiting`: how many more are kept in line. */
export function createPasswords(options: { parallel?: number; waiting?: number } = {}): Passwords {
  const line = createLine(options.parallel ?? 2, options.waiting ?? 64)
  const nobody = `${encodedParameters}${unpadded(randomBytes(16))}$${unpadded(randomBytes(parameters.outputLen))}`
  let computed = 0
  const compute = <T>(address: string, work: () => Promise<T>): Promise<T> =>
    // A network of IPv6 addresses is one visitor, or it would have as many turns as it likes.
    line.run(addressGroup(address), () => {
      computed += 1
      return work()
    })
  return {
    hash: (password, address) => compute(address, () => hash(password, parameters)),
    verify: async (stored, password, address) => {
      const matches = await compute(address, () => verify(stored ?? nobody, password))
      return matches && typeof stored === 'string'
    },
    isOutdated: (stored) => !stored.startsWith(encodedParameters),
    get counts() {
      return { computed, waiting: line.waiting }
    },
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

interface Waiting {
  begin: () => void
  refuse: () => void
}

interface Line {
  run<T>(address: string, work: () => Promise<T>): Promise<T>
  readonly waiting: number
}

function createLine(parallel: number, mostWaiting: number): Line {
  /** Those who wait, by address, in the order of the addresses' turns. */
  const lines = new Map<string, Waiting[]>()
  let running = 0
  let waiting = 0

  function next(): void {
    const [first] = lines
    if (running >= parallel || first === undefined) return
    const [address, line] = first
    const turn = line.shift()
    lines.delete(address)
    // To the end: the other addresses come first now.
    if (line.length > 0) lines.set(address, line)
    waiting -= 1
    running += 1
    turn?.begin()
  }

  /** Makes room, taking the newest of the caller that has most waiting; false when that is the caller that comes. */
  function makeRoom(address: string): boolean {
    if (waiting < mostWaiting) return true
    const [longest] = [...lines.values()].sort((one, other) => other.length - one.length)
    const own = lines.get(address)?.length ?? 0
    if (longest === undefined || longest.length <= own + 1) return false
    longest.pop()?.refuse()
    waiting -= 1
    return true
  }

  function enter(address: string): Promise<void> {
    if (running < parallel) {
      running += 1
      return Promise.resolve()
    }
    if (!makeRoom(address)) return Promise.reject(new PasswordQueueFull('too many passwords are being checked'))
    return new Promise((resolve, reject) => {
      const refuse = () => reject(new PasswordQueueFull('too many passwords are being checked'))
      lines.set(address, [...(lines.get(address) ?? []), { begin: resolve, refuse }])
      waiting += 1
    })
  }

  return {
    async run(address, work) {
      await enter(address)
      try {
        return await work()
      } finally {
        running -= 1
        next()
      }
    },
    get waiting() {
      return waiting
    },
  }
}

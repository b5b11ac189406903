// The addresses of a target's name: looked up once for all connections, again at intervals, and remembered while no
// name server answers. New connections follow a change by themselves; those that are kept to an address that is gone
// are told of. Names of many machines often give some of them each time: one that an answer leaves out is gone when
// answers stay the same without it.

import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { systemLookup } from '../../egress/operator-names.js'

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** All addresses of a name. */
export type ResolveName = (host: string, found: Found) => void

export interface Addresses {
  /** For new connections. */
  lookup: LookupFunction
  stop(): void
}

export interface AddressesOptions {
  everyMs: number
  /** An address that connections may have been made to is no longer one of the name's. */
  onGone(): void
  /** A look-up that takes longer is forgotten, so that another one can begin. */
  patienceMs?: number
  /** The system's, which reads /etc/hosts too; a test's own. */
  resolve?: ResolveName | undefined
}

const systemsOwn: ResolveName = (host, found) => systemLookup(host, {}, found)

/** Undefined for an address, which needs none of this. Nothing is looked up before the first connection. */
export function watchAddresses(host: string, options: AddressesOptions): Addresses | undefined {
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0) return undefined
  const { everyMs, onGone, patienceMs = 5_000, resolve = systemsOwn } = options
  let known: LookupAddress[] = []
  const gone = createGoneCheck()
  let waiting: Found[] | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const settle = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => {
    const callers = waiting ?? []
    waiting = undefined
    const isGone = error === null && addresses.length > 0 && gone.isAnyGone(addresses)
    if (error === null && addresses.length > 0) known = addresses
    // Without an answer the last one goes on to hold; without any, the next connection asks again.
    if (!stopped && known.length > 0) timer = setTimeout(ask, everyMs).unref()
    for (const found of callers) found(known.length > 0 ? null : error, known)
    if (isGone && !stopped) onGone()
  }
  const ask = () => {
    waiting ??= []
    let isOver = false
    const once: Found = (error, addresses) => {
      if (isOver) return
      isOver = true
      clearTimeout(patience)
      settle(error, addresses)
    }
    const patience = setTimeout(() => once(noAddress(host), []), patienceMs).unref()
    resolve(host, once)
  }
  const whenKnown = (found: Found) => {
    if (known.length > 0) return void process.nextTick(found, null, known)
    if (waiting !== undefined) return void waiting.push(found)
    waiting = [found]
    ask()
  }
  return {
    lookup(_host, { all, family }, callback) {
      whenKnown((error, addresses) => {
        const fitting = addresses.filter((one) => (family !== 4 && family !== 6 ? true : one.family === family))
        const [first] = fitting
        if (error !== null || first === undefined) callback(error ?? noAddress(host), [])
        else if (all === true) callback(null, fitting)
        else callback(null, first.address, first.family)
      })
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** So many answers in a row that say the same are the whole truth. */
const sameAnswers = 3
/** An address that so many answers in a row left out is gone, however they differ. */
const absences = 20
/** Addresses that are remembered of one name. */
const mostAddresses = 1_024

/** Remembers what answers said before. */
function createGoneCheck() {
  const absentFor = new Map<string, number>()
  let last = ''
  let same = 0
  return {
    /** Whether an address that earlier answers gave is gone; it is forgotten then. */
    isAnyGone(addresses: readonly LookupAddress[]): boolean {
      const now = new Set(addresses.map(({ address }) => address))
      const text = [...now].sort().join(' ')
      same = text === last ? same + 1 : 1
      last = text
      let isGone = false
      for (const [address, absent] of absentFor) {
        if (now.has(address)) continue
        absentFor.set(address, absent + 1)
        if (same < sameAnswers && absent + 1 < absences && absentFor.size <= mostAddresses) continue
        absentFor.delete(address)
        isGone = true
      }
      for (const address of now) absentFor.set(address, 0)
      return isGone
    },
  }
}

function noAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no address for ${host}`), { code: 'ENOTFOUND' })
}

// Reading a configuration while requests are answered: in a thread of its own, and what that hands over is put together
// in slices. A process that cannot have a thread reads in place.

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { ConfigSnapshot } from '../config/read/file-reader.js'
import type { FixedSections } from '../config/read/fixed-sections.js'
import { unpackSettings } from '../config/reload/settings-parcels.js'
import { inSlices } from '../config/reload/steps.js'
import { ConfigurationErrors, type Problem } from '../config/report/problem.js'
import { type Again, type LoadedAgain, loadAgain } from './load-again.js'
import { allowingSilence } from './watchdog.js'

/** What the thread is to do. */
export interface LoadOrder {
  order: Omit<Again, 'fixed'>
  fixed: ReturnType<FixedSections>
  /** Where the routes go, a parcel a message. */
  parcels: MessagePort
}

/** What it says in the end. */
export type LoadResult = { snapshot: ConfigSnapshot | undefined } & (
  | { kind: 'same' }
  | { kind: 'read'; rest: unknown; waiting: readonly Problem[] }
  | { kind: 'wrong'; problems: readonly Problem[] }
)

/** A document of megabytes takes seconds, on a busy machine a minute. */
const patienceMs = 120_000

export interface LoadEvents {
  /** What was read, good or not. */
  onSnapshot?: (snapshot: ConfigSnapshot) => void
  /** Why it had to be read in place. */
  onTrouble: (error: unknown) => void
}

/** What the files say now. Rejects with ConfigurationErrors. */
export async function readAgain(
  again: Again,
  { onSnapshot = () => undefined, onTrouble }: LoadEvents,
): Promise<LoadedAgain> {
  const { port1: parcels, port2 } = new MessageChannel()
  let thread: Worker | undefined
  try {
    const { fixed, ...order } = again
    const workerData: LoadOrder = {
      order: { ...order, origin: plain(order.origin) },
      fixed: fixed(),
      parcels: port2,
    }
    thread = new Worker(threadFile(), { workerData, transferList: [port2], name: 'configuration' })
    const result = await resultOf(thread)
    if (result.snapshot !== undefined) onSnapshot(result.snapshot)
    if (result.kind === 'wrong') throw new ConfigurationErrors(result.problems)
    if (result.kind === 'same') return undefined
    const settings = await inSlices(unpackSettings(result.rest, () => receiveMessageOnPort(parcels)?.message))
    return { settings, waiting: result.waiting }
  } catch (error) {
    if (error instanceof ConfigurationErrors) throw error
    onTrouble(error)
    return await allowingSilence(() => loadAgain(again, onSnapshot))
  } finally {
    parcels.close()
    void thread?.terminate()
  }
}

/** Beside this file, in the sources as in what is built of them. */
function threadFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './load-thread.ts' : './load-thread.js', import.meta.url)
}

/** The environment of a process is no plain object. */
function plain({ env, ...origin }: Again['origin']): Again['origin'] {
  return { ...origin, env: { ...env } }
}

function resultOf(thread: Worker): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error('the thread that reads the configuration takes too long')),
      patienceMs,
    )
    const settled =
      <T>(settle: (value: T) => void) =>
      (value: T) => {
        clearTimeout(late)
        settle(value)
      }
    thread.once('message', settled(resolve)).once('error', settled(reject))
    thread.once(
      'exit',
      settled(() => reject(new Error('the thread that reads the configuration ended'))),
    )
  })
}

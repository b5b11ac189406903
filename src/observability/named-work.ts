// Names what holds the event loop, for those who look for the cause of a pause: a diagnostics channel, so that it
// costs nothing but one comparison where nobody listens (`npm run bench -- --paced` does).

import { channel } from 'node:diagnostics_channel'

/** A stretch of work, in milliseconds of performance.now(). */
export interface NamedWork {
  name: string
  from: number
  to: number
  /** It held the loop the whole time; else it went on for so long, with waiting in between. */
  isOnePiece: boolean
}

/** Of diagnostics_channel; each message is a NamedWork. */
export const namedWorkChannel = 'portcullis:work'

const listeners = channel(namedWorkChannel)

/** Runs work that holds the loop until it is done. Throws what it throws. */
export function named<T>(name: string, work: () => T): T {
  if (!listeners.hasSubscribers) return work()
  const from = performance.now()
  try {
    return work()
  } finally {
    tell({ name, from, to: performance.now(), isOnePiece: true })
  }
}

/** Runs work that waits in between. Rejects with what it rejects with. */
export async function namedWhile<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (!listeners.hasSubscribers) return work()
  const from = performance.now()
  try {
    return await work()
  } finally {
    tell({ name, from, to: performance.now(), isOnePiece: false })
  }
}

function tell(work: NamedWork): void {
  listeners.publish(work)
}

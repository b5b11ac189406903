// Lets so many at a time through, in the order of asking: one for a SQLite connection, which holds one transaction; as
// many as there are connections for PostgreSQL.

import { StoreUnavailable } from './store.js'

export interface Semaphore {
  /**
   * Resolves when it is the caller's turn, with the function that ends the turn. `deadline` is in milliseconds of
   * performance.now(). Throws StoreUnavailable when the turn did not come by then, or the semaphore was shut before.
   */
  enter(deadline: number): Promise<() => void>
  /** Lets those who wait already go through, refuses everybody else, resolves when the last one has left. */
  shut(): Promise<void>
}

/** An open semaphore with nobody inside, for `places` at a time. */
export function createSemaphore(places = 1): Semaphore {
  const waiting = new Set<() => void>()
  let taken = 0
  let isShut = false
  let emptied = (): void => {}

  const leave = (): void => {
    for (const next of waiting) {
      waiting.delete(next)
      next()
      return
    }
    taken -= 1
    if (taken === 0) emptied()
  }

  const onceOnly = (): (() => void) => {
    let left = false
    return () => {
      if (!left) leave()
      left = true
    }
  }

  const enter = (deadline: number): Promise<() => void> => {
    if (isShut) return Promise.reject(new StoreUnavailable('the Store is closed'))
    if (taken < places) {
      taken += 1
      return Promise.resolve(onceOnly())
    }
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        clearTimeout(timer)
        resolve(onceOnly())
      }
      const giveUp = (): void => {
        waiting.delete(turn)
        reject(new StoreUnavailable('too many wait for the database'))
      }
      const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()))
      waiting.add(turn)
    })
  }

  const shut = (): Promise<void> => {
    isShut = true
    if (taken === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const before = emptied
      emptied = () => {
        before()
        resolve()
      }
    })
  }

  return { enter, shut }
}

// One request for many who wait for it. A caller that gives up stops waiting and nothing else; when nobody waits any
// more the request is ended, unless it must not be.

export interface Flight<T> {
  /** Waits for the result, or until `signal`: then it rejects with the signal's reason. */
  join(signal?: AbortSignal): Promise<T>
}

/**
 * Begins the work. `ended` is called once, when nobody may join any more: the work is over, or was given up by all.
 * `toTheEnd`: work that changes something elsewhere goes on when nobody waits for it.
 */
export function takeOff<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { ended, toTheEnd }: { ended: () => void; toTheEnd: boolean },
): Flight<T> {
  const controller = new AbortController()
  let waiting = 0
  let done = false
  const end = () => {
    if (done) return
    done = true
    ended()
  }
  const result = work(controller.signal)
  result.then(end, end)
  const leave = (reason: unknown) => {
    waiting -= 1
    if (waiting > 0 || done || toTheEnd) return
    end()
    controller.abort(reason)
  }
  return {
    join(signal) {
      waiting += 1
      if (signal === undefined) return result
      return new Promise((resolve, reject) => {
        const abort = () => {
          reject(signal.reason)
          leave(signal.reason)
        }
        if (signal.aborted) return abort()
        signal.addEventListener('abort', abort, { once: true })
        const settled = () => signal.removeEventListener('abort', abort)
        result.then(resolve, reject).finally(settled)
      })
    },
  }
}

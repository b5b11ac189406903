// Waiting for what must come about, never for a length of time.

const everyMs = 10
const longMs = 30_000

/**
 * Resolves with the milliseconds that it took until `holds` was true; a throw counts as not yet. Throws after
 * `patienceMs`. `pauseMs`: between two looks, where looking costs the processor something.
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = longMs,
  pauseMs = everyMs,
): Promise<number> {
  const started = performance.now()
  let failure: unknown
  for (;;) {
    try {
      if (await holds()) return performance.now() - started
    } catch (error) {
      failure = error
    }
    const spentMs = performance.now() - started
    if (spentMs > patienceMs) throw new Error(`not within ${patienceMs} ms: ${what}`, { cause: failure })
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/**
 * What is answered, with the request sent again while that is 503: an instance that stood still looks at the Store
 * before it decides.
 */
export async function decided<A extends { status: number }>(ask: () => Promise<A>): Promise<A> {
  for (const deadline = performance.now() + longMs; ; ) {
    const answer = await ask()
    if (answer.status !== 503 || performance.now() > deadline) return answer
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

/**
 * The same, with a turn before each look: what is noted can be read before the worker has heard that it is durable, and
 * until then a turn passes by what it still has under way.
 */
export function untilTurned(
  worker: { turn(): Promise<void> },
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<number> {
  return until(what, async () => {
    await worker.turn()
    return holds()
  })
}

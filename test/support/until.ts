// Waiting for what must come about, never for a length of time.

const everyMs = 10

/** Resolves with the milliseconds that it took until `holds` was true; a throw counts as not yet. Throws after `patienceMs`. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = 30_000,
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
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

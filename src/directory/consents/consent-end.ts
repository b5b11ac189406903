// How long a person lets an agent act for them: once, for a day, or until they withdraw it (decision 156). Pure.

/** With an end; undefined elsewhere: until it is withdrawn. */
export interface ConsentEnd {
  lasts: 'once' | 'day'
  /** Epoch ms. */
  endsAt: number
}

const dayMs = 86_400_000

/**
 * The end of what is chosen at `nowMs`. `once`: the code has to be redeemed, and its one access token ends within its
 * usual life. Undefined: it has none.
 */
export function consentEnd(
  chosen: string | undefined,
  nowMs: number,
  { codeLifetimeMs, lifetimeSeconds }: { codeLifetimeMs: number; lifetimeSeconds: number },
): ConsentEnd | undefined {
  if (chosen === 'once') return { lasts: chosen, endsAt: nowMs + codeLifetimeMs + lifetimeSeconds * 1000 }
  return chosen === 'day' ? { lasts: chosen, endsAt: nowMs + dayMs } : undefined
}

/** Those that are not over. */
export function notOver<T extends { end?: ConsentEnd | undefined }>(consents: readonly T[], nowMs: number): T[] {
  return consents.filter(({ end }) => end === undefined || nowMs < end.endsAt)
}

/** The first end of some; undefined: they have none. */
export function firstEnd(consents: readonly { end?: ConsentEnd | undefined }[]): number | undefined {
  const ends = consents.flatMap(({ end }) => (end === undefined ? [] : [end.endsAt]))
  return ends.length === 0 ? undefined : Math.min(...ends)
}

// An honest round without anybody, then with those who mean harm, and what became of it.

import { type HonestCaller, percentile, type Round } from './honest.js'
import type { AnswerCounts } from './hostile/main.js'
import type { HostileProcess } from './hostile/process.js'

export interface Compared {
  quietMs: number
  loudMs: number
  /** Of tokens and pages: the median, quiet and loud. */
  othersMs: [number, number]
  calls: number
  wrong: string[]
  answerCounts: AnswerCounts
}

/** The longest of a hundred may take so many times as long as without them. */
export const mostTimes = 3
/** What a machine with two processors does to the longest of a hundred by itself, milliseconds. */
const noiseMs = 15
/** A machine that does other things too makes rounds slow now and then. */
const tries = 4
const recoveryMs = 10_000
const bearableMs = 500

export interface Rounds {
  honest: HonestCaller
  hostile: HostileProcess
  quietMs: number
  loudMs: number
  /**
   * The last one without anybody: what shows that all is well after one attack is what the next is compared with, as
   * long as it is about as quick as the first.
   */
  quiet?: Round | undefined
  firstMs?: number
}

/** A round beside these acts, between two quiet ones. */
export async function compare(rounds: Rounds, acts: readonly { name: string; force: number }[]): Promise<Compared> {
  const { honest, hostile, quietMs, loudMs } = rounds
  const quiet = rounds.quiet ?? (await honest.round(quietMs))
  rounds.firstMs ??= percentile(quiet.callsMs, 0.99)
  hostile.act(acts)
  const loud = await honest.round(loudMs)
  const answerCounts = await hostile.stop()
  const after = await recovered(rounds)
  const isQuick = percentile(after.callsMs, 0.99) <= Math.max(2 * rounds.firstMs, noiseMs)
  rounds.quiet = isQuick && after.wrong.size === 0 ? after : undefined
  return {
    quietMs: percentile(quiet.callsMs, 0.99),
    loudMs: percentile(loud.callsMs, 0.99),
    othersMs: [percentile(quiet.othersMs, 0.5), percentile(loud.othersMs, 0.5)],
    calls: loud.callsMs.length,
    wrong: [...listed(quiet, 'before: '), ...listed(loud, ''), ...listed(after, 'long after: ')],
    answerCounts,
  }
}

/** What they left must be over in a while; the last round of waiting for that. */
async function recovered({ honest, quietMs }: Rounds): Promise<Round> {
  const until = performance.now() + recoveryMs
  for (;;) {
    const round = await honest.round(quietMs)
    if (round.wrong.size === 0 || performance.now() > until) return round
  }
}

/** Until the latency is `good`, a few times at most; every error of every round is kept. */
export async function compareFairly(
  good: (round: Compared) => boolean,
  ...given: Parameters<typeof compare>
): Promise<Compared[]> {
  const all: Compared[] = []
  while (all.length < tries && !all.some(good)) {
    all.push(await compare(...given))
    if (all.at(-1)?.wrong.length !== 0) break
  }
  return all
}

/** Whether the honest caller noticed little: what is promised. */
export function holds({ quietMs, loudMs }: Compared): boolean {
  return loudMs <= Math.max(mostTimes * quietMs, quietMs + noiseMs)
}

/** Whether nobody honest had to wait: what every run on any machine must show. */
export function isBearable(round: Compared): boolean {
  return holds(round) || round.loudMs <= bearableMs
}

/** Whether there was an attack to notice: on a machine without a free processor they may not have come to it. */
export function arrived({ answerCounts }: Compared): boolean {
  return Object.values(answerCounts).every((counts) => Object.keys(counts).length > 0)
}

/** In one line. */
export function described({ quietMs, loudMs, othersMs, calls, answerCounts }: Compared): string {
  const [before, during] = othersMs
  const answers = Object.values(answerCounts).map((counts) =>
    Object.entries(counts).length === 0
      ? 'NOTHING'
      : Object.entries(counts)
          .map(([what, count]) => `${count} × ${what}`)
          .join(', '),
  )
  return (
    `p99 ${quietMs.toFixed(1)} → ${loudMs.toFixed(1)} ms, ${(loudMs / quietMs).toFixed(1)} times, over ${calls} calls, ` +
    `median of the others ${before.toFixed(1)} → ${during.toFixed(1)} ms; they got ${answers.join(' | ')}`
  )
}

function listed({ wrong }: Round, when: string): string[] {
  return [...wrong].map(([what, count]) => `${when}${what} (${count} times)`)
}

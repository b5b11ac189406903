// Keeps the status of one certificate at hand: fetched in the background, again after half of what is left of it, and
// after failures sooner and sooner later. Handshakes read what is there and wait for nothing.

import { reasonOf } from '../../../observability/reason.js'
import type { Askable, AskResponder, StatusAnswer } from './ask-responder.js'

/** How it is, said once for each change. */
export type StapleState =
  | { kind: 'good'; until: number }
  | { kind: 'revoked' }
  /** `until`: what was said before is sent as long (epoch ms). */
  | { kind: 'failed'; why: string; until: number | undefined }

export interface StaplerOptions {
  subject: Askable
  ask: AskResponder
  now: () => number
  /** From 0 to 1. */
  random: () => number
  /** After each question. */
  onAnswer(status: StatusAnswer['status'] | 'failed', nextUpdate: number | undefined): void
  onChange(state: StapleState): void
}

export interface Stapler {
  readonly certificate: Buffer
  /** What may be sent now. */
  answer(): Buffer | undefined
  /** Asks now. Throws nothing; the result is milliseconds until the next time. */
  look(): Promise<number>
  /** Asks now, and again whenever it is time. */
  begin(): void
  stop(): void
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const shortestMs = 10_000

/** Not yet begun. */
export function createStapler({ subject, ask, now, random, onAnswer, onChange }: StaplerOptions): Stapler {
  const ending = new AbortController()
  let kept: StatusAnswer | undefined
  let failures = 0
  let reported = ''
  let timer: NodeJS.Timeout | undefined
  const usable = () => (kept !== undefined && now() < kept.nextUpdate ? kept : undefined)
  const tell = (state: StapleState) => {
    const key = `${state.kind} ${state.kind === 'failed' && state.until === undefined}`
    if (key !== reported) onChange(state)
    reported = key
  }
  const failed = (status: 'unknown' | 'failed', why: string) => {
    failures += 1
    const until = usable()?.nextUpdate
    onAnswer(status, until)
    tell({ kind: 'failed', why, until })
    const wait = Math.min(hour, minute * 2 ** Math.min(failures - 1, 10)) * (0.5 + random() / 2)
    // What is still sent has an end that must not pass while nobody asks.
    return until === undefined ? wait : Math.max(shortestMs, Math.min(wait, (until - now()) / 2))
  }
  const take = (answer: StatusAnswer): number => {
    if (answer.status === 'unknown') return failed('unknown', 'it does not know the certificate')
    failures = 0
    // Who holds a stolen key sends no status: to send this one would keep clients from the rightful owner only.
    kept = answer.status === 'good' ? answer : undefined
    onAnswer(answer.status, kept?.nextUpdate)
    tell(kept === undefined ? { kind: 'revoked' } : { kind: 'good', until: kept.nextUpdate })
    if (kept === undefined) return hour * (0.5 + random() / 2)
    return Math.max(shortestMs, Math.min(day, ((kept.nextUpdate - now()) / 2) * (0.8 + random() / 5)))
  }
  const look = () =>
    ask(subject, { signal: ending.signal, now })
      .then((answer) => (ending.signal.aborted ? day : take(answer)))
      .catch((error: unknown) => (ending.signal.aborted ? day : failed('failed', reasonOf(error))))
  const begin = () => {
    void look().then((wait) => {
      if (!ending.signal.aborted) timer = setTimeout(begin, wait).unref()
    })
  }
  return {
    certificate: subject.certificate.raw,
    answer: () => usable()?.bytes,
    look,
    begin,
    stop() {
      ending.abort()
      clearTimeout(timer)
    },
  }
}

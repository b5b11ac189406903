// At what pace something is done again and again beside a failover, so that a slow machine gets less to do.

import { setTimeout as wait } from 'node:timers/promises'

/** Requests of a kind without an answer yet: what a machine cannot do in these seconds is not sent at all. */
export const mostWaitingSeconds = 2

/** One after the other, each a short while after its last was answered. */
const writersAtOnce = 6
const betweenWritesMs = 60

/** `act` so many times a second until it is stopped; what is under way is waited for. */
export function paced(times: number, act: (turn: number) => Promise<void>): { stop(): Promise<void> } {
  const open = new Set<Promise<void>>()
  let turn = 0
  const timer = setInterval(() => {
    if (open.size >= times * mostWaitingSeconds) return
    const done: Promise<void> = act(turn).finally(() => open.delete(done))
    open.add(done)
    turn += 1
  }, 1_000 / times)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
    },
  }
}

/** Each writer for itself, so that a slow machine gets less to do and not a queue. */
export function oneAfterTheOther(act: (turn: number) => Promise<void>): { stop(): Promise<void> } {
  let isOver = false
  let turn = 0
  const writer = async (): Promise<void> => {
    while (!isOver) {
      turn += 1
      await act(turn)
      await wait(betweenWritesMs)
    }
  }
  const writers = Promise.all(Array.from({ length: writersAtOnce }, writer))
  return {
    async stop() {
      isOver = true
      await writers
    },
  }
}

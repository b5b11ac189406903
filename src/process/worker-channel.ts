// What a primary and its workers say to each other over their process channel. A worker says once that it serves; after
// that the primary asks and the worker answers, first that it has heard: one whose event loop stands still is found out
// soon, although a question itself may take its time.

import type { Worker } from 'node:cluster'

/** Pages of the operator listener, which a worker has but does not offer on a port. */
export type Question = '/readyz' | '/metrics/values'

/** What the primary's banner shows. */
export interface Started {
  caFile: string | undefined
  demo: { clientId: string; clientSecret: string; setUpLink: string } | undefined
  hasOwner: boolean
}

type FromWorker =
  | { portcullis: 'started'; facts: Started }
  | { portcullis: 'heard'; id: number }
  | { portcullis: 'answer'; id: number; body: string }

interface PendingQuestion {
  portcullis: 'ask'
  id: number
  question: Question
}

/** Longer than any pause of a healthy process, shorter than what a balancer waits for a check. */
const heardMs = 1_000
/** A worker gives its Store two seconds to answer. */
const answeredMs = 3_000

let lastId = 0

/** Asks a worker. Undefined when it does not hear within a second, or does not answer within three more. */
export function askWorker(worker: Worker, question: Question): Promise<unknown> {
  const id = ++lastId
  return new Promise((resolve) => {
    const finish = (value: unknown) => {
      clearTimeout(timer)
      worker.off('message', hear).off('exit', giveUp)
      resolve(value)
    }
    const giveUp = () => finish(undefined)
    const hear = (message: FromWorker) => {
      if (message.portcullis === 'started' || message.id !== id) return
      if (message.portcullis === 'answer') return finish(JSON.parse(message.body))
      clearTimeout(timer)
      timer = setTimeout(giveUp, answeredMs)
    }
    let timer = setTimeout(giveUp, heardMs)
    worker.on('message', hear).once('exit', giveUp)
    worker.send({ portcullis: 'ask', id, question } satisfies PendingQuestion, undefined, (error) => {
      if (error !== null) giveUp()
    })
  })
}

/** Calls `started` when the worker says that it serves. */
export function whenStarted(worker: Worker, started: (facts: Started) => void): void {
  worker.on('message', (message: FromWorker) => {
    if (message.portcullis === 'started') started(message.facts)
  })
}

/** In a worker: says that it serves, and from then on answers by `page`. */
export function serveForPrimary(facts: Started, page: (question: Question) => Promise<string>): void {
  process.on('message', (message: PendingQuestion) => {
    if (message.portcullis !== 'ask') return
    say({ portcullis: 'heard', id: message.id })
    page(message.question).then(
      (body) => say({ portcullis: 'answer', id: message.id, body }),
      () => undefined,
    )
  })
  say({ portcullis: 'started', facts })
}

/** A primary that is gone hears nothing, and its worker ends for that reason already. */
function say(message: FromWorker): void {
  process.send?.(message, undefined, undefined, () => undefined)
}

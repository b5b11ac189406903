// The rules of workers are those that their primary has read: all of them load from the very same bytes, also one that
// starts while the file on disk is wrong. This is what they say to each other about it, over their process channel.

import type { Worker } from 'node:cluster'
import type { ConfigSnapshot } from '../config/read/file-reader.js'
import type { RefusedFiles, Reloader, ReloadOutcome } from '../config/report/reload-outcome.js'

type FromWorker =
  | { portcullis: 'read' }
  | { portcullis: 'put'; id: number; wrong?: string }
  | { portcullis: 'reload'; id: number }
  | { portcullis: 'is it refused'; id: number }

type FromPrimary =
  | { portcullis: 'snapshot'; snapshot: ConfigSnapshot }
  | { portcullis: 'rules'; id: number; snapshot: ConfigSnapshot }
  | Reloaded
  | Refused

interface Reloaded {
  portcullis: 'reloaded'
  id: number
  outcome: ReloadOutcome
}

interface Refused {
  portcullis: 'refused'
  id: number
  refused: RefusedFiles | undefined
}

/** Thousands of routes, in slices and on a busy machine, take their time. */
const patienceMs = 120_000
/** What the primary knows without work. */
const shortPatienceMs = 5_000

let lastId = 0

/** In a worker, before it starts: what its primary has read. */
export function snapshotOfPrimary(): Promise<ConfigSnapshot> {
  return new Promise((resolve) => {
    const hear = (message: FromPrimary) => {
      if (message.portcullis !== 'snapshot') return
      process.off('message', hear)
      resolve(message.snapshot)
    }
    process.on('message', hear)
    tell({ portcullis: 'read' })
  })
}

/**
 * In a worker: puts in place what the primary has read. The answer asks the primary to read again, or what it refused,
 * and rejects when it says nothing for long.
 */
export function followPrimary(put: (snapshot: ConfigSnapshot) => Promise<void>): Reloader {
  let last: Promise<unknown> = Promise.resolve()
  process.on('message', (message: FromPrimary) => {
    if (message.portcullis !== 'rules') return
    const { id, snapshot } = message
    last = last.then(() => triedWith(put, snapshot)).then((tried) => tell({ portcullis: 'put', id, ...tried }))
  })
  return {
    reload: async () => (await answered<Reloaded>('reload', patienceMs)).outcome,
    refused: async () => (await answered<Refused>('is it refused', shortPatienceMs)).refused,
  }
}

/** What the primary answers to this question. */
function answered<Answer extends Reloaded | Refused>(
  question: 'reload' | 'is it refused',
  waitMs: number,
): Promise<Answer> {
  const id = ++lastId
  return new Promise((resolve, reject) => {
    const end = () => process.off('message', hear)
    const late = setTimeout(() => {
      end()
      reject(new Error('the primary does not answer'))
    }, waitMs)
    const hear = (message: FromPrimary) => {
      if ((message.portcullis !== 'reloaded' && message.portcullis !== 'refused') || message.id !== id) return
      clearTimeout(late)
      end()
      resolve(message as Answer)
    }
    process.on('message', hear)
    tell({ portcullis: question, id })
  })
}

/** In the primary: answers what a worker wants. */
export function answerWorker(worker: Worker, rules: Reloader & { snapshot(): ConfigSnapshot }): void {
  const answer = (message: FromPrimary) => void worker.send(message, undefined, () => undefined)
  worker.on('message', (message: FromWorker) => {
    if (message.portcullis === 'read') answer({ portcullis: 'snapshot', snapshot: rules.snapshot() })
    if (message.portcullis === 'reload') {
      void rules.reload().then((outcome) => answer({ portcullis: 'reloaded', id: message.id, outcome }))
    }
    if (message.portcullis === 'is it refused') {
      void rules.refused().then((refused) => answer({ portcullis: 'refused', id: message.id, refused }))
    }
  })
}

/** In the primary: has a worker put these rules in place. Why it did not, or undefined when it did, or has ended. */
export function putInWorker(worker: Worker, snapshot: ConfigSnapshot): Promise<string | undefined> {
  const id = ++lastId
  return new Promise((resolve) => {
    const finish = (wrong?: string) => {
      clearTimeout(late)
      worker.off('message', hear).off('exit', gone)
      resolve(wrong)
    }
    const hear = (message: FromWorker) => {
      if (message.portcullis === 'put' && message.id === id) finish(message.wrong)
    }
    const gone = () => finish()
    const late = setTimeout(() => finish('it does not answer'), patienceMs)
    worker.on('message', hear).once('exit', gone)
    const message: FromPrimary = { portcullis: 'rules', id, snapshot }
    worker.send(message, undefined, (error) => {
      if (error !== null) finish()
    })
  })
}

async function triedWith(
  put: (snapshot: ConfigSnapshot) => Promise<void>,
  snapshot: ConfigSnapshot,
): Promise<{ wrong?: string }> {
  try {
    await put(snapshot)
    return {}
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  }
}

/** A primary that is gone hears nothing, and its worker ends for that reason already. */
function tell(message: FromWorker): void {
  process.send?.(message, undefined, undefined, () => undefined)
}

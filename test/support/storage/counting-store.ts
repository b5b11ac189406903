// A Store that counts what is done with it: statements, rows that were read, and how much of it in one go, before
// anybody else had a turn of the event loop. Where times would depend on the machine these do not.

import type { KyselyPlugin } from 'kysely'
import type { Store } from '../../../src/storage/sql/store.js'

export interface Counted {
  statements: number
  rows: number
  /** The most statements, and rows read, between two turns of the event loop. */
  mostAtOnce: { statements: number; rows: number }
}

/** Over a Store. `count` does some work and says what was done for it. */
export function countingStore(store: Store): { store: Store; count(work: () => Promise<unknown>): Promise<Counted> } {
  let all: Counted
  let now: { statements: number; rows: number }
  const reset = () => {
    now = { statements: 0, rows: 0 }
    all = { statements: 0, rows: 0, mostAtOnce: { statements: 0, rows: 0 } }
  }
  reset()
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      all.statements += 1
      now.statements += 1
      all.mostAtOnce.statements = Math.max(all.mostAtOnce.statements, now.statements)
      return node
    },
    async transformResult({ result }) {
      all.rows += result.rows.length
      now.rows += result.rows.length
      all.mostAtOnce.rows = Math.max(all.mostAtOnce.rows, now.rows)
      return result
    },
  }
  return {
    store: {
      ...store,
      reader: store.reader.withPlugin(counting),
      transaction: (work, separation) => store.transaction((tx) => work(tx.withPlugin(counting)), separation),
      snapshot: (work) => store.snapshot((tx) => work(tx.withPlugin(counting))),
    },
    async count(work) {
      reset()
      let isOver = false
      const turn = () => {
        now = { statements: 0, rows: 0 }
        if (!isOver) setImmediate(turn)
      }
      setImmediate(turn)
      await work().finally(() => {
        isOver = true
      })
      return all
    },
  }
}

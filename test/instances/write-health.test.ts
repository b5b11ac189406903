// A Store that answers and cannot be written: what says so, since when, and until when.

import { Writable } from 'node:stream'
import pino from 'pino'
import t from 'tap'
import { createWriteHealth } from '../../src/cluster/write-health.js'
import { createMetrics } from '../../src/observability/metrics.js'
import { NotWritable, type Store, StoreUnavailable } from '../../src/storage/sql/store.js'

type Work = () => Promise<unknown>

function watchedWrites() {
  const lines: { msg: string; level: number; reason?: string; refused?: string }[] = []
  const sink = new Writable({
    write(text, _, done) {
      lines.push(JSON.parse(String(text)))
      done()
    },
  })
  const metrics = createMetrics()
  const clock = { ms: 0 }
  const health = createWriteHealth({ metrics, log: pino(sink) as never, monotonic: () => clock.ms })
  const store = health.watched({ kind: 'sqlite', transaction: (work: Work) => work() } as unknown as Store)
  const write = (error?: Error) =>
    store.transaction(async () => {
      if (error !== undefined) throw error
      return 'written'
    })
  const shown = async () => /^portcullis_store_writable (\d)/m.exec(await metrics.registry.metrics())?.[1]
  return { health, write, clock, lines, shown }
}

const full = () => new NotWritable('the database cannot be written', { cause: new Error('database or disk is full') })

t.test('F11 a full disk is said once, for as long as writes fail and half a minute more', async (t) => {
  const { health, write, clock, lines, shown } = watchedWrites()
  t.equal(await write(), 'written')
  t.equal(health.isWritable(), true)
  t.equal(await shown(), '1')
  for (let turn = 0; turn < 3; turn += 1) await t.rejects(write(full()), { code: 'store_unavailable' })
  t.equal(health.isWritable(), false)
  t.equal(await shown(), '0')
  t.match(lines, [{ level: 50, msg: 'the Store takes no writes', reason: /disk is full/, refused: /503/ }])
  t.equal(lines.length, 1)

  clock.ms = 29_999
  await write()
  t.equal(health.isWritable(), false, 'a small write fits where a larger one does not')
  await t.rejects(write(full()))
  clock.ms = 59_998
  await write()
  t.equal(health.isWritable(), false)
  clock.ms = 59_999
  await write()
  t.equal(health.isWritable(), true)
  t.equal(await shown(), '1')
  t.match(lines, [{}, { level: 30, msg: 'the Store takes writes again', failedMs: 59_999 }])
})

t.test('what is no failure of the disk changes nothing', async (t) => {
  const { health, write, lines } = watchedWrites()
  for (const error of [new StoreUnavailable('the database stayed locked'), new Error('a rule of the caller')]) {
    await t.rejects(write(error), error)
  }
  t.equal(health.isWritable(), true)
  t.same(lines, [])
})

// What an instance does beside its requests: it says whether it should get any, and works by the clock.

import { mock } from 'node:test'
import t from 'tap'
import type { Collaborators } from '../src/collaborators.js'
import { startPeriodicWork } from '../src/periodic-work.js'
import { createReadiness } from '../src/readiness.js'
import { openTemporaryStore } from './support/memory-store.js'

function readiness(store: Pick<Collaborators['store'], 'check'>) {
  const seen = { stale: false, up: [] as boolean[] }
  const view = { isStale: () => seen.stale } as unknown as Collaborators['view']
  const storeUp = (up: boolean) => void seen.up.push(up)
  return { seen, state: createReadiness({ view, store: store as Collaborators['store'], storeUp }) }
}

t.test('an instance is ready from its start to its end, while its view is fresh and its Store answers', async (t) => {
  const { store } = await openTemporaryStore(t)
  const { seen, state } = readiness(store)
  t.same(await state.read(), { ready: false, reasons: ['starting'] })
  state.started()
  t.same(await state.read(), { ready: true, reasons: [] })
  seen.stale = true
  t.same(await state.read(), { ready: false, reasons: ['view_stale'] })
  seen.stale = false
  state.draining()
  t.same(await state.read(), { ready: false, reasons: ['draining'] })
  seen.stale = true
  await store.close()
  t.same(await state.read(), { ready: false, reasons: ['draining', 'view_stale', 'store_down'] }, 'all that there is')
  t.same(seen.up, [true, true, true, true, false], 'the metric says the same')
})

t.test('a Store that does not answer is down, and readiness does not wait for it', async (t) => {
  const { state } = readiness({ check: () => new Promise(() => undefined) })
  state.started()
  const before = performance.now()
  t.same(await state.read(), { ready: false, reasons: ['store_down'] })
  t.ok(performance.now() - before < 5_000)
})

t.test('work by the clock goes on after a failure, is never overtaken, and is done once more at the end', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const done: string[] = []
  const failed: unknown[] = []
  let release = () => undefined as unknown
  let slow = false
  const away = (name: string) =>
    new Proxy(
      {},
      {
        get() {
          done.push(name)
          throw new Error(`${name} cannot`)
        },
      },
    )
  const flush = async () => {
    done.push('flush')
    if (slow) await new Promise((resolve) => (release = () => resolve(undefined)))
  }
  const deps = { directory: { flush }, keyLifecycle: away('keys'), store: away('prune'), now: Date.now }
  const stop = startPeriodicWork(deps as unknown as Collaborators, (error) => void failed.push(error))
  const round = async (ms: number) => {
    mock.timers.tick(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (let i = 0; i < 8; i += 1) await round(15_000)
  t.equal(done.filter((name) => name === 'flush').length, 8, 'last-used times every quarter of a minute')
  t.equal(failed.filter((error) => /keys/.test(String(error))).length, 2, 'keys every minute, although it failed')
  for (let i = 0; i < 40; i += 1) await round(15_000)
  t.equal(failed.filter((error) => /prune/.test(String(error))).length, 1, 'expired rows every ten minutes')
  slow = true
  done.length = 0
  for (let i = 0; i < 3; i += 1) await round(15_000)
  t.equal(done.filter((name) => name === 'flush').length, 1, 'one at a time')
  slow = false
  release()
  done.length = 0
  await stop()
  t.same(done, ['flush'], 'what was gathered is written')
  await round(600_000)
  t.same(done, ['flush'], 'and nothing runs any more')
})

// A change during a load never leaves a stale answer behind, and nothing here grows without bound.

import t from 'tap'
import { createGuardedCache } from '../../src/directory/guarded-cache.js'

/** A cache over `rows`, whose loads read at once and answer when they are let go. */
function heldCache(capacity = 10) {
  const rows = new Map<string, { version: number }>()
  const loads: { key: string; finish: () => void; fail: (error: Error) => void }[] = []
  const cache = createGuardedCache<{ version: number }>({
    capacity,
    load: (key) => {
      const read = rows.get(key)
      return new Promise((resolve, reject) => {
        loads.push({ key, finish: () => resolve(read), fail: reject })
      })
    },
  })
  return { rows, loads, cache }
}

t.test('what was found is kept; every caller gets the one object', async (t) => {
  const { rows, loads, cache } = heldCache()
  rows.set('a', { version: 1 })
  const found = cache.find('a')
  loads[0]?.finish()
  t.equal(await found, rows.get('a'))
  t.equal(await cache.find('a'), rows.get('a'))
  t.equal(loads.length, 1)
})

t.test('callers who ask during a load share it', async (t) => {
  const { rows, loads, cache } = heldCache()
  rows.set('a', { version: 1 })
  const lookups = Array.from({ length: 50 }, () => cache.find('a'))
  t.equal(loads.length, 1)
  loads[0]?.finish()
  t.same(new Set(await Promise.all(lookups)).size, 1)
})

t.test(
  'a change during a load: the load is not kept, and anyone who asks after the change gets the change',
  async (t) => {
    const { rows, loads, cache } = heldCache()
    rows.set('a', { version: 1 })
    const before = cache.find('a')
    rows.set('a', { version: 2 })
    cache.forget((key) => key === 'a')
    const after = cache.find('a')
    t.equal(loads.length, 2, 'the load that had begun before the change is not joined')
    loads[1]?.finish()
    t.same(await after, { version: 2 })
    loads[0]?.finish()
    t.same(await before, { version: 1 }, 'a question from before the change may get what was true then')
    t.same(await cache.find('a'), { version: 2 }, 'the late answer has not replaced the new one')
    t.equal(loads.length, 2)
  },
)

t.test('a change during a load that nobody repeats leaves nothing behind', async (t) => {
  const { rows, loads, cache } = heldCache()
  rows.set('a', { version: 1 })
  const before = cache.find('a')
  rows.set('a', { version: 2 })
  cache.forget((key) => key === 'a')
  loads[0]?.finish()
  await before
  t.same(cache.sizes, { present: 0, absent: 0 })
})

t.test('"there is none" is kept too, and forgotten with any change, also while it is being found out', async (t) => {
  const { rows, loads, cache } = heldCache()
  const first = cache.find('new')
  loads[0]?.finish()
  t.equal(await first, undefined)
  t.equal(await cache.find('new'), undefined)
  t.equal(loads.length, 1)

  const during = cache.find('newer')
  rows.set('new', { version: 1 })
  rows.set('newer', { version: 1 })
  cache.forget(() => false)
  loads[1]?.finish()
  t.equal(await during, undefined)
  const now = [cache.find('new'), cache.find('newer')]
  for (const load of loads.slice(2)) load.finish()
  t.same(await Promise.all(now), [{ version: 1 }, { version: 1 }])
})

t.test('a failed load reaches everybody who waits for it, and is not kept', async (t) => {
  const { rows, loads, cache } = heldCache()
  rows.set('a', { version: 1 })
  const lookups = [cache.find('a'), cache.find('a')]
  loads[0]?.fail(new Error('down'))
  for (const each of lookups) await t.rejects(async () => each, { message: 'down' })
  const again = cache.find('a')
  loads[1]?.finish()
  t.same(await again, { version: 1 })
})

t.test('both kinds of answer are bounded, apart from each other', async (t) => {
  const cache = createGuardedCache<string>({
    capacity: 5,
    load: async (key) => (key.startsWith('x') ? key : undefined),
  })
  for (let i = 0; i < 5; i += 1) await cache.find(`x${i}`)
  for (let i = 0; i < 1_000; i += 1) await cache.find(`guess ${i}`)
  t.same(cache.sizes, { present: 5, absent: 5 }, 'guesses have not pushed out what is in use')
})

t.test('what is kept is given at once, and what a change has dropped is loaded again', async (t) => {
  let version = 0
  const cache = createGuardedCache<{ version: number }>({ capacity: 2, load: async () => ({ version: ++version }) })
  t.type(cache.find('a'), Promise)
  await cache.find('a')
  t.same(cache.find('a'), { version: 1 })
  cache.forget((key) => key === 'a')
  t.type(cache.find('a'), Promise)
  t.same(await cache.find('a'), { version: 2 })
})

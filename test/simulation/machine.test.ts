// Simulated processes wait for the processors that they share, for themselves, and for nothing where there is no end of them.

import t from 'tap'
import { createProcessors, freeMachine } from './machine.js'
import { createVirtualTime } from './virtual-time.js'

/** When each of some works is done that all begin now. */
async function endsOf(machine: Partial<typeof freeMachine>, kind: 'one thread' | 'threads', works: readonly number[]) {
  const time = createVirtualTime()
  const processors = createProcessors(time, { ...freeMachine, ...machine })
  const one = processors.thread()
  const ends: number[] = []
  const all = works.map(async (ms) => {
    await (kind === 'one thread' ? one : processors.anyThread)(ms)
    ends.push(time.now())
  })
  await time.settled(Promise.all(all))
  return ends
}

t.test('works of many threads share two processors', async (t) => {
  t.strictSame(await endsOf({ processors: 2 }, 'threads', [4, 4, 4]), [4, 4, 8])
})

t.test('a thread does one thing after the other, however many processors there are', async (t) => {
  t.strictSame(await endsOf({}, 'one thread', [1, 2, 3]), [1, 3, 6])
})

t.test('without an end of processors nothing waits, and what costs nothing takes no time', async (t) => {
  t.strictSame(await endsOf({}, 'threads', [4, 0, 4]), [0, 4, 4])
})

t.test('work lasts longer where all processors are busy with something else for a part of the time', async (t) => {
  t.strictSame(await endsOf({ processors: 1, busy: 0.5 }, 'threads', [4]), [8])
  t.strictSame(await endsOf({ processors: 2, busy: 0.5 }, 'threads', [3]), [4])
})

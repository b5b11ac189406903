// Memory for request bodies that are read whole: one budget, of which no caller has more than a quarter.

import t from 'tap'
import { type BodyHold, createBodyBudget } from '../../src/http/requests/body-budget.js'
import { eventually } from '../support/rooms/http-gate.js'
import { listening, proxied, testServer } from '../support/rooms/http-server.js'
import { rawConnection, rawRequest } from '../support/traffic/http-raw.js'

const kib = 1024

/** So many holds of `bytes` for one caller, as far as they are given. */
function holdMany(budget: ReturnType<typeof createBodyBudget>, caller: string, bytes: number): BodyHold[] {
  const holds: BodyHold[] = []
  for (;;) {
    const hold = budget.hold(caller, bytes)
    if (typeof hold === 'string') return holds
    holds.push(hold)
  }
}

t.test('gateway M1: one caller holds a quarter of the memory for bodies, many never all of it', async (t) => {
  const budget = createBodyBudget({ bytes: 1_024 * kib })
  const first = holdMany(budget, 'a', 64 * kib)
  t.equal(first.length, 4)
  t.equal(budget.hold('a', 1), 'share')
  for (const caller of ['b', 'c', 'd', 'e']) holdMany(budget, caller, 64 * kib)
  const next = budget.hold('f', 1)
  t.type(next, 'object', 'the next caller finds some')
  for (const hold of first) {
    const before = budget.held
    hold.release()
    hold.release()
    t.equal(budget.held, before - 64 * kib, 'given back once')
  }
  t.ok(holdMany(budget, 'a', 64 * kib).length > 0, 'what is given back is there again')
})

t.test('gateway M1: a body that grows stays within what its caller may have', async (t) => {
  const budget = createBodyBudget({ bytes: 1_024 * kib })
  const hold = budget.hold('a', 200 * kib) as BodyHold
  t.equal(hold.grow(50 * kib), true)
  t.equal(hold.grow(50 * kib), false)
  t.equal(budget.held, 250 * kib)
  hold.release()
  t.equal(budget.held, 0)
  t.equal(budget.hold('a', 2_000 * kib), 'full', 'more than there is at all')
})

t.test('gateway M1: what holds nothing yet takes nothing, and is refused where there is no room to grow', async (t) => {
  const budget = createBodyBudget({ bytes: 64 * kib })
  const streams = Array.from({ length: 1_000 }, () => budget.hold('a', 0) as BodyHold)
  t.equal(budget.held, 0, 'idle streams leave the memory to bodies')
  t.equal(streams[0]?.grow(14 * kib), true)
  t.equal(budget.hold('a', 0), 'share')
  t.type(budget.hold('b', 0), 'object', 'another caller has its own share')
  streams[0]?.shrink(14 * kib)
  t.equal(budget.held, 0)
  t.type(budget.hold('a', 0), 'object')
})

t.test('gateway M1: callers who come and go are forgotten', async (t) => {
  const budget = createBodyBudget({ bytes: 1_024 * kib })
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < 200_000; i += 1) {
    const hold = budget.hold(`address 10.${i}`, 1)
    if (typeof hold !== 'string') hold.release()
  }
  t.equal(budget.held, 0)
  t.ok(process.memoryUsage().heapUsed - before < 100_000_000)
})

t.test(
  'gateway M1: a page that reads its body whole refuses before it reads when its caller has its share',
  async (t) => {
    const budget = createBodyBudget({ bytes: 64 * kib })
    const app = testServer({ holdBody: (address, bytes) => budget.hold(address, bytes) })
    app.post('/page', async () => 'read')
    const port = await listening(app)
    t.teardown(async () => {
      app.server.closeAllConnections()
      await app.close()
    })
    const head = (length: number) =>
      `POST /page HTTP/1.1\r\n${proxied}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
    const slow = await rawConnection({ port })
    t.teardown(() => slow.socket.destroy())
    slow.send(`${head(14 * kib)}"`)
    await eventually(() => budget.held > 0, 'the first body is being read')
    const refused = await rawRequest({ port }, `${head(14 * kib)}"`)
    t.same([refused.status, refused.headers.get('retry-after')], [429, ['1']])
    slow.socket.destroy()
    await eventually(() => budget.held === 0, 'its memory is free again')
    t.equal((await rawRequest({ port }, `${head(4)}"ab"`)).status, 200)
  },
)

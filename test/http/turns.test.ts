// Whose handshake begins when, without a network.

import t from 'tap'
import { createTurns } from '../../src/http/connections/turns.js'

t.test(
  'gateway M6: of many handshakes at once one begins in a turn of the event loop, and clients alternate',
  async (t) => {
    const takeTurn = createTurns()
    const started: string[] = []
    for (let n = 0; n < 100; n += 1) takeTurn({ address: 'many' }, () => started.push('many'))
    t.same(started, ['many'], 'the first at once')
    takeTurn({ address: 'one' }, () => started.push('one'))
    await new Promise((resolve) => setImmediate(resolve))
    t.ok(started.length <= 2, 'then the loop does something else first')
    while (started.length < 101) await new Promise((resolve) => setImmediate(resolve))
    t.ok(started.indexOf('one') <= 2, `the other client waits for one of them: ${started.indexOf('one')}`)
  },
)

t.test('gateway M6: after a pause a handshake begins at once again', async (t) => {
  const takeTurn = createTurns()
  let started = 0
  takeTurn({ address: 'a' }, () => {
    started += 1
  })
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  takeTurn({ address: 'a' }, () => {
    started += 1
  })
  t.equal(started, 2)
})

t.test(
  'gateway M6: addresses of one network have the turns of one client, and alternate among themselves',
  async (t) => {
    const takeTurn = createTurns()
    const started: string[] = []
    const take = (address: string, network?: string) => takeTurn({ address, network }, () => started.push(address))
    for (let n = 0; n < 200; n += 1) take('first', 'network')
    for (let n = 0; n < 100; n += 1) take(`other ${n}`, 'network')
    for (let n = 0; n < 3; n += 1) take('one')
    while (started.length < 303) await new Promise((resolve) => setImmediate(resolve))
    t.ok(
      started.lastIndexOf('one') <= 7,
      `a client elsewhere waits for as many as it has: ${started.lastIndexOf('one')}`,
    )
    t.ok(started.indexOf('other 0') <= 8, `and within the network nobody is last: ${started.indexOf('other 0')}`)
  },
)

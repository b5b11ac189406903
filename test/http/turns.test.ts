// Whose handshake begins when, without a network.

import t from 'tap'
import { createTurns } from '../../src/http/turns.js'

t.test(
  'gateway M6: of many handshakes at once one begins in a turn of the event loop, and clients alternate',
  async (t) => {
    const takeTurn = createTurns()
    const begun: string[] = []
    for (let n = 0; n < 100; n += 1) takeTurn('many', () => begun.push('many'))
    t.same(begun, ['many'], 'the first at once')
    takeTurn('one', () => begun.push('one'))
    await new Promise((resolve) => setImmediate(resolve))
    t.ok(begun.length <= 2, 'then the loop does something else first')
    while (begun.length < 101) await new Promise((resolve) => setImmediate(resolve))
    t.ok(begun.indexOf('one') <= 2, `the other client waits for one of them: ${begun.indexOf('one')}`)
  },
)

t.test('gateway M6: after a pause a handshake begins at once again', async (t) => {
  const takeTurn = createTurns()
  let begun = 0
  takeTurn('a', () => {
    begun += 1
  })
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  takeTurn('a', () => {
    begun += 1
  })
  t.equal(begun, 2)
})

import t from 'tap'
import { createDroppedBodies } from '../../src/http/answers/dropped-bodies.js'

t.test('gateway M1: of one client a quarter of the dropped bodies is read at a time', async (t) => {
  const bodies = createDroppedBodies(16)
  const held = Array.from({ length: 4 }, () => bodies.begin('a'))
  t.notOk(held.includes(undefined))
  t.equal(bodies.begin('a'), undefined, 'as many as one client may have')
  t.type(bodies.begin('b'), 'function', 'another one is not affected')
  held[0]?.()
  t.type(bodies.begin('a'), 'function', 'one that has ended makes room')
})

t.test('gateway M1: there is a bound for all clients together, and what has ended leaves nothing', async (t) => {
  const bodies = createDroppedBodies(8)
  const ends = Array.from({ length: 8 }, (_, client) => bodies.begin(`client ${client}`))
  t.equal(bodies.begin('one more'), undefined)
  for (const end of ends) end?.()
  t.type(bodies.begin('one more'), 'function')
  t.type(createDroppedBodies(1).begin('a'), 'function', 'at least one')
})

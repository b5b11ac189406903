import t from 'tap'
import { createUrgentShares } from '../../../src/http/overload/urgent-shares.js'

t.test('a client has a tenth of what is let in, a kind three quarters', async (t) => {
  const shares = createUrgentShares()
  /** A thousand at a time in each millisecond from then on. */
  const taken = (client: () => string, fromMs: number, kind = 'revocation') => {
    let count = 0
    for (let i = 0; i < 900_000; i += 1) {
      if (shares.take(kind, client(), { weight: 1, perMs: 1, atMs: fromMs + Math.floor(i / 1_000) })) count += 1
    }
    return count
  }
  t.equal(
    taken(() => 'a', 0),
    100,
  )
  t.equal(
    taken(() => 'a', 0, 'token'),
    100,
    'each kind for itself',
  )
  let clients = 0
  const all = taken(() => `${clients++ % 1_000}`, 2_000)
  t.ok(all >= 675 && all <= 775, `${all} in nine tenths of a second`)
})

t.test('where little is let in, a few are urgent all the same', async (t) => {
  const shares = createUrgentShares()
  let taken = 0
  for (let i = 0; i < 100; i += 1) {
    if (shares.take('sign-in', 'a', { weight: 1, perMs: 0.05, atMs: 1 })) taken += 1
  }
  t.equal(taken, 16)
})

t.test('clients without number are one between them, so that they fill no memory', async (t) => {
  const shares = createUrgentShares()
  const take = (client: string) => shares.take('token', client, { weight: 1, perMs: 1_000, atMs: 1 })
  for (let i = 0; i < 10_000; i += 1) take(`${i}`)
  t.ok(take('0'), 'who is known goes on')
  t.ok(take('further'))
})

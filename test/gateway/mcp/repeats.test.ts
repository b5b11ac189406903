// An agent that is caught in a loop is noticed; others are not, and what is remembered has an end.

import t from 'tap'
import type { TokenPrincipal } from '../../../src/access/principal.js'
import { createRepeats } from '../../../src/gateway/mcp/repeats.js'

const caller = (applicationId: string, userId?: string) =>
  ({ kind: userId === undefined ? 'application' : 'delegated', applicationId, userId }) as TokenPrincipal
const [find, close] = [{}, {}]

t.test('G17 the tenth identical call within a minute is repeated, and told once a minute', async (t) => {
  const { note } = createRepeats()
  const call = { operation: find, digest: () => 'a' }
  const seen = Array.from({ length: 25 }, (_, i) => note(caller('agent', 'ada'), call, i * 1_000))
  t.same(
    seen.map(({ count }) => count),
    Array.from({ length: 25 }, (_, i) => i + 1),
  )
  t.same(
    seen.flatMap(({ isToTell }, i) => (isToTell ? [i + 1] : [])),
    [10],
  )
  t.equal(note(caller('agent', 'ada'), call, 70_000).count, 1, 'a new minute begins')
  const next = Array.from({ length: 12 }, () => note(caller('agent', 'ada'), call, 71_000))
  t.equal(next.filter(({ isToTell }) => isToTell).length, 1)
})

t.test('another caller, operation or argument is another call', async (t) => {
  const { note } = createRepeats()
  for (let i = 0; i < 9; i += 1) note(caller('agent', 'ada'), { operation: find, digest: () => 'a' }, i)
  for (const [who, operation, digest] of [
    [caller('agent', 'bob'), find, 'a'],
    [caller('other', 'ada'), find, 'a'],
    [caller('agent'), find, 'a'],
    [caller('agent', 'ada'), close, 'a'],
    [caller('agent', 'ada'), find, 'b'],
  ] as const)
    t.same(note(who, { operation, digest: () => digest }, 10), { count: 1, isToTell: false })
  t.equal(note(caller('agent', 'ada'), { operation: find, digest: () => 'a' }, 11).isToTell, true)
})

t.test('of a caller a few calls are remembered, and of few callers', async (t) => {
  const { note } = createRepeats()
  const first = { operation: find, digest: () => '0' }
  for (let i = 0; i < 5; i += 1) note(caller('agent'), first, 0)
  for (let digest = 1; digest < 9; digest += 1)
    note(caller('agent'), { operation: find, digest: () => `${digest}` }, digest)
  t.equal(note(caller('agent'), first, 10).count, 1, 'eight others came since')
  for (let i = 0; i < 3; i += 1) note(caller('agent'), first, 11)
  for (let i = 0; i < 5_000; i += 1) note(caller(`agent-${i}`), first, 12)
  t.equal(note(caller('agent'), first, 13).count, 1, 'five thousand other callers came since')
  const token = caller('agent')
  t.equal(note(token, first, 14).count, 2, 'another token of the same caller')
  for (let i = 0; i < 5_000; i += 1) note(caller(`other-${i}`), first, 15)
  t.equal(note(token, first, 16).count, 1, 'a token that is still known does not keep what was forgotten')
  t.equal(note(caller('agent'), first, 17).count, 2, 'and counts with its others again')
})

t.test('of a caller that calls without an end a part is looked at, and a minute later again', async (t) => {
  const { note } = createRepeats()
  const looked: number[] = []
  const call = (i: number) => ({ operation: find, digest: () => `${looked.push(i)}` })
  for (let i = 0; i < 1_000; i += 1) note(caller('agent'), call(i), 0)
  t.equal(looked.length, 300)
  note(caller('agent'), call(0), 60_001)
  t.equal(looked.length, 301)
})

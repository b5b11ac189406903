import t from 'tap'
import { lookMs } from '../../../src/http/overload/loop-look.js'
import { createShedding, type Priority, type Shedding } from '../../../src/http/overload/shedding.js'

/** A process that can do `capacity` calls a millisecond, looked at when it has done what came since the last look. */
function simulate(shedding: Shedding, capacity: number, refusalCost = 0.02) {
  let at = 0
  let queue = 0
  let clients = 0
  const turn = (
    ms: number,
    { perMs, priorities, clientOf }: { perMs: number; priorities: readonly Priority[]; clientOf: () => string },
    admitted: Record<Priority, number>,
  ) => {
    const arriving = Math.round(perMs * ms)
    const weights = { revocation: 3, 'sign-in': 5, token: 3, call: 1 }
    const lateMs = ms - lookMs
    let work = 0
    for (let i = 0; i < arriving; i += 1) {
      const priority = priorities[i % priorities.length] as Priority
      const now = { at: at + (i * ms) / arriving, lateMs: i < arriving / 2 ? 0 : lateMs }
      const isIn = !shedding.isShedding || shedding.admit(priority, clientOf(), now)
      if (isIn) admitted[priority] += 1
      work += isIn ? weights[priority] : refusalCost
    }
    at += ms
    const busyMs = Math.min(ms, (work + queue) / capacity)
    queue = Math.max(0, queue + work - capacity * ms)
    shedding.look({ at, ms, busyMs, cpuMs: busyMs, arrived: arriving, crowdedMs: lateMs })
    return ms
  }
  /** Fifty milliseconds or more. */
  return (perMs: number, priorities: readonly Priority[] = ['call'], clientOf = () => `${clients++ % 1000}`) => {
    const admitted = { revocation: 0, 'sign-in': 0, token: 0, call: 0 }
    let longest = 0
    for (let ms = 0; ms < 50; ) {
      const length = lookMs + queue / capacity
      longest = Math.max(longest, length)
      ms += turn(length, { perMs, priorities, clientOf }, admitted)
    }
    return { admitted, longest, at }
  }
}

function create(random = () => 0.5, longestTurnMs = 20) {
  const changes: boolean[] = []
  const shedding = createShedding({ longestTurnMs, random, onChange: (is) => changes.push(is) })
  return { shedding, changes }
}

t.test('at three times what it can, nearly as much as it can is let in, and it waits for little', async (t) => {
  const { shedding, changes } = create()
  const step = simulate(shedding, 6)
  for (let i = 0; i < 200; i += 1) step(5)
  t.same(changes, [], 'nobody is refused below capacity')
  for (let i = 0; i < 120; i += 1) step(18)
  t.same(changes, [true])
  const lengths: number[] = []
  const before = step(18).at
  let done = 0
  let now = before
  while (now < before + 10_000) {
    const { admitted, longest, at } = step(18)
    done += admitted.call
    lengths.push(longest)
    now = at
  }
  const share = done / ((now - before) * 6)
  t.ok(share > 0.85 && share <= 1.01, `${share} of capacity`)
  const long = lengths.filter((ms) => ms > lookMs + 20).length
  t.ok(long < lengths.length / 20, `${long} of ${lengths.length} with long turns`)
})

t.test('afterwards everybody is let in again, and it does not begin anew by itself', async (t) => {
  const { shedding, changes } = create()
  const step = simulate(shedding, 6)
  for (let i = 0; i < 100; i += 1) step(18)
  for (let i = 0; i < 100; i += 1) step(2)
  t.same(changes, [true, false])
  for (let i = 0; i < 100; i += 1) step(5)
  t.same(changes, [true, false])
})

t.test('it lasts while the loop is idle only because many are refused, but not for long', async (t) => {
  /** For how long it lasts with the loop half idle and so many calls in each look of 10 ms. */
  const lastsFor = (calls: number) => {
    const { shedding, changes } = create()
    shedding.late({ at: 710, ms: 700, busyMs: 700, cpuMs: 700, arrived: 600, crowdedMs: 690 })
    let at = 710
    while (shedding.isShedding && at < 10_710) {
      at += lookMs
      for (let i = 0; i < calls; i += 1) shedding.admit('call', 'a', { at, lateMs: 0 })
      // Late on average, so that the rate does not grow.
      shedding.look({ at, ms: lookMs + 2, busyMs: 5, cpuMs: lookMs, arrived: calls, crowdedMs: 0 })
    }
    t.equal(changes.length, 2, 'it ends')
    return at - 710
  }
  const [few, some, many] = [lastsFor(1), lastsFor(5), lastsFor(2_000)]
  t.ok(few < 2_000, `${few} ms when all have found room`)
  t.ok(some < 2_000, `${some} ms when there would have been time for all that were refused`)
  t.ok(many > 3_000 && many < 8_000, `${many} ms when most were refused`)
})

t.test('calls go first, then tokens, then sign-in; what revokes last', async (t) => {
  const { shedding } = create()
  const step = simulate(shedding, 6)
  const kinds = ['revocation', 'sign-in', 'token', 'call'] as const
  const coming: Priority[] = ['revocation', 'sign-in', 'token', 'token', ...Array<Priority>(16).fill('call')]
  for (let i = 0; i < 40; i += 1) step(18, ['call'])
  const sum = { revocation: 0, 'sign-in': 0, token: 0, call: 0 }
  const begunAt = step(8, coming).at
  let now = begunAt
  while (now < begunAt + 3_000) {
    const { admitted, at } = step(8, coming)
    for (const kind of kinds) sum[kind] += admitted[kind]
    now = at
  }
  const share = (kind: Priority) =>
    (sum[kind] * coming.length) / ((now - begunAt) * 8 * coming.filter((one) => one === kind).length)
  t.ok(share('revocation') > 0.95, `${share('revocation')} of revocations`)
  t.ok(share('sign-in') > 0.9 && share('token') > 0.9, `${share('sign-in')} of sign-ins, ${share('token')} of tokens`)
  t.ok(share('call') < 0.7, `${share('call')} of calls`)
})

/** Looks at a loop that takes so long for a turn. */
function looks(shedding: Shedding) {
  let at = 0
  return (ms: number, arrived: number, { cpuMs = ms, crowdedMs = ms - lookMs } = {}) => {
    at += ms
    shedding.look({ at, ms, busyMs: ms, cpuMs, arrived, crowdedMs })
  }
}

t.test('a long turn is no overload by itself: a burst, a pause, another program, or few requests', async (t) => {
  const { shedding, changes } = create()
  const look = looks(shedding)
  for (let round = 0; round < 20; round += 1) {
    look(200, 500)
    for (let i = 0; i < 8; i += 1) look(10, 100)
    look(900, 500, { crowdedMs: 100 })
    for (let i = 0; i < 8; i += 1) look(10, 100)
  }
  for (let i = 0; i < 20; i += 1) look(300, 5)
  for (let round = 0; round < 20; round += 1) {
    look(300, 500, { cpuMs: 100 })
    for (let i = 0; i < 10; i += 1) look(10, 100)
  }
  for (let i = 0; i < 20; i += 1) look(40, 64)
  t.same(changes, [], 'nor are 64 callers, each one call after the other, on a slow machine')
  for (let i = 0; i < 13; i += 1) look(31, 150)
  t.same(changes, [true])
})

t.test('it begins when turns are about as long as they may be, again and again', async (t) => {
  const { shedding, changes } = create()
  const look = looks(shedding)
  // What 400 callers come to, none of whom waits for long.
  for (let i = 0; i < 400; i += 1) look(i % 2 === 0 ? 12 : 20, 200)
  t.same(changes, [])
  for (let i = 0; i < 120; i += 1) look([26, 13, 31][i % 3] as number, 170, { crowdedMs: i % 3 === 2 ? 10 : 0 })
  t.same(changes, [true])
})

t.test(
  'however long turns may be, one piece of work is no overload; however short, timers are never quite in time',
  async (t) => {
    for (const longestTurnMs of [100, 1_000, 10_000]) {
      const { shedding, changes } = create(undefined, longestTurnMs)
      const look = looks(shedding)
      for (const ms of [200, 500, 4_500]) {
        look(ms, 500, { crowdedMs: 0 })
        for (let i = 0; i < 20; i += 1) look(10, 100)
      }
      t.same(changes, [], `${longestTurnMs} ms`)
    }
    const { shedding } = create(undefined, 1)
    const look = looks(shedding)
    for (let i = 0; i < 200 && !shedding.isShedding; i += 1) look(40, 400)
    t.ok(shedding.isShedding)
    const isIn = (at: number, lateMs: number) => shedding.admit('call', 'a', { at, lateMs })
    t.ok(isIn(100_000, 1.9), 'less than timers tell apart lets calls in')
    t.notOk(isIn(100_001, 2.1))
  },
)

t.test('once it has begun, the rate finds what can be done within half a second', async (t) => {
  const { shedding } = create()
  const step = simulate(shedding, 6)
  looks(shedding)(10, 10)
  // Seen in the midst of a turn in which a crowd came: it says nothing of what can be done.
  shedding.late({ at: 310, ms: 700, busyMs: 700, cpuMs: 700, arrived: 350, crowdedMs: 690 })
  t.ok(shedding.isShedding)
  const until = step(18).at + 500
  while (step(18).at < until);
  let [done, from, at] = [0, until, until]
  while (at < until + 1_000) {
    const turn = step(18)
    done += turn.admitted.call
    at = turn.at
  }
  t.ok(done / ((at - from) * 6) > 0.8, `${done / ((at - from) * 6)} of capacity`)
})

t.test('it begins within a turn that does not end', async (t) => {
  const { shedding, changes } = create()
  looks(shedding)(10, 10)
  shedding.late({ at: 110, ms: 100, busyMs: 100, cpuMs: 100, arrived: 800, crowdedMs: 90 })
  t.same(changes, [])
  shedding.late({ at: 310, ms: 300, busyMs: 300, cpuMs: 300, arrived: 2_400, crowdedMs: 290 })
  t.same(changes, [], 'which could be a burst')
  shedding.late({ at: 710, ms: 700, busyMs: 700, cpuMs: 700, arrived: 5_600, crowdedMs: 690 })
  t.same(changes, [true])
})

t.test('a burst of one turn is none, and a second turn like it is', async (t) => {
  const { shedding, changes } = create()
  const look = looks(shedding)
  for (let round = 0; round < 10; round += 1) {
    look(400, 200)
    for (let i = 0; i < 20; i += 1) look(10, 20)
  }
  t.same(changes, [], 'nor are bursts that leave it time in between')
  look(400, 200)
  shedding.late({ at: 1_000_000, ms: 80, busyMs: 80, cpuMs: 80, arrived: 200, crowdedMs: 70 })
  t.same(changes, [true])
})

t.test('who comes while one piece of work holds the loop for seconds is served', async (t) => {
  const { shedding, changes } = create()
  looks(shedding)(10, 10)
  for (let ms = 3_000; ms < 3_500; ms += 10) {
    const crowdedMs = ms - 2_990
    shedding.late({ at: 10 + ms, ms, busyMs: ms, cpuMs: ms, arrived: 10 * crowdedMs, crowdedMs })
  }
  t.same(changes, [])
})

t.test('after it has stood still a process serves those who came meanwhile, but not again and again', async (t) => {
  const { shedding, changes } = create()
  const look = looks(shedding)
  look(3_000, 1, { cpuMs: 0 })
  for (let i = 0; i < 50; i += 1) look(100, 500)
  t.same(changes, [], 'within twice the time')
  look(3_000, 1, { cpuMs: 0 })
  for (let i = 0; i < 20; i += 1) look(100, 500)
  t.same(changes, [true], 'a second standstill soon after the first excuses nothing')
})

t.test('what is there already is done before more is let in', async (t) => {
  const { shedding } = create()
  const step = simulate(shedding, 6)
  let at = 0
  for (let i = 0; i < 40; i += 1) at = step(18).at
  const isIn = (later: number, lateMs = 0) => shedding.admit('call', 'a', { at: at + later, lateMs })
  t.ok(isIn(60))
  t.ok(isIn(61, 1), 'a timer is never quite on time')
  t.notOk(isIn(62, 20))
  t.notOk(isIn(70))
  t.ok(isIn(90))
})

t.test('Retry-After is spread, the more so the more are refused', async (t) => {
  const seconds = (load: number, random: number) => {
    const { shedding } = create(() => random)
    const step = simulate(shedding, 6)
    for (let i = 0; i < 100; i += 1) step(load)
    t.ok(shedding.isShedding)
    return shedding.retryAfterSeconds()
  }
  t.equal(seconds(9, 0), 1)
  const [little, much] = [seconds(9, 0.999), seconds(40, 0.999)]
  t.ok(little >= 2 && little < much && much <= 30, `${little} and ${much}`)
})

t.test(
  'one client cannot be urgent more often than its share, and one kind of request does not take everything',
  async (t) => {
    const flood = (clientOf: () => string) => {
      const { shedding } = create()
      const step = simulate(shedding, 6)
      for (let i = 0; i < 40; i += 1) step(18)
      const sum = { revocation: 0, call: 0 }
      for (let i = 0; i < 60; i += 1) {
        const { admitted } = step(18, ['revocation', 'call'], clientOf)
        sum.revocation += admitted.revocation
        sum.call += admitted.call
      }
      return sum
    }
    const ofOne = flood(() => 'a')
    t.ok(ofOne.revocation < ofOne.call, `${ofOne.revocation} revocations of one client, ${ofOne.call} calls`)
    let clients = 0
    const ofMany = flood(() => `${clients++}`)
    t.ok(ofMany.revocation > ofOne.revocation, `${ofMany.revocation} of many clients`)
    t.ok(ofMany.call > 0, `${ofMany.call} calls beside them`)
  },
)

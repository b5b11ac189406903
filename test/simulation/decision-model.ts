// What the script on Redis decides, in this language: line by line after src/storage/counters/redis-script.ts, without
// the clock that is set back and values that are not ours. test/simulation/decision-model.test.ts holds it to the script.

interface Rate {
  kind: 'r'
  limit: number
  period: number
  burst: number
  level: number
  at: number
}
interface Quota {
  kind: 'q'
  limit: number
  period: number
  born: number
  total: number
  slots: [slot: number, units: number][]
}
type Meter = Rate | Quota

interface Bucket {
  key: string
  kind: 'r' | 'q'
  limit: number
  period: number
  burst: number
  cost: number
  lease: number
  want: number
  debt: number
  back: number
  backBorn: number
  backSlot: number
}

const SLOTS = 30
const WORDS = 11

/**
 * Meters that nobody has used. What it returns is called with the keys and the arguments of the script and gives its
 * reply. `clock`: microseconds, for scripts that are not given the time.
 */
export function createDecisionModel(clock: () => number) {
  const meters = new Map<string, Meter>()

  return (keys: readonly string[], words: readonly (string | number)[]): number[] => {
    const [given = '', op, instances] = words
    const now = given === '' ? Math.floor(clock()) : Number(given)
    const asks = keys.slice(1).map((key, index) => readAsk(key, words.slice(3 + index * WORDS)))
    const loaded = new Map<string, Meter>()
    const meterOf = (ask: Bucket): Meter => {
      const meter = loaded.get(ask.key) ?? copy(meters.get(ask.key)) ?? newMeter(ask, now)
      loaded.set(ask.key, meter)
      forget(meter, now)
      return meter
    }
    const isTaking = op === 'take'
    const fits = asks.map((ask) => {
      const meter = meterOf(ask)
      if (isTaking) settle(meter, ask, now)
      const fit = missing(meter, ask, ask.cost) <= 0
      if (isTaking && fit) charge(meter, ask.cost, now + ask.lease)
      return fit
    })
    const all = fits.every((fit) => fit)
    if (isTaking && !all) {
      asks.forEach((ask, index) => {
        if (fits[index] === true) charge(meterOf(ask), -ask.cost, now + ask.lease)
      })
    }
    const ahead = asks.map((ask) =>
      isTaking && all ? lend(meterOf(ask), ask, { now, instances: Number(instances) }) : 0,
    )
    const reply = [0]
    asks.forEach((ask, index) => {
      const meter = meterOf(ask)
      const fit = fits[index] === true
      reply.push(fit ? 1 : 0, remaining(meter, ask), reset(meter, now), fit ? 0 : fitsAfter(meter, ask, now))
      reply.push(ahead[index] ?? 0, meter.kind === 'q' ? meter.born : 0, newestSlot(meter))
    })
    if (isTaking) for (const [key, meter] of loaded) meters.set(key, meter)
    return reply
  }
}

function readAsk(key: string, words: readonly (string | number)[]): Bucket {
  const [kind, ...numbers] = words.slice(0, WORDS)
  const [
    limit = 0,
    period = 0,
    burst = 0,
    cost = 0,
    lease = 0,
    want = 0,
    debt = 0,
    back = 0,
    backBorn = 0,
    backSlot = 0,
  ] = numbers.map(Number)
  const leased = { lease, want, debt, back, backBorn, backSlot }
  return { key, kind: kind === 'r' ? 'r' : 'q', limit, period, burst, cost, ...leased }
}

function newMeter({ kind, limit, period, burst }: Bucket, now: number): Meter {
  if (kind === 'r') return { kind, limit, period, burst, level: 0, at: now }
  return { kind, limit, period, born: now, total: 0, slots: [] }
}

function copy(meter: Meter | undefined): Meter | undefined {
  return meter === undefined ? undefined : structuredClone(meter)
}

function unit(meter: Meter): number {
  return meter.period * 1_000
}
function slotAt(meter: Quota, at: number): number {
  return Math.floor((at * 3) / (meter.period * 100))
}
function forgottenAt(meter: Quota, slot: number): number {
  return Math.ceil(((slot + SLOTS + 1) * meter.period * 100) / 3)
}
function newestSlot(meter: Meter): number {
  return meter.kind === 'q' ? (meter.slots.at(-1)?.[0] ?? 0) : 0
}

function forget(meter: Meter, now: number): void {
  if (meter.kind === 'r') {
    if (now > meter.at) {
      meter.level = Math.max(0, meter.level - (now - meter.at) * meter.limit)
      meter.at = now
    }
    return
  }
  const first = slotAt(meter, now) - SLOTS
  while ((meter.slots[0]?.[0] ?? first) < first) meter.total -= meter.slots.shift()?.[1] ?? 0
}

function charge(meter: Meter, cost: number, at: number): void {
  if (meter.kind === 'r') {
    meter.level = Math.max(0, meter.level + cost * unit(meter))
    return
  }
  const before = meter.slots.at(-1)
  const slot = Math.max(slotAt(meter, at), before?.[0] ?? 0)
  const newest: [number, number] = before?.[0] === slot ? before : [slot, 0]
  if (newest !== before) meter.slots.push(newest)
  newest[1] += cost
  if (newest[1] <= 0) meter.slots.pop()
  meter.total += cost
}

/** How much would have to leak, or be forgotten, for the cost to fit; not positive when it fits. */
function missing(meter: Meter, ask: Bucket, cost: number): number {
  if (meter.kind === 'q') return meter.total + cost - meter.limit
  return meter.level + (cost - meter.burst) * unit(meter) + meter.limit * ask.lease
}

function remaining(meter: Meter, ask: Bucket): number {
  const free = -missing(meter, ask, 0)
  return Math.max(0, meter.kind === 'q' ? free : Math.floor(free / unit(meter)))
}

function fitsAfter(meter: Meter, ask: Bucket, now: number): number {
  let over = missing(meter, ask, ask.cost)
  if (meter.kind === 'r') {
    if (ask.cost * unit(meter) + meter.limit * ask.lease > meter.burst * unit(meter)) return -1
    return Math.ceil(Math.max(0, over / meter.limit) / 1_000)
  }
  if (over <= 0) return 0
  for (const [slot, units] of meter.slots) {
    over -= units
    if (over <= 0) return Math.ceil(Math.max(0, forgottenAt(meter, slot) - now) / 1_000)
  }
  return -1
}

function reset(meter: Meter, now: number): number {
  if (meter.kind === 'r') return Math.ceil(meter.level / meter.limit / 1_000)
  const oldest = meter.slots[0]
  return oldest === undefined ? 0 : Math.ceil(Math.max(0, forgottenAt(meter, oldest[0]) - now) / 1_000)
}

function settle(meter: Meter, ask: Bucket, now: number): void {
  if (ask.debt > 0) {
    charge(meter, ask.debt, now)
    if (meter.kind === 'r') meter.level = Math.min(meter.level, meter.burst * unit(meter))
  }
  if (ask.back <= 0 || meter.kind !== 'q' || meter.born !== ask.backBorn) return
  const slot = meter.slots.find(([number]) => number === ask.backSlot)
  if (slot === undefined) return
  const units = Math.min(ask.back, slot[1])
  slot[1] -= units
  meter.total -= units
  if (slot[1] === 0) meter.slots.splice(meter.slots.indexOf(slot), 1)
}

function lend(meter: Meter, ask: Bucket, { now, instances }: { now: number; instances: number }): number {
  if (ask.want <= 0) return 0
  const free = remaining(meter, ask)
  const units = Math.min(ask.want, free, Math.max(1, Math.floor(free / (2 * instances))))
  if (units > 0) charge(meter, units, now + ask.lease)
  return units
}

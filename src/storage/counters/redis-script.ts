// The decision on all buckets of a request, as one Lua script: between two lines of it no other instance runs, which
// closes the race between reading a count and charging it. It reckons as rate.ts and quota.ts do, with the same whole
// numbers; test/storage/counters/redis-counters.test.ts holds it to them.
//
// Numbers in Lua are doubles, as here: whole up to 2^53. A rate is exact while burst × period in µs is below that
// (100,000 at once in a day); above it a decision is off by less than a unit in ten thousand million. A quota's largest
// number is three times the time, whole until the year 2065.
//
// KEYS: the clock, then one for each bucket. ARGV: time in µs for tests or '', 'take' or 'peek', number of instances;
// then for each bucket kind, limit, period in ms, burst, cost, life of a lease in µs (0: no lease), units wanted ahead,
// debt, and of a lease that ended: units left, birth of the key, slot.
// Reply: the number of values under our keys that were not ours, then for each bucket allowed, remaining, reset ms,
// retry ms (-1: never), units ahead, birth, slot.

/** Numbers of a bucket in the reply, and before the first of them. */
export const ANSWERS = { each: 7, before: 1 } as const

const clock = `
local SLOTS, DAY = 30, 86400000
local given, op, instances = ARGV[1], ARGV[2], tonumber(ARGV[3])
local corrupt = 0

-- Time never goes back: not when the clock is set, and not when a replica whose clock is behind takes over. Then it goes
-- on from where it was last seen, until the clock has caught up.
local function readClock()
  local time = redis.call('TIME')
  local now = given ~= '' and tonumber(given) or time[1] * 1000000 + time[2]
  local kept = redis.pcall('GET', KEYS[1])
  local last, behind = nil, nil
  if type(kept) == 'string' then last, behind = string.match(kept, '^(%d+) (%d+)$') end
  if kept and not last then corrupt = corrupt + 1 end
  last, behind = tonumber(last or 0), tonumber(behind or 0)
  if now >= last then return now, last, 0, behind ~= 0 end
  local moved = now + behind < last
  if moved then behind = last - now end
  return now + behind, last, behind, moved
end
local now, last, behind, clockMoved = readClock()
`

const meters = `
local function whole(n, most) return type(n) == 'number' and n >= 0 and n <= most and n % 1 == 0 end
local function slotAt(m, at) return math.floor((at * 3) / (m.period * 100)) end
local function forgottenAt(m, slot) return math.ceil(((slot + SLOTS + 1) * m.period * 100) / 3) end
local function unit(m) return m.period * 1000 end

local function newMeter(kind, limit, period, burst)
  local m = { kind = kind, limit = limit, period = period, burst = burst }
  if kind == 'r' then m.level, m.at = 0, now else m.total, m.slots, m.born = 0, {}, now end
  return m
end

local function forget(m)
  if m.kind == 'r' then
    if now > m.at then m.level, m.at = math.max(0, m.level - (now - m.at) * m.limit), now end
    return
  end
  local first = slotAt(m, now) - SLOTS
  while m.slots[1] and m.slots[1][1] < first do
    m.total = m.total - m.slots[1][2]
    table.remove(m.slots, 1)
  end
end

local function charge(m, cost, at)
  if m.kind == 'r' then
    m.level = math.max(0, m.level + cost * unit(m))
    return
  end
  local newest = m.slots[#m.slots]
  local slot = math.max(slotAt(m, at), newest and newest[1] or 0)
  if newest and newest[1] == slot then newest[2] = newest[2] + cost
  else newest = { slot, cost }; table.insert(m.slots, newest) end
  if newest[2] <= 0 then table.remove(m.slots) end
  m.total = m.total + cost
  return slot
end

-- What stands under a key, or nil when it is not a meter. A value from before a change of the numbers keeps its own.
local function decode(text)
  local ok, v = pcall(cmsgpack.unpack, text)
  if not ok or type(v) ~= 'table' then return nil end
  if not (whole(v[2], 2^53) and v[2] > 0 and whole(v[3], 2^53) and v[3] > 0) then return nil end
  local m = newMeter(v[1], v[2], v[3], 0)
  if v[1] == 'r' then
    if not (whole(v[4], 2^53) and whole(v[5], v[4] * unit(m)) and whole(v[6], now + unit(m))) then return nil end
    m.burst, m.level, m.at = v[4], v[5], v[6]
    return m
  end
  if v[1] ~= 'q' or not whole(v[4], 2^53) then return nil end
  m.born = v[4]
  local newest, latest = -1, slotAt(m, now) + SLOTS
  for i = 5, #v, 2 do
    if not (whole(v[i], latest) and v[i] > newest and whole(v[i + 1], 2^53)) then return nil end
    newest = v[i]
    m.total = m.total + v[i + 1]
    table.insert(m.slots, { v[i], v[i + 1] })
  end
  return m
end

local function encode(m)
  if m.kind == 'r' then return cmsgpack.pack({ 'r', m.limit, m.period, m.burst, m.level, m.at }) end
  local v = { 'q', m.limit, m.period, m.born }
  for _, slot in ipairs(m.slots) do v[#v + 1] = slot[1]; v[#v + 1] = slot[2] end
  return cmsgpack.pack(v)
end

-- Milliseconds for which it counts, and one second more; nil when nothing of it counts.
local function lifetime(m)
  local ends
  if m.kind == 'r' then ends = m.level > 0 and m.at + m.level / m.limit or nil
  else local newest = m.slots[#m.slots]; ends = newest and forgottenAt(m, newest[1]) or nil end
  if not ends then return nil end
  if given ~= '' then return DAY end
  return math.min(400 * DAY, math.ceil((ends - now) / 1000) + 1000)
end

-- The meter for new numbers, on which the units already used count on.
local function renew(m, b)
  if m.kind == b.kind and m.limit == b.limit and m.period == b.period and m.burst == b.burst then return m end
  local used = m.kind == 'r' and m.level / unit(m) or m.total
  local renewed = newMeter(b.kind, b.limit, b.period, b.burst)
  charge(renewed, math.min(math.ceil(used), b.kind == 'r' and b.burst or b.limit), now)
  return renewed
end
`

const decision = `
local loaded, order = {}, {}
local function load(b)
  local entry = loaded[b.key]
  if not entry then
    local text = redis.pcall('GET', b.key)
    local m = type(text) == 'string' and decode(text) or nil
    entry = { key = b.key, dirty = text and not m }
    if entry.dirty then corrupt = corrupt + 1 end
    entry.meter = m or newMeter(b.kind, b.limit, b.period, b.burst)
    loaded[b.key] = entry
    table.insert(order, entry)
  end
  forget(entry.meter)
  local renewed = renew(entry.meter, b)
  if renewed ~= entry.meter then entry.meter, entry.dirty = renewed, true end
  return entry
end

-- How much would have to leak, or be forgotten, for the cost to fit; not positive when it fits. The units of a lease of a
-- rate may be spent until it ends: what leaks in that time is held back.
local function missing(m, b, cost)
  if m.kind == 'q' then return m.total + cost - m.limit end
  return m.level + (cost - m.burst) * unit(m) + m.limit * b.lease
end

local function remaining(m, b)
  local free = -missing(m, b, 0)
  return math.max(0, m.kind == 'q' and free or math.floor(free / unit(m)))
end

local function fitsAfter(m, b)
  local over = missing(m, b, b.cost)
  if m.kind == 'r' then
    if b.cost * unit(m) + m.limit * b.lease > m.burst * unit(m) then return -1 end
    return math.ceil(math.max(0, over / m.limit) / 1000)
  end
  if over <= 0 then return 0 end
  for _, slot in ipairs(m.slots) do
    over = over - slot[2]
    if over <= 0 then return math.ceil(math.max(0, forgottenAt(m, slot[1]) - now) / 1000) end
  end
  return -1
end

local function reset(m)
  if m.kind == 'r' then return math.ceil(m.level / m.limit / 1000) end
  local oldest = m.slots[1]
  return oldest and math.ceil(math.max(0, forgottenAt(m, oldest[1]) - now) / 1000) or 0
end

-- What was let through while Redis was gone, and what is left of a lease that ended. A quota's lease is given back into
-- the slot in which it was charged; of another life of the key it says nothing.
local function settle(entry, b)
  local m = entry.meter
  if b.debt > 0 then
    charge(m, b.debt, now)
    if m.kind == 'r' then m.level = math.min(m.level, m.burst * unit(m)) end
    entry.dirty = true
  end
  if b.back <= 0 or m.kind ~= 'q' or m.born ~= b.backBorn then return end
  for i, slot in ipairs(m.slots) do
    if slot[1] == b.backSlot then
      local units = math.min(b.back, slot[2])
      slot[2], m.total, entry.dirty = slot[2] - units, m.total - units, true
      if slot[2] == 0 then table.remove(m.slots, i) end
      return
    end
  end
end

local buckets = {}
for i = 2, #KEYS do
  local a = 3 + (i - 2) * 11
  local function n(at) return tonumber(ARGV[a + at]) end
  buckets[i - 1] = { key = KEYS[i], kind = ARGV[a + 1], limit = n(2), period = n(3), burst = n(4), cost = n(5),
    lease = n(6), want = n(7), debt = n(8), back = n(9), backBorn = n(10), backSlot = n(11) }
end

local all = true
for _, b in ipairs(buckets) do
  local entry = load(b)
  if op == 'take' then settle(entry, b) end
  b.fits = missing(entry.meter, b, b.cost) <= 0
  if op == 'take' and b.fits then charge(entry.meter, b.cost, now + b.lease) end
  all = all and b.fits
end
-- Charged one after the other, so that two buckets on one key add up; taken back when one does not fit.
if op == 'take' and not all then
  for _, b in ipairs(buckets) do
    if b.fits then charge(load(b).meter, -b.cost, now + b.lease) end
  end
end

-- Ahead goes at most a part of what is left, so that the last units are not stranded where nobody asks for them.
local function lend(b)
  if op ~= 'take' or not all or b.want <= 0 then return 0 end
  local m = loaded[b.key].meter
  local free = remaining(m, b)
  local units = math.min(b.want, free, math.max(1, math.floor(free / (2 * instances))))
  if units > 0 then charge(m, units, now + b.lease) end
  return units
end

local reply = { 0 }
for _, b in ipairs(buckets) do
  b.ahead = lend(b)
  if op == 'take' and all and b.cost + b.ahead > 0 then loaded[b.key].dirty = true end
end
for _, b in ipairs(buckets) do
  local m = loaded[b.key].meter
  local newest = m.kind == 'q' and m.slots[#m.slots]
  for _, value in ipairs({ b.fits and 1 or 0, remaining(m, b), reset(m), b.fits and 0 or fitsAfter(m, b), b.ahead,
    m.born or 0, newest and newest[1] or 0 }) do
    reply[#reply + 1] = value
  end
end
reply[1] = corrupt
if op ~= 'take' then return reply end

local wrote = false
for _, entry in ipairs(order) do
  if entry.dirty then
    local ms = lifetime(entry.meter)
    if ms then redis.call('SET', entry.key, encode(entry.meter), 'PX', string.format('%.0f', ms))
    else redis.call('DEL', entry.key) end
    wrote = true
  end
end
-- A clock that was moved is kept at once, or time would stand still for as long as all are refused.
if clockMoved or (wrote and now - last >= 100000) then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', now, behind), 'PX', string.format('%.0f', 400 * DAY))
end
return reply
`

/** The script; see the top of this file. */
export const decisionScript = [clock, meters, decision].join('')

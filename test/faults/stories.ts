// Every fault, in the order in which they are run: those that can share a cluster stand together.

import { acknowledgedWrites } from './acknowledged-writes.js'
import { cleanerKilled } from './cleaner-killed.js'
import { clockJumps } from './clock-jumps.js'
import { codesAndRefresh } from './codes-and-refresh.js'
import { conflictingWrites } from './conflicting-writes.js'
import { cutOffFromAll } from './cut-off-from-all.js'
import { cutOffFromRedis } from './cut-off-from-redis.js'
import { eventLoopBlocked } from './event-loop-blocked.js'
import { instanceKilled } from './instance-killed.js'
import { instancePaused } from './instance-paused.js'
import { keyRotation } from './key-rotation.js'
import { limitsOnDown } from './limits-on-down.js'
import { limitsTogether } from './limits-together.js'
import { logDiskFull } from './log-disk-full.js'
import { nothingUsable } from './nothing-usable.js'
import { postgresqlDiskFull } from './postgresql-disk-full.js'
import { postgresqlHangs } from './postgresql-hangs.js'
import { postgresqlKilled } from './postgresql-killed.js'
import { postgresqlWithoutRoom } from './postgresql-without-room.js'
import { redisEmptied } from './redis-emptied.js'
import { redisFailover } from './redis-failover.js'
import { redisFull } from './redis-full.js'
import { redisHangs } from './redis-hangs.js'
import { redisSlow } from './redis-slow.js'
import { redisWrongValues } from './redis-wrong-values.js'
import { revocationEverywhere } from './revocation-everywhere.js'
import { rollingRestart } from './rolling-restart.js'
import { startsAtOnce } from './starts-at-once.js'
import type { FaultStory } from './story.js'
import { streamKilled } from './stream-killed.js'
import { threadPoolStarved } from './thread-pool-starved.js'
import { uncaughtErrors } from './uncaught-errors.js'
import { unknownKeys } from './unknown-keys.js'
import { upstreamNameLost } from './upstream-name-lost.js'

export const stories: readonly FaultStory[] = [
  revocationEverywhere,
  streamKilled,
  instancePaused,
  redisEmptied,
  redisHangs,
  redisSlow,
  cutOffFromRedis,
  cutOffFromAll,
  limitsTogether,
  limitsOnDown,
  postgresqlKilled,
  postgresqlHangs,
  postgresqlWithoutRoom,
  eventLoopBlocked,
  redisFull,
  redisWrongValues,
  clockJumps,
  logDiskFull,
  nothingUsable,
  redisFailover,
  postgresqlDiskFull,
  startsAtOnce,
  cleanerKilled,
  rollingRestart,
  instanceKilled,
  keyRotation,
  conflictingWrites,
  unknownKeys,
  threadPoolStarved,
  acknowledgedWrites,
  codesAndRefresh,
  uncaughtErrors,
  upstreamNameLost,
]

// Every fault, in the order in which they are run: those that can share a cluster stand together.

import { clusterFailover } from './failover/cluster-failover.js'
import { postgresqlFailover } from './failover/postgresql-failover.js'
import { sentinelFailover } from './failover/sentinel-failover.js'
import { clockJumps } from './instances/clock-jumps.js'
import { eventLoopBlocked } from './instances/event-loop-blocked.js'
import { instanceKilled } from './instances/instance-killed.js'
import { instancePaused } from './instances/instance-paused.js'
import { logDiskFull } from './instances/log-disk-full.js'
import { rollingRestart } from './instances/rolling-restart.js'
import { startsAtOnce } from './instances/starts-at-once.js'
import { threadPoolStarved } from './instances/thread-pool-starved.js'
import { uncaughtErrors } from './instances/uncaught-errors.js'
import { upstreamNameLost } from './instances/upstream-name-lost.js'
import { acknowledgedWrites } from './postgresql/acknowledged-writes.js'
import { cleanerKilled } from './postgresql/cleaner-killed.js'
import { conflictingWrites } from './postgresql/conflicting-writes.js'
import { cutOffFromAll } from './postgresql/cut-off-from-all.js'
import { postgresqlDiskFull } from './postgresql/postgresql-disk-full.js'
import { postgresqlHangs } from './postgresql/postgresql-hangs.js'
import { postgresqlKilled } from './postgresql/postgresql-killed.js'
import { postgresqlWithoutRoom } from './postgresql/postgresql-without-room.js'
import { cutOffFromRedis } from './redis/cut-off-from-redis.js'
import { limitsOnDown } from './redis/limits-on-down.js'
import { limitsTogether } from './redis/limits-together.js'
import { redisEmptied } from './redis/redis-emptied.js'
import { redisFailover } from './redis/redis-failover.js'
import { redisFull } from './redis/redis-full.js'
import { redisHangs } from './redis/redis-hangs.js'
import { redisSlow } from './redis/redis-slow.js'
import { redisWrongValues } from './redis/redis-wrong-values.js'
import { streamKilled } from './redis/stream-killed.js'
import type { FaultStory } from './story.js'
import { codesAndRefresh } from './tokens/codes-and-refresh.js'
import { keyRotation } from './tokens/key-rotation.js'
import { nothingUsable } from './tokens/nothing-usable.js'
import { revocationEverywhere } from './tokens/revocation-everywhere.js'
import { unknownKeys } from './tokens/unknown-keys.js'

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
  sentinelFailover,
  clusterFailover,
  postgresqlFailover,
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

// Redis fails in every way that is quick to show, for all instances and for one alone.
// full: makes Redis fail in every way, a minute
// run: alone

import t from 'tap'
import { cutOffFromAll } from './postgresql/cut-off-from-all.js'
import { cutOffFromRedis } from './redis/cut-off-from-redis.js'
import { limitsOnDown } from './redis/limits-on-down.js'
import { limitsTogether } from './redis/limits-together.js'
import { redisEmptied } from './redis/redis-emptied.js'
import { redisHangs } from './redis/redis-hangs.js'
import { testStories } from './test-stories.js'

await testStories(t, [redisEmptied, redisHangs, cutOffFromRedis, cutOffFromAll, limitsTogether, limitsOnDown])

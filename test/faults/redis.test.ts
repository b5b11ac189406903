// Redis fails in every way that is quick to show, for all instances and for one alone.

import t from 'tap'
import { cutOffFromAll } from './cut-off-from-all.js'
import { cutOffFromRedis } from './cut-off-from-redis.js'
import { limitsOnDown } from './limits-on-down.js'
import { limitsTogether } from './limits-together.js'
import { redisEmptied } from './redis-emptied.js'
import { redisHangs } from './redis-hangs.js'
import { testStories } from './test-stories.js'

await testStories(t, [redisEmptied, redisHangs, cutOffFromRedis, cutOffFromAll, limitsTogether, limitsOnDown])

// Revocations reach every instance: with everything in order, with the stream killed, and after standing still.
// full: kills and stops what carries revocations
// run: alone

import t from 'tap'
import { instancePaused } from './instances/instance-paused.js'
import { streamKilled } from './redis/stream-killed.js'
import { testStories } from './test-stories.js'
import { revocationEverywhere } from './tokens/revocation-everywhere.js'

await testStories(t, [revocationEverywhere, streamKilled, instancePaused])

// Revocations reach every instance: with everything in order, with the stream killed, and after standing still.

import t from 'tap'
import { instancePaused } from './instance-paused.js'
import { revocationEverywhere } from './revocation-everywhere.js'
import { streamKilled } from './stream-killed.js'
import { testStories } from './test-stories.js'

await testStories(t, [revocationEverywhere, streamKilled, instancePaused])

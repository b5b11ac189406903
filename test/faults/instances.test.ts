// Instances end and begin, signing keys change, writers conflict, and what was acknowledged stays.
// full: ends and starts whole instances, a minute
// run: alone

import t from 'tap'
import { instanceKilled } from './instances/instance-killed.js'
import { rollingRestart } from './instances/rolling-restart.js'
import { acknowledgedWrites } from './postgresql/acknowledged-writes.js'
import { conflictingWrites } from './postgresql/conflicting-writes.js'
import { testStories } from './test-stories.js'
import { codesAndRefresh } from './tokens/codes-and-refresh.js'
import { keyRotation } from './tokens/key-rotation.js'

await testStories(t, [
  conflictingWrites,
  keyRotation,
  rollingRestart,
  instanceKilled,
  codesAndRefresh,
  acknowledgedWrites,
])

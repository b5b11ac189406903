// Instances end and begin, signing keys change, writers conflict, and what was acknowledged stays.

import t from 'tap'
import { acknowledgedWrites } from './acknowledged-writes.js'
import { codesAndRefresh } from './codes-and-refresh.js'
import { conflictingWrites } from './conflicting-writes.js'
import { instanceKilled } from './instance-killed.js'
import { keyRotation } from './key-rotation.js'
import { rollingRestart } from './rolling-restart.js'
import { testStories } from './test-stories.js'

await testStories(t, [
  conflictingWrites,
  keyRotation,
  rollingRestart,
  instanceKilled,
  codesAndRefresh,
  acknowledgedWrites,
])

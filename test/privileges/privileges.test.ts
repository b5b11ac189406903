// People of every role, and applications, make management calls at random for a while: nobody may do more than the
// model says, and nobody may come to more than their place.
// full: 45 seconds of management calls at random

import t from 'tap'
import { openManagement } from '../support/rooms/management.js'
import { threePlans } from '../support/settings/plan-rules.js'
import { attack } from './attack.js'
import { openWorld } from './world.js'

const seconds = Number(process.env['PRIVILEGES_SECONDS'] ?? 45)

t.test(
  'privileges: whatever is called at random, the answers agree with the model and nobody rises',
  { timeout: 240_000 },
  async (t) => {
    const world = await openWorld(await openManagement(t, { plans: threePlans }))
    const seed = Number(process.env['PRIVILEGES_SEED'] ?? Date.now() % 1_000_000)
    const end = performance.now() + seconds * 1000
    const { calls, answers, disagreements } = await attack(world, {
      seed,
      calls: 1e6,
      until: () => performance.now() > end,
    })
    t.comment(`seed ${seed}: ${calls} calls, ${JSON.stringify(answers)}`)
    t.same(disagreements, [])
    t.ok((answers['done'] ?? 0) > 0 && (answers['403'] ?? 0) > 0, 'some were done and some refused')
  },
)

// F20: how soon every instance refuses what was revoked at one of them, with everything in order.

import { spread } from '../scene/measure.js'
import { checkPropagation, measurePropagation, revocableKinds } from '../scene/propagation.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const revocationEverywhere: FaultStory = {
  name: 'revocation-everywhere',
  faults: ['F20'],
  expected:
    'every instance refuses within 1 s of the answer (the slowest asserted threefold), whatever is revoked: token, credential, grant, application, user, tenant',
  cluster: proxiedCluster,
  async run(scene) {
    const lines: string[] = []
    for (const kind of revocableKinds) {
      const times = await measurePropagation(scene, kind, scene.full ? 1_000 : 15)
      checkPropagation(kind, times)
      lines.push(`${times.length} × ${kind} ${spread(times)}`)
    }
    return { text: lines.join('; ') }
  },
}

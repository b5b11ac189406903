// F21: the connection on which instances hear of changes is killed every second while tokens are revoked.

import { ok } from 'node:assert/strict'
import { spread } from '../scene/measure.js'
import { checkPropagation, measurePropagation, revocableKinds } from '../scene/propagation.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const streamKilled: FaultStory = {
  name: 'stream-killed',
  faults: ['F21'],
  expected:
    'every instance still refuses within 1 s of the answer (the slowest asserted threefold): what the stream misses, the Store tells',
  cluster: proxiedCluster,
  async run(scene) {
    const { redis } = scene.cluster
    let killed = 0
    const killStreams = async (): Promise<void> => {
      const clients = (await redis.command('client', 'list')).split('\n')
      for (const client of clients.filter((line) => /cmd=xread(group)? |flags=[^ ]*[bP]/.test(line))) {
        const id = /\bid=(\d+)/.exec(client)?.[1]
        if (id === undefined) continue
        await redis.command('client', 'kill', 'id', id)
        killed += 1
      }
    }
    const timer = setInterval(() => void killStreams().catch(() => {}), 1_000)
    try {
      const lines: string[] = []
      for (const kind of revocableKinds) {
        const times = await measurePropagation(scene, kind, scene.full ? 1_000 : 15)
        checkPropagation(kind, times)
        lines.push(`${times.length} × ${kind} ${spread(times)}`)
      }
      ok(killed > 0, 'a stream was killed')
      return { text: `${killed} connections killed; ${lines.join('; ')}` }
    } finally {
      clearInterval(timer)
    }
  },
}

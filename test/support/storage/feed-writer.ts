// An instance as a process of its own: `feed-writer <store url> <redis url or -> <name>`. Says "started", then does
// what it is sent, a line at a time, and says what it heard as `heard <number> <ms of a clock that all processes
// share>`.

import { createInterface } from 'node:readline'
import type { ChangeStream } from '../../../src/storage/changes/change-stream.js'
import { createSharedFeed } from '../../../src/storage/changes/shared-feed.js'
import { openPostgresStore } from '../../../src/storage/sql/postgresql/postgresql.js'
import { say } from './child-messages.js'
import { openTestStream, postgresOptions, sharedNow } from './feed-instances.js'

const [storeUrl = '', redisUrl = '-', name = ''] = process.argv.slice(2)
const store = await openPostgresStore(postgresOptions(storeUrl))
const real: ChangeStream | undefined = redisUrl === '-' ? undefined : await openTestStream(redisUrl)
let dies = false
/** Dies between the commit and the publication on command. */
const stream: ChangeStream | undefined = real && {
  ...real,
  publish(message) {
    if (dies && message.kind === 'changes') process.kill(process.pid, 'SIGKILL')
    return real.publish(message)
  },
}
const feed = createSharedFeed({
  ...{ store, stream, instanceId: name, pollMs: 500, staleAfterMs: 5_000, confirmMs: 20_000 },
  now: Date.now,
  monotonic: () => performance.now(),
  onStream: (up) => say(`stream ${up ? 'up' : 'down'}`),
  onError: (error) => say(`error ${error instanceof Error ? error.message : error}`),
})
feed.follow({
  name: 'ears',
  load: async () => say('load'),
  apply: ({ seq }) => say(`heard ${seq} ${sharedNow()}`),
})
await feed.start()
say('started')

async function commit(count: number, togetherMost: number): Promise<void> {
  let left = count
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const beganAt = sharedNow()
      const { seq } = await feed.commit(async (_tx, record) => {
        record({ kind: 'keys' })
      })
      const answeredAt = sharedNow()
      say(`began ${seq} ${beganAt}`)
      say(`ack ${seq} ${answeredAt}`)
    }
  }
  await Promise.all(Array.from({ length: togetherMost }, one))
  say('committed')
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [word, ...numbers] = line.split(' ')
  const [count = 1, together = 1] = numbers.map(Number)
  if (word === 'commit') commit(count, together).catch((error: Error) => say(`refused ${error.message}`))
  if (word === 'die') dies = true
  // The first thing that this process does after a pause, before any of its timers ran.
  if (word === 'age') say(`age ${feed.ageMs()} ${feed.seq}`)
})

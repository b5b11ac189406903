// The stream where Redis is more than one server.
// full: several Redis servers
// run: apart

import t, { type Test } from 'tap'
import { startRedisCluster, startSentinelGroup } from '../../support/databases/redis-groups.js'
import { createSharedInstance, openTestStream } from '../../support/storage/feed-instances.js'
import { commitKeys, eventually } from '../../support/storage/feed-recorder.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

t.setTimeout(150_000)
const range = (to: number) => Array.from({ length: to }, (_, i) => i + 1)

async function pair(t: Test, url: string, pollMs: number) {
  const { another } = await openTemporaryStore(t)
  const open = async () => {
    const stream = await openTestStream(url)
    t.teardown(() => stream.stop())
    let ups = 0
    const onStream = (up: boolean) => {
      ups += up ? 1 : 0
    }
    const instance = createSharedInstance(t, { store: await another(), stream }, { pollMs, onStream })
    instance.feed.follow(instance.recorder)
    await instance.feed.start()
    await eventually(() => ups > 0)
    await instance.feed.catchUp()
    return { ...instance, joined: () => ups }
  }
  return { here: await open(), there: await open() }
}

t.test('F5 a failover that lost entries, and the old primary killed: nothing missed, nothing twice', async (t) => {
  const group = await startSentinelGroup(t)
  const { here, there } = await pair(t, group.url, 200)
  for (let i = 0; i < 3; i += 1) await commitKeys(there.feed)
  // What is published from here on never reaches the next primary.
  group.replica.pause()
  for (let i = 0; i < 3; i += 1) await commitKeys(there.feed)
  await group.primary.kill()
  group.replica.resume()
  await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 7)
  // A Sentinel that stood still decides nothing for a while.
  await eventually(() => here.joined() > 1 && there.joined() > 1, 100_000)
  t.equal(await group.primaryPort(), group.replica.port)
  await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 8)
  t.same(here.recorder.heard, ['load 0', ...range(8)])
})

t.test('in a Cluster the stream is one key, and found', async (t) => {
  const cluster = await startRedisCluster(t)
  const { here, there } = await pair(t, cluster.url, 3_600_000)
  for (let i = 0; i < 5; i += 1) await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 5)
  t.same(here.recorder.heard, ['load 0', ...range(5)])
})

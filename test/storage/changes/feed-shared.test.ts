// run: apart

import t, { type Test } from 'tap'
import { type FeedInstance, feedContract } from '../../contract/feed.js'
import { createSharedInstance } from '../../support/storage/feed-instances.js'
import { createStreamHub } from '../../support/storage/stream-hub.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

async function openFeeds(t: Test): Promise<() => Promise<FeedInstance>> {
  const { another } = await openTemporaryStore(t)
  const hub = createStreamHub()
  return async () => createSharedInstance(t, { store: await another(), stream: hub.connect() })
}

await t.test('the shared Feed with a stream keeps the contract', (t) => feedContract(t, openFeeds))

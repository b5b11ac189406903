// Something else happens right before the next change is written.

import type { Feed } from '../../../src/storage/changes/feed.js'

/** Does `work`; before the first transaction that it commits, `meanwhile`. */
export async function withMeanwhile<T>(
  { feed }: { feed: Pick<Feed, 'commit'> },
  work: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  const { commit } = feed
  feed.commit = async (writing) => {
    feed.commit = commit
    await meanwhile()
    return feed.commit(writing)
  }
  try {
    return await work()
  } finally {
    feed.commit = commit
  }
}

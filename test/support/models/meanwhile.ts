// A management call during which something else happens.

import type { Presented } from '../../../src/management/dependencies.js'
import { refusal } from '../rooms/management.js'
import type { World } from './isolation.js'

export interface Call {
  method: 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
}

/** A call of which `meanwhile` is done after everything was looked at, just before it is written. */
export async function during(
  { testApp }: World,
  principal: Presented,
  { method, path, body }: Call,
  meanwhile: () => Promise<unknown>,
): Promise<string> {
  const { feed } = testApp.writes
  const useFeed = (used: typeof feed) => {
    testApp.writes.feed = used
    testApp.deps.users.feed = used
  }
  testApp.caller.principal = principal
  useFeed({
    async commit(work) {
      useFeed(feed)
      await meanwhile()
      return feed.commit(work)
    },
  })
  const answer = await testApp.manage(method, path, body)
  useFeed(feed)
  return answer.statusCode < 300 ? 'done' : `${answer.statusCode} ${refusal(answer).code}`
}

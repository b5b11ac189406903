// The settings of Redis as a connection takes them: the one place where its URL is revealed.

import type { RedisSettings } from '../settings/settings.js'

/** For openRedis. */
export function redisOptions(settings: RedisSettings) {
  const { url, ca, prefix, commandMs, connectMs } = settings
  return { url: url.reveal(), prefix, commandMs, connectMs, ...(ca === undefined ? {} : { ca }) }
}

// The settings of Redis as a connection takes them: the one place where its URL and the password of its Sentinels are revealed.

import type { RedisSettings } from '../settings/storage-settings.js'

/** For openRedis. */
export function redisOptions(settings: RedisSettings) {
  const { url, ca, sentinel, prefix, commandMs, connectMs } = settings
  const { user, password, tls } = sentinel
  return {
    url: url.reveal(),
    sentinel: { user, password: password?.reveal(), tls },
    prefix,
    commandMs,
    connectMs,
    ...(ca === undefined ? {} : { ca }),
  }
}

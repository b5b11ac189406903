// What `portcullis doctor` asks PostgreSQL and Redis from here, with the URLs of the configuration. No finding shows a
// URL.

import type { RedisSettings, Settings, StoreSettings } from '../../../config/settings/settings.js'
import { reasonOf } from '../../../observability/reason.js'
import type { Finding } from '../../output/finding.js'

/** Findings about those of the two that are configured. */
export async function checkStorage(settings: Settings): Promise<Finding[]> {
  const { store, redis } = settings
  return Promise.all([
    ...(store.kind === 'postgresql' ? [checkPostgresql(store)] : []),
    ...(redis === undefined ? [] : [checkRedis(redis)]),
  ])
}

/** Whether Redis can be reached, lets us in, and keeps what it is given. */
async function checkRedis(settings: RedisSettings): Promise<Finding> {
  const [{ redisOptions }, { openRedis }] = await Promise.all([
    import('../../../config/process/redis-options.js'),
    import('../../../storage/redis/connection.js'),
  ])
  try {
    const connection = await openRedis(redisOptions(settings), 'publish')
    const { up, reason } = connection.state
    await connection.close()
    if (up) return { check: 'redis', state: 'ok', message: 'Redis answers and does not evict' }
    // The connection alone is lost, so requests go on: a warning would not say that limits are no longer shared.
    return failed('redis', reason, 'see redis.url (PORTCULLIS_REDIS), and whether Redis runs where it says')
  } catch (error) {
    return failed('redis', reasonOf(error), 'see redis.url, and the configuration of Redis itself')
  }
}

/** Whether PostgreSQL can be reached and lets us in. */
async function checkPostgresql(settings: Extract<StoreSettings, { kind: 'postgresql' }>): Promise<Finding> {
  const { probeStore } = await import('../../../storage/sql/open-store.js')
  try {
    const version = await probeStore(settings)
    return { check: 'postgresql', state: 'ok', message: `PostgreSQL ${version} answers` }
  } catch (error) {
    const advice =
      'see store.url (PORTCULLIS_STORE; TLS unless it says sslmode=disable or is this machine) and store.postgresql.ca, and whether PostgreSQL lets this host in'
    return failed('postgresql', reasonOf(error), advice)
  }
}

function failed(check: string, message: string, advice: string): Finding {
  return { check, state: 'fail', message, advice }
}

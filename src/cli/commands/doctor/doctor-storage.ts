// What `portcullis doctor` asks PostgreSQL and Redis from here, with the URLs of the configuration. No finding shows a
// URL.

import type { Settings } from '../../../config/settings/settings.js'
import type { RedisSettings, StoreSettings } from '../../../config/settings/storage-settings.js'
import { reasonOf } from '../../../observability/reason.js'
import type { PostgresProbe } from '../../../storage/sql/postgresql/postgresql.js'
import type { Finding } from '../../output/finding.js'

/** Findings about those of the two that are configured. */
export async function checkStorage(settings: Settings): Promise<Finding[]> {
  const { store, redis } = settings
  return Promise.all([
    ...(store.kind === 'postgresql' ? [checkPostgresql(store)] : []),
    ...(redis === undefined ? [] : [checkRedis(redis)]),
  ]).then((found) => found.flat())
}

/** Whether Redis can be reached, lets us in, keeps what it is given, and could fail over where it is several servers. */
export async function checkRedis(settings: RedisSettings): Promise<Finding[]> {
  const [{ redisOptions }, { openRedis }, { checkGroup }] = await Promise.all([
    import('../../../config/process/redis-options.js'),
    import('../../../storage/redis/connection.js'),
    import('../../../storage/redis/group-check.js'),
  ])
  try {
    const options = redisOptions(settings)
    const [connection, problems] = await Promise.all([openRedis(options, 'publish'), checkGroup(options)])
    const { up, reason } = connection.state
    await connection.close()
    const found = problems.map(
      ({ message, advice, isWarning }): Finding => ({
        check: 'redis',
        state: isWarning && up ? 'warn' : 'fail',
        message,
        advice,
      }),
    )
    if (up) return [...found, { check: 'redis', state: 'ok', message: 'Redis answers and does not evict' }]
    if (found.length > 0) return found
    // The connection alone is lost, so requests go on: a warning would not say that limits are no longer shared.
    return [failed('redis', reason, 'see redis.url (PORTCULLIS_REDIS), and whether Redis runs where it says')]
  } catch (error) {
    return [failed('redis', reasonOf(error), 'see redis.url, and the configuration of Redis itself')]
  }
}

/** Whether PostgreSQL can be reached and lets us in. */
async function checkPostgresql(settings: Extract<StoreSettings, { kind: 'postgresql' }>): Promise<Finding> {
  const { probeStore } = await import('../../../storage/sql/open-store.js')
  try {
    const probe = await probeStore(settings)
    const name = `${probe.isAurora ? 'Aurora ' : ''}PostgreSQL ${probe.serverVersion}${probe.hasCitus ? ' with Citus' : ''}`
    // Aurora acknowledges what its storage has on several machines.
    if (probe.standbys > 0 && probe.synchronous === '' && !probe.isAurora) {
      return {
        check: 'postgresql',
        state: 'warn',
        message: `${name} answers, and has standbys that no commit waits for: a failover may lose what was acknowledged`,
        advice: `set synchronous_standby_names, such as 'ANY 1 (*)'`,
      }
    }
    return (
      connectionFinding(probe, settings.connections) ?? { check: 'postgresql', state: 'ok', message: `${name} answers` }
    )
  } catch (error) {
    const advice =
      'see store.url (PORTCULLIS_STORE; TLS unless it says sslmode=disable or is this machine) and store.postgresql.ca, and whether PostgreSQL lets this host in'
    return failed('postgresql', reasonOf(error), advice)
  }
}

/**
 * A warning when the instances that there are may open more connections than PostgreSQL takes. This configuration's
 * number stands for that of each.
 */
export function connectionFinding(
  { connections, instances }: Pick<PostgresProbe, 'connections' | 'instances'>,
  ofEach: number,
): Finding | undefined {
  const wanted = Math.max(1, instances) * ofEach
  if (connections === undefined || wanted <= connections) return undefined
  const who = instances > 1 ? `${instances} instances may open ${ofEach} each` : `an instance may open ${ofEach}`
  return {
    check: 'postgresql',
    state: 'warn',
    message: `PostgreSQL takes ${connections} connections, and ${who}: under load some get none and answer 503`,
    advice:
      'lower store.postgresql.connections, raise max_connections, or put a pooler with sessions between and raise its own bound',
  }
}

function failed(check: string, message: string, advice: string): Finding {
  return { check, state: 'fail', message, advice }
}

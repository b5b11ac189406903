// Whether PostgreSQL takes the connections that the instances may open: each opens them only when it needs them, so too
// few show when there is most to do.

import type { FastifyBaseLogger } from 'fastify'
import { readConnectionsForAll } from '../storage/sql/cluster/server-connections.js'
import type { Store } from '../storage/sql/store.js'
import type { Membership } from './membership.js'

/**
 * Warns in the log when the instances that there are, with so many connections of each, may want more than the server
 * takes. One query. Throws StoreUnavailable.
 */
export async function warnOfConnections(options: {
  store: Pick<Store, 'reader'>
  membership: Pick<Membership, 'count'>
  connections: number
  log: Pick<FastifyBaseLogger, 'warn'>
}): Promise<void> {
  const { store, membership, connections, log } = options
  const most = await readConnectionsForAll(store.reader)
  const instances = membership.count()
  if (most === undefined || instances * connections <= most) return
  log.warn(
    { instances, connectionsOfEach: connections, postgresqlTakes: most },
    'these instances may open more connections than PostgreSQL takes: lower store.postgresql.connections, raise ' +
      'max_connections, or put a pooler with sessions between',
  )
}

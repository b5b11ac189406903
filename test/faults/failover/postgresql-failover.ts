// The primary of PostgreSQL is killed under load and its synchronous standby promoted; then the old primary is started
// again beside it, as a primary, and must not be believed. Both servers stand in the URL.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Teardown } from '../../support/cluster/cluster.js'
import { type PostgresServer, startPostgres } from '../../support/databases/postgresql.js'
import { type FaultStory, plainCluster } from '../story.js'
import { onOwnCluster } from './own-cluster.js'
import { underLoad } from './under-load.js'

/** As long as a manager of clusters takes to be sure. */
const noticedMs = 1_000

/** A standby whose confirmation every commit waits for. */
export async function followedBy(t: Teardown, primary: PostgresServer): Promise<PostgresServer> {
  const standby = await startPostgres(t, { standbyOf: primary })
  await primary.admin(`alter system set synchronous_standby_names = 'ANY 1 (standby)'`)
  await primary.admin('select pg_reload_conf()')
  return standby
}

export const postgresqlFailover: FaultStory = {
  name: 'postgresql-failover',
  faults: ['F8'],
  expected:
    'at 500 requests a second: tokens and writes 503 until the standby is promoted, nothing acknowledged is lost, numbers never go back; the former primary that comes back is not written to',
  cluster: { ...plainCluster, started: false },
  ownCluster: true,
  run: (outer) => {
    let standby: PostgresServer
    return onOwnCluster(
      outer.full,
      async (t) => ({
        async storeUrl(primary) {
          standby = await followedBy(t, primary)
          return primary.url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`)
        },
      }),
      async (scene, { postgres }) => {
        const head = async (server: PostgresServer) =>
          Number((await server.admin('select seq from feed_head'))[0]?.['seq'])
        let before = 0
        let starting = Promise.resolve()
        const survived = await underLoad(scene, {
          query: (sql) => standby.admin(sql),
          mayFail: [503],
          async provoke() {
            before = await head(postgres)
            await postgres.stop('SIGKILL')
            await wait(noticedMs)
            await standby.promote()
            // While instances still look for the primary: it answers, and calls itself one.
            starting = postgres.start()
          },
          comeBack: () => starting,
        })
        ok((await head(standby)) > before, 'numbers go on')
        const [stale] = await postgres.admin(`select count(*)::int as n from tenants where name = 'After'`)
        equal(stale?.['n'], 0, 'nobody wrote to the former primary')
        return {
          text: `standby promoted ${noticedMs / 1000} s after the kill; ${survived.text}`,
          recoveryMs: survived.recoveryMs,
        }
      },
    )
  },
}

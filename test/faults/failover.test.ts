// What is shared fails over under load: Redis by Sentinel and as a Cluster, PostgreSQL to a standby.
// full: three failovers under 500 requests a second, minutes
// run: alone

import t from 'tap'
import { clusterFailover } from './failover/cluster-failover.js'
import { postgresqlFailover } from './failover/postgresql-failover.js'
import { sentinelFailover } from './failover/sentinel-failover.js'
import { testStories } from './test-stories.js'

await testStories(t, [sentinelFailover, clusterFailover, postgresqlFailover])

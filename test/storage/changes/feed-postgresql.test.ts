// The Feed of many instances on the real things: PostgreSQL alone, and PostgreSQL with Redis.
// full: the contract of the Feed on PostgreSQL and Redis, a minute
// run: apart

import t, { type Test } from 'tap'
import { openPostgresStore } from '../../../src/storage/sql/postgresql/postgresql.js'
import { type FeedInstance, feedContract } from '../../contract/feed.js'
import { startPostgres } from '../../support/databases/postgresql.js'
import { newMigratedDatabase } from '../../support/databases/postgresql-store.js'
import { startRedis } from '../../support/databases/redis.js'
import { createSharedInstance, openTestStream, postgresOptions } from '../../support/storage/feed-instances.js'

const [postgres, redis] = await Promise.all([startPostgres(t), startRedis(t)])
let prefixes = 0

async function openStore(t: Test, url: string) {
  const store = await openPostgresStore(postgresOptions(url))
  t.teardown(() => store.close())
  return store
}

async function withoutStream(t: Test): Promise<() => Promise<FeedInstance>> {
  const url = await newMigratedDatabase(postgres)
  return async () => createSharedInstance(t, { store: await openStore(t, url), stream: undefined })
}

async function withRedis(t: Test): Promise<() => Promise<FeedInstance>> {
  const url = await newMigratedDatabase(postgres)
  prefixes += 1
  const prefix = `contract-${prefixes}`
  return async () => {
    const stream = await openTestStream(redis.url, prefix)
    t.teardown(() => stream.stop())
    return createSharedInstance(t, { store: await openStore(t, url), stream })
  }
}

await t.test('the shared Feed on PostgreSQL alone keeps the contract', (t) => feedContract(t, withoutStream))
await t.test('the shared Feed on PostgreSQL with Redis keeps the contract', (t) => feedContract(t, withRedis))

// Instances as processes of their own, on PostgreSQL and Redis: killed, stopped, and counted.
// full: kills and stops instances
// run: apart

import t, { type Test } from 'tap'
import { openPostgresStore } from '../../../src/storage/sql/postgresql/postgresql.js'
import { startPostgres } from '../../support/databases/postgresql.js'
import { startRedis } from '../../support/databases/redis.js'
import { postgresOptions } from '../../support/storage/feed-instances.js'
import { type StorageChild, startStorageChild } from '../../support/storage/storage-child.js'

const [postgres, redis] = await Promise.all([startPostgres(t), startRedis(t)])

/** Started instances on a database of their own; each has joined the stream when there is one. */
async function instances(t: Test, names: readonly string[], redisUrl: string): Promise<StorageChild[]> {
  const url = await postgres.newDatabase()
  // Migrated once, before they all try to.
  await (await openPostgresStore(postgresOptions(url))).close()
  const children = names.map((name) => startStorageChild(t, 'feed-writer', [url, redisUrl, name]))
  await Promise.all(children.map((child) => child.waitFor('started')))
  if (redisUrl !== '-') await Promise.all(children.map((child) => child.waitFor('stream up')))
  return children
}

const numbers = (child: StorageChild): number[] =>
  child.lines.filter((line) => line.startsWith('heard ')).map((line) => Number(line.split(' ')[1]))

/** `word <seq> <ms>` lines as seq → ms. */
function moments(child: StorageChild, word: string): Map<number, number> {
  const lines = child.lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.split(' ').map(Number))
  return new Map(lines.map(([, seq = 0, ms = 0]) => [seq, ms]))
}

/** Milliseconds from each `began` of the writer to the follower's `heard`, sorted. */
function delays(writers: readonly StorageChild[], follower: StorageChild, word: string): number[] {
  const heard = moments(follower, 'heard')
  const all = writers.flatMap((writer) => [...moments(writer, word)])
  return all.map(([seq, ms]) => (heard.get(seq) ?? Number.NaN) - ms).sort((a, b) => a - b)
}

function summary(values: readonly number[]): string {
  const at = (part: number) => (values[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms of ${values.length}`
}

t.test('F20 500 commits of two processes: a third hears each once, in order, within a second', async (t) => {
  const [first, second, follower] = (await instances(t, ['a', 'b', 'c'], redis.url)) as [
    StorageChild,
    StorageChild,
    StorageChild,
  ]
  first.tell('commit 250 2')
  second.tell('commit 250 2')
  await Promise.all([first.waitFor('committed'), second.waitFor('committed')])
  const all = Array.from({ length: 500 }, (_, i) => i + 1)
  for (const child of [first, second, follower]) {
    await child.waitFor('heard 500')
    t.same(numbers(child), all)
  }
  const sinceCommit = delays([first, second], follower, 'began')
  const sinceAnswer = delays([first, second], follower, 'ack')
  t.comment(`over Redis, from the beginning of the commit: ${summary(sinceCommit)}`)
  t.comment(`over Redis, from the answer: ${summary(sinceAnswer)}`)
  t.ok((sinceAnswer.at(-1) ?? 9e9) < 15_000, 'but for what a machine that stands still adds')
})

t.test('F20 by polling alone every answer comes after everybody has heard', async (t) => {
  const [writer, follower] = (await instances(t, ['a', 'b'], '-')) as [StorageChild, StorageChild]
  writer.tell('commit 60 6')
  await writer.waitFor('committed')
  await follower.waitFor('heard 60')
  t.same(
    numbers(follower),
    Array.from({ length: 60 }, (_, i) => i + 1),
  )
  const sinceAnswer = delays([writer], follower, 'ack')
  t.comment(`by polling, from the beginning of the commit: ${summary(delays([writer], follower, 'began'))}`)
  t.comment(`by polling, from the answer: ${summary(sinceAnswer)}`)
  t.ok((sinceAnswer.at(-1) ?? 1) <= 5, 'but for the time that a line takes to be written')
})

t.test('a kill -9 between commit and publication: the others have the change within a poll', async (t) => {
  const [victim, other] = (await instances(t, ['a', 'b'], redis.url)) as [StorageChild, StorageChild]
  victim.tell('commit 3')
  await victim.waitFor('committed')
  await other.waitFor('heard 3')
  victim.tell('die')
  victim.tell('commit')
  t.equal(await victim.ended, 'SIGKILL')
  const diedAt = performance.now()
  await other.waitFor('heard 4')
  t.ok(performance.now() - diedAt < 15_000, 'but for what a machine that stands still adds')
  t.notOk(
    victim.lines.some((line) => line.startsWith('ack 4')),
    'no answer said that it was done',
  )
  other.tell('commit')
  await other.waitFor('ack 5')
  t.same(numbers(other), [1, 2, 3, 4, 5])
})

t.test('F22 stopped and continued, an instance answers nothing from its old view', async (t) => {
  const [writer, stopped] = (await instances(t, ['a', 'b'], redis.url)) as [StorageChild, StorageChild]
  writer.tell('commit')
  await stopped.waitFor('heard 1')
  stopped.signal('SIGSTOP')
  writer.tell('commit 3')
  await writer.waitFor('ack 4')
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  // Already waiting when it wakes up: the first thing that it does.
  stopped.tell('age')
  stopped.signal('SIGCONT')
  await stopped.waitFor('age')
  const [, age, seq] = (stopped.lines.find((line) => line.startsWith('age ')) ?? '').split(' ')
  t.ok(age === 'Infinity' || Number(seq) === 4, `its first answer: age ${age} at number ${seq}`)
  await stopped.waitFor('heard 4')
  t.same(numbers(stopped), [1, 2, 3, 4])
  for (let i = 2; !/^age [0-9.]+ 4$/.test(stopped.lines.at(-1) ?? ''); i += 1) {
    stopped.tell('age')
    await stopped.waitFor('age', i)
  }
  t.pass('then it is fresh again')
})

t.test('F8 PostgreSQL killed: what was answered is there, and everybody follows again', async (t) => {
  const [first, second] = (await instances(t, ['a', 'b'], redis.url)) as [StorageChild, StorageChild]
  first.tell('commit 5000')
  await first.waitFor('ack', 5)
  await postgres.stop('SIGKILL')
  await first.waitFor('refused')
  await postgres.start()
  const answered = moments(first, 'ack').size
  // A connection that broke may not be known to be broken yet; then the commit is refused, and requested again.
  for (let refusals = 1; moments(second, 'ack').size === 0; refusals += 1) {
    second.tell('commit')
    await Promise.race([second.waitFor('committed'), second.waitFor('refused', refusals)])
  }
  const last = Math.max(...moments(second, 'ack').keys())
  await Promise.all([first.waitFor(`heard ${last}`), second.waitFor(`heard ${last}`)])
  t.ok(last > answered)
  // Where a server came back, numbers go on with a gap.
  const heard = numbers(first)
  t.same(numbers(second), heard)
  t.same(
    heard,
    [...new Set(heard)].sort((a, b) => a - b),
    'each once, in order',
  )
  t.same(
    [...moments(first, 'ack').keys()].filter((seq) => !heard.includes(seq)),
    [],
    'what was answered is there',
  )
  t.notOk([first, second].some((child) => child.lines.filter((line) => line === 'load').length > 1))
})

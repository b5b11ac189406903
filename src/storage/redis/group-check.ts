// Why a Redis that is several servers, or one of several, cannot be used or will not fail over: every server that the
// URL names is spoken to for itself. For `portcullis doctor` and for the log of a start; sentences name hosts, never a
// password.

import { Redis } from 'ioredis'
import type { RedisOptions } from './connection.js'
import { settledOr, within } from './deadline.js'
import { type SentinelAccess, sentinelOptions, tlsOptions } from './redis-client.js'
import { unavailable } from './redis-errors.js'
import { parseRedisUrl, type RedisHost, type RedisTarget } from './redis-url.js'

/** What is wrong, and what to do about it. */
export interface GroupProblem {
  message: string
  advice: string
  /** Redis is, or may be, used nevertheless; the next failover is what would fail. */
  isWarning: boolean
}

export type GroupOptions = Pick<RedisOptions, 'url' | 'ca' | 'sentinel' | 'connectMs' | 'commandMs' | 'prefix'>

/** Empty when nothing is wrong with how the servers belong together. Throws an Error for a wrong URL; bounded in time. */
export async function checkGroup(options: GroupOptions): Promise<GroupProblem[]> {
  const target = parseRedisUrl(options.url)
  if (target.kind === 'sentinel') return checkSentinels(target, options)
  if (target.kind === 'cluster') return checkCluster(target, options)
  return checkSingle(target, options)
}

type Send = (...words: string[]) => Promise<unknown>

interface Login {
  username: string | undefined
  password: string | undefined
  tls: ReturnType<typeof tlsOptions>
}

/** Runs `work` on a connection of its own. Rejects with the server's own answer, or why there is none. */
async function speak<T>(
  { host, port }: RedisHost,
  { username, password, tls }: Login,
  options: GroupOptions,
  work: (send: Send) => Promise<T>,
): Promise<T> {
  const client = new Redis({
    host,
    port,
    family: 0,
    lazyConnect: true,
    enableReadyCheck: false,
    // The third one is greeted with, before we have signed in.
    protocol: 2,
    disableClientInfo: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: options.connectMs,
    commandTimeout: options.connectMs + options.commandMs,
    ...(tls === undefined ? {} : { tls }),
  })
  let failure: unknown
  client.on('error', (error) => {
    failure ??= error
  })
  try {
    await within(client.connect(), options.connectMs).catch((error: unknown) => {
      throw failure ?? error
    })
    const send: Send = (command, ...words) => client.call(command as string, ...words)
    // By hand: a server without a password takes any, and the library would print a warning.
    if (password !== undefined) {
      await send('AUTH', ...(username === undefined ? [] : [username]), password).catch((error: unknown) => {
        if (!/without any password configured|no password is set/.test(String(error))) throw error
      })
    }
    return await work(send)
  } finally {
    client.disconnect()
  }
}

const nameOf = ({ host, port }: RedisHost): string => `${host.includes(':') ? `[${host}]` : host}:${port}`
const refusesLogin = (error: unknown): boolean => /^ReplyError: (WRONGPASS|NOAUTH|NOPERM|ERR AUTH)/.test(String(error))

interface SentinelSays {
  sentinel: string
  /** Of the master that it names; undefined: it knows none of that name. */
  master?: string | undefined
  known?: string[]
  /** Why it could not decide a failover; undefined: it could. */
  quorum?: string | undefined
  error?: unknown
}

async function checkSentinels(target: RedisTarget, options: GroupOptions): Promise<GroupProblem[]> {
  const login = sentinelLogin(target, options)
  const answers = await Promise.all(
    target.hosts.map((host) =>
      speak(host, login, options, (send) => readSentinel(send, nameOf(host), target.primaryName)).catch(
        (error: unknown): SentinelSays => ({ sentinel: nameOf(host), error }),
      ),
    ),
  )
  return [...problemsOfAccess(answers), ...problemsOfMaster(answers, target.primaryName)]
}

function sentinelLogin(target: RedisTarget, { ca, sentinel }: GroupOptions): Login {
  const { sentinelUsername, sentinelPassword, sentinelTLS } = sentinelOptions(target, {
    ca,
    sentinel: sentinel as SentinelAccess | undefined,
  })
  return {
    username: sentinelUsername ?? undefined,
    password: sentinelPassword ?? undefined,
    tls: sentinelTLS as Login['tls'],
  }
}

async function readSentinel(send: Send, sentinel: string, name: string): Promise<SentinelSays> {
  const address = (await send('SENTINEL', 'get-master-addr-by-name', name)) as [string, string] | null
  if (address === null) {
    const masters = (await send('SENTINEL', 'masters').catch(() => [])) as string[][]
    return { sentinel, known: masters.map((fields) => fields[fields.indexOf('name') + 1] ?? '') }
  }
  const master = nameOf({ host: address[0], port: Number(address[1]) })
  const quorum = await send('SENTINEL', 'ckquorum', name).then(
    () => undefined,
    (error: unknown) => quorumText(error),
  )
  return { sentinel, master, quorum }
}

/** `NOQUORUM 1 usable Sentinels. Not enough available Sentinels to …`; a user without the right says nothing. */
function quorumText(error: unknown): string | undefined {
  return /NOQUORUM (\d+ usable Sentinels)/.exec(String(error))?.[1]
}

function problemsOfAccess(answers: readonly SentinelSays[]): GroupProblem[] {
  const failed = answers.filter(({ error }) => error !== undefined)
  const isWarning = failed.length < answers.length
  return failed.map(({ sentinel, error }) => {
    if (refusesLogin(error)) {
      return {
        message: `the Sentinel ${sentinel} refuses our user or password (${unavailable(error).reason})`,
        advice: 'see redis.sentinel.user and redis.sentinel.password; without them the password of redis.url is sent',
        isWarning,
      }
    }
    if (/^ReplyError: ERR unknown command/.test(String(error))) {
      return {
        message: `${sentinel} answers, and is no Sentinel`,
        advice:
          'name the Sentinels (port 26379) in redis+sentinel://, or use redis:// for a server that stands for itself',
        isWarning,
      }
    }
    return {
      message: `the Sentinel ${sentinel} does not answer: ${unavailable(error).message}`,
      advice: 'see whether it runs, whether this host reaches it, and redis.sentinel.tls',
      isWarning,
    }
  })
}

function problemsOfMaster(answers: readonly SentinelSays[], name: string): GroupProblem[] {
  const heard = answers.filter(({ error }) => error === undefined)
  const unaware = heard.filter(({ master }) => master === undefined)
  const masters = heard.filter(({ master }) => master !== undefined)
  const problems: GroupProblem[] = []
  if (unaware.length > 0) {
    const known = [...new Set(unaware.flatMap(({ known = [] }) => known))].sort()
    problems.push({
      message: `${list(unaware)} know${unaware.length === 1 ? 's' : ''} no master named ${JSON.stringify(name)}${known.length === 0 ? '' : `, but ${known.map((each) => JSON.stringify(each)).join(', ')}`}`,
      advice: 'end redis.url in the name that sentinel.conf gives the master (sentinel monitor NAME …)',
      isWarning: masters.length > 0,
    })
  }
  if (new Set(masters.map(({ master }) => master)).size > 1) {
    const views = masters.map(({ sentinel, master }) => `${sentinel} names ${master}`).join(', ')
    problems.push({
      message: `the Sentinels disagree about the master: ${views}`,
      advice:
        'when no failover is under way, compare SENTINEL MASTER on each, and use SENTINEL REMOVE and MONITOR on those that are wrong: instances that follow different masters count limits apart',
      isWarning: false,
    })
  }
  const stuck = masters.filter(({ quorum }) => quorum !== undefined)
  if (stuck.length > 0) {
    problems.push({
      message: `no failover would be decided: ${stuck.map(({ sentinel, quorum }) => `${sentinel} sees ${quorum}`).join(', ')}, fewer than the quorum or the majority`,
      advice:
        'start the missing Sentinels, or lower the quorum (SENTINEL SET NAME quorum); three on different machines are usual',
      isWarning: true,
    })
  }
  return problems
}

const list = (answers: readonly SentinelSays[]): string => answers.map(({ sentinel }) => sentinel).join(', ')

async function checkCluster(target: RedisTarget, options: GroupOptions): Promise<GroupProblem[]> {
  const login = loginOf(target, options)
  const slotKey = `{${options.prefix}}:clock`
  const answers = await Promise.all(
    target.hosts.map((host) =>
      speak(host, login, options, async (send) => {
        const [info, slot, ranges] = await Promise.all([
          send('CLUSTER', 'INFO'),
          send('CLUSTER', 'KEYSLOT', slotKey),
          send('CLUSTER', 'SLOTS'),
        ])
        return { host: nameOf(host), problem: clusterProblem(String(info), Number(slot), ranges as [number, number][]) }
      }).catch((error: unknown) => ({ host: nameOf(host), problem: nodeProblem(nameOf(host), error) })),
    ),
  )
  const isServed = answers.some(({ problem }) => problem === undefined)
  const problems = new Map<string, GroupProblem>()
  for (const { problem } of answers) {
    // All nodes say the same of the whole.
    if (problem !== undefined) problems.set(problem.message, isServed ? { ...problem, isWarning: true } : problem)
  }
  return [...problems.values()]
}

const allSlots = 16_384

/** `slot` is where the counters are. */
function clusterProblem(info: string, slot: number, ranges: readonly [number, number][]): GroupProblem | undefined {
  const number = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0)
  const assigned = number('cluster_slots_assigned')
  const failing = number('cluster_slots_fail') + number('cluster_slots_pfail')
  const isWhole = /^cluster_state:ok/m.test(info)
  if (isWhole && assigned === allSlots && failing === 0) return undefined
  const hasOurs = ranges.some(([from, to]) => slot >= from && slot <= to)
  const parts = [
    ...(assigned < allSlots ? [`${allSlots - assigned} of ${allSlots} slots belong to no master`] : []),
    ...(failing > 0 ? [`the masters of ${failing} slots do not answer`] : []),
    ...(hasOurs ? [] : [`slot ${slot}, where limits are counted, is one without a master`]),
    ...(isWhole ? [] : ['it serves no keys (cluster_state:fail)']),
  ]
  return {
    message: `the Redis Cluster is not whole: ${parts.join('; ')}`,
    advice:
      'see redis-cli --cluster check, start the masters that are missing or let their replicas take over, and give slots without a master one (redis-cli --cluster fix)',
    isWarning: isWhole && hasOurs,
  }
}

function nodeProblem(node: string, error: unknown): GroupProblem {
  if (/cluster support disabled/.test(String(error))) {
    return {
      message: `${node} answers, and is no node of a Redis Cluster`,
      advice: 'use redis:// for a server that stands for itself, or name the nodes of the Cluster',
      isWarning: false,
    }
  }
  const advice = 'see whether it runs, whether this host reaches it, and user, password and TLS of redis.url'
  return { message: `the node ${node} cannot be used: ${unavailable(error).message}`, advice, isWarning: false }
}

async function checkSingle(target: RedisTarget, options: GroupOptions): Promise<GroupProblem[]> {
  const [host] = target.hosts
  if (host === undefined) return []
  let info = ''
  const work = speak(host, loginOf(target, options), options, async (send) => {
    info = String(await send('INFO'))
  })
  // That it cannot be reached, or what it refuses, is said by the connection itself.
  await settledOr(work, 2 * (options.connectMs + options.commandMs))
  const field = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)\\r?$`, 'm').exec(info)?.[1]
  if (field('redis_mode') === 'sentinel') {
    const advice = 'use redis+sentinel://…/name-of-the-master'
    return [{ message: `${nameOf(host)} is a Sentinel, which keeps no keys`, advice, isWarning: false }]
  }
  if (field('cluster_enabled') === '1') {
    const advice = 'use redis+cluster:// and name some of its nodes'
    return [
      {
        message: `${nameOf(host)} is a node of a Redis Cluster, which serves some keys only`,
        advice,
        isWarning: false,
      },
    ]
  }
  if (field('role') !== 'slave') return []
  const master = nameOf({ host: field('master_host') ?? '', port: Number(field('master_port')) })
  return [
    {
      message: `${nameOf(host)} is a replica of ${master}, which only reads`,
      advice:
        'name the master in redis.url, or its Sentinels (redis+sentinel://), so that it is found after a failover',
      isWarning: false,
    },
  ]
}

function loginOf(target: RedisTarget, { ca }: GroupOptions): Login {
  return { username: target.username, password: target.password, tls: tlsOptions(target, ca) }
}

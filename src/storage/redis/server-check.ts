// Whether a Redis may be used at all: one that evicts would forget a limit or a used identifier whenever it liked.

import type { Cluster, Redis } from 'ioredis'
import { RedisRefused, RedisUnavailable } from './redis-errors.js'

/** For `set … px … nx`, `xadd … minid` and scripts that are replicated by their effects. */
const oldest = [6, 2] as const

/**
 * Resolves when the server, of a Cluster every master that answers, is new enough and its `maxmemory-policy` is
 * `noeviction`. Throws RedisRefused with what to change, RedisUnavailable for a replica, or the library's error when
 * none answers.
 */
export async function checkServers(client: Redis | Cluster): Promise<void> {
  if (!client.isCluster) return checkServer(client as Redis)
  const answers = await Promise.allSettled((client as Cluster).nodes('master').map(checkServer))
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []))
  const refusal = failures.find((failure) => failure instanceof RedisRefused)
  if (refusal !== undefined) throw refusal
  if (failures.length === answers.length) throw failures[0] ?? new RedisRefused('the Redis Cluster has no master')
}

async function checkServer(server: Redis): Promise<void> {
  const info = await orNotPermitted(server.info())
  const policy = field(info, 'maxmemory_policy') ?? (await configuredPolicy(server))
  if (policy === undefined) {
    throw new RedisRefused(
      'Redis does not say whether it evicts keys: let the user run INFO, or CONFIG GET maxmemory-policy',
    )
  }
  if (policy !== 'noeviction') {
    throw new RedisRefused(
      `Redis evicts keys (maxmemory-policy ${policy}) and would forget limits and used identifiers: set it to noeviction`,
    )
  }
  const version = field(info, 'redis_version')
  if (version !== undefined && isOlder(version)) {
    throw new RedisRefused(`Redis ${version} is too old: ${oldest.join('.')} is the oldest that is supported`)
  }
  if (field(info, 'role') === 'slave') throw new RedisUnavailable('READONLY')
}

async function configuredPolicy(server: Redis): Promise<string | undefined> {
  const reply = await orNotPermitted(server.config('GET', 'maxmemory-policy'))
  return Array.isArray(reply) && typeof reply[1] === 'string' ? reply[1] : undefined
}

/** A user without the right, or a server that does not know the command, answers nothing. */
async function orNotPermitted<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply
  } catch (error) {
    if (error instanceof Error && /^(NOPERM|ERR unknown command)/.test(error.message)) return undefined
    throw error
  }
}

function field(info: string | undefined, name: string): string | undefined {
  return new RegExp(`^${name}:([\\w.-]+)\r?$`, 'm').exec(info ?? '')?.[1]
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1])
}

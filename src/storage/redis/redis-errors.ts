// What can go wrong with Redis, in words that are safe to log: the library's own errors carry the words of the command
// that failed, and for a failed sign-in that is the password.

/** Redis did not answer in time, cannot be reached, or would not do it. Its message names the reason and no value. */
export class RedisUnavailable extends Error {
  readonly code = 'redis_unavailable'
  /** `ECONNREFUSED`, `OOM`, `TIMEOUT` …, for metrics and for decisions about a single command. */
  readonly reason: string

  constructor(reason: string) {
    super(`Redis is not available: ${descriptions[reason] ?? reason}`)
    this.reason = reason
  }
}

/** This Redis must not be used: it is too old, it evicts, or it does not say whether it does. */
export class RedisRefused extends Error {
  readonly code = 'redis_refused'
}

/** Of the reasons that are not plain enough by themselves. */
const descriptions: Readonly<Record<string, string>> = {
  TIMEOUT: 'it did not answer in time',
  CLOSED: 'the connection is closed',
  OOM: 'its memory is full (OOM)',
  READONLY: 'it is a replica (READONLY)',
  NOREPLICAS: 'it has fewer replicas than min-replicas-to-write (NOREPLICAS)',
  LOADING: 'it is still loading its data (LOADING)',
  NOAUTH: 'it wants a password (NOAUTH)',
  WRONGPASS: 'user or password are wrong (WRONGPASS)',
  NOPERM: 'the user may not run a command that is needed (NOPERM)',
  SENTINELS: 'no Sentinel of redis.url names a master that answers; portcullis doctor says why',
  NODES: 'no node of the Cluster says where keys are; portcullis doctor says why',
  MOVED: 'it is a node of a Cluster, for which redis.url says redis+cluster:// (MOVED)',
  CLUSTERDOWN: 'its cluster does not serve all keys (CLUSTERDOWN)',
}

/** Any error of the library as RedisUnavailable. Of the original only its code, or a reply's first word, is kept. */
export function unavailable(error: unknown): RedisUnavailable {
  return error instanceof RedisUnavailable ? error : new RedisUnavailable(reasonOf(error))
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'an unknown error'
  const { code } = error as NodeJS.ErrnoException
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return code === 'ETIMEDOUT' ? 'TIMEOUT' : code
  if (error.name === 'ReplyError') return /^([A-Z]{2,20})(?= |$)/.exec(error.message)?.[1] ?? 'an error reply'
  if (error.message === 'Command timed out') return 'TIMEOUT'
  if (error.message.startsWith('All sentinels are unreachable')) return 'SENTINELS'
  if (error.message.startsWith('Failed to refresh slots cache')) return 'NODES'
  return 'CLOSED'
}

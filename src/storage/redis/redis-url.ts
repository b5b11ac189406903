// Where Redis is, as one URL: `redis://` or `rediss://` (TLS) alone, with `+sentinel` or with `+cluster`. Read by hand,
// because several hosts are not a URL to the standard parser, and because its errors would repeat the password.

export interface RedisHost {
  host: string
  port: number
}

export interface RedisTarget {
  kind: 'standalone' | 'sentinel' | 'cluster'
  tls: boolean
  /** One server, the Sentinels, or some nodes of the Cluster. */
  hosts: readonly RedisHost[]
  username: string | undefined
  password: string | undefined
  /** 0 unless named; a Cluster has no other. */
  db: number
  /** The name under which the Sentinels know the primary; empty for the others. */
  primaryName: string
}

const shape = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([^?#]*))?$/
const hostShape = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?$/

/**
 * Reads `redis[s]://[user:password@]host[:port][/db]`, `redis[s]+sentinel://[…@]host[:port],…/<primary's name>[/db]` or
 * `redis[s]+cluster://[…@]host[:port],…`. User and password are percent-encoded; a user needs a password. Throws an
 * Error that says what is wrong and repeats no part of the URL.
 */
export function parseRedisUrl(url: string): RedisTarget {
  const [, scheme, extension, login, hosts, path = ''] = shape.exec(url) ?? []
  if (hosts === undefined) {
    throw new Error(
      'not a Redis URL: redis://host, redis+sentinel://host,host/name, redis+cluster://host,host (or rediss)',
    )
  }
  const kind: RedisTarget['kind'] = extension === 'sentinel' || extension === 'cluster' ? extension : 'standalone'
  const defaultPort = kind === 'sentinel' ? 26379 : 6379
  const places = hosts.split(',').map((host) => readHost(host, defaultPort))
  if (kind === 'standalone' && places.length > 1) throw new Error('a redis:// URL names one host')
  return { kind, tls: scheme === 'rediss', hosts: places, ...readLogin(login), ...readPath(kind, path) }
}

function readHost(text: string, defaultPort: number): RedisHost {
  const [, host, port] = hostShape.exec(text) ?? []
  const number = port === undefined ? defaultPort : Number(port)
  if (host === undefined || number < 1 || number > 65_535) throw new Error('a host of the Redis URL is not host[:port]')
  return { host: host.replace(/^\[|\]$/g, ''), port: number }
}

function readLogin(login: string | undefined): Pick<RedisTarget, 'username' | 'password'> {
  if (login === undefined) return { username: undefined, password: undefined }
  const colon = login.indexOf(':')
  if (colon === -1 || colon === login.length - 1) throw new Error('the Redis URL names a user without a password')
  const username = decode(login.slice(0, colon))
  return { username: username === '' ? undefined : username, password: decode(login.slice(colon + 1)) }
}

function readPath(kind: RedisTarget['kind'], path: string): Pick<RedisTarget, 'db' | 'primaryName'> {
  const parts = path === '' ? [] : path.split('/')
  const primaryName = kind === 'sentinel' ? decode(parts.shift() ?? '') : ''
  if (kind === 'sentinel' && primaryName === '')
    throw new Error('a redis+sentinel:// URL ends in the name of the primary')
  const [db = '0', ...rest] = parts
  if (rest.length > 0 || !/^[0-9]{1,4}$/.test(db)) throw new Error('the path of the Redis URL is not a database number')
  if (kind === 'cluster' && Number(db) !== 0) throw new Error('a Redis Cluster has the database 0 only')
  return { db: Number(db), primaryName }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('a part of the Redis URL is not percent-encoded well')
  }
}

// Where the Store is, and the Redis beside it. A URL here may hold a password: no message quotes one, however wrong it
// is.

import { resolve } from 'node:path'
import type { Path } from '../read/places.js'
import { secretValue } from '../read/secret-value.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { RedisSettings, StoreSettings } from '../settings/storage-settings.js'
import { quantity } from './units.js'

const storeUrl: Path = ['store', 'url']
const redisUrl: Path = ['redis', 'url']

/** Reads `store`; `folder` is the data folder. Mistakes go to the report. */
export function compileStore({ store, secrets }: ConfigurationFile, folder: string, report: Report): StoreSettings {
  const { url, sqlite, postgresql } = store
  if (url === '') {
    if (postgresql.ca !== undefined) report.warning(['store', 'postgresql', 'ca'], 'means nothing without store.url')
    return {
      kind: 'sqlite',
      file: resolve(folder, sqlite.file),
      busyTimeoutMs: quantity.milliseconds(sqlite.busyTimeout),
    }
  }
  const wrong = whyNotPostgresql(url, postgresql.ca)
  if (wrong !== undefined) report.problem(storeUrl, wrong)
  warnOfLiteral(url, storeUrl, report)
  if (secrets.masterKeys.length === 0) {
    report.warning(
      storeUrl,
      'instances that share it need the same secrets.masterKeys (PORTCULLIS_MASTER_KEYS); a data folder’s own key is no other’s',
    )
  }
  return {
    kind: 'postgresql',
    url: secretValue(url),
    ca: postgresql.ca,
    engine: postgresql.engine,
    connections: postgresql.connections,
    connectMs: quantity.milliseconds(postgresql.connect),
    statementMs: quantity.milliseconds(postgresql.statement),
    waitMs: quantity.milliseconds(postgresql.wait),
  }
}

/** Reads `redis`; undefined when there is none. Mistakes go to the report. */
export function compileRedis({ redis, store }: ConfigurationFile, report: Report): RedisSettings | undefined {
  const { url, ca, prefix, sentinel } = redis
  if (url === '') {
    if (ca !== undefined) report.warning(['redis', 'ca'], 'means nothing without redis.url')
    return undefined
  }
  const wrong = whyNotRedis(url)
  if (wrong !== undefined) report.problem(redisUrl, wrong)
  else if (ca !== undefined && !url.startsWith('rediss')) report.problem(['redis', 'ca'], 'belongs to a rediss:// URL')
  warnOfLiteral(url, redisUrl, report)
  checkSentinel(redis, report)
  if (store.url === '') {
    report.warning(redisUrl, 'is for several instances, which need PostgreSQL (store.url): on SQLite only one can run')
  }
  return {
    url: secretValue(url),
    ca,
    sentinel: {
      user: sentinel.user,
      password: hasPassword(sentinel) ? secretValue(sentinel.password) : undefined,
      tls: sentinel.tls,
    },
    prefix,
    commandMs: quantity.milliseconds(redis.command),
    connectMs: quantity.milliseconds(redis.connect),
  }
}

function hasPassword<S extends { password?: string }>(sentinel: S): sentinel is S & { password: string } {
  return sentinel.password !== undefined && sentinel.password !== ''
}

/** What is said to Sentinels means nothing elsewhere, and a user alone lets nobody in. */
function checkSentinel({ url, sentinel }: ConfigurationFile['redis'], report: Report): void {
  const path: Path = ['redis', 'sentinel']
  const { user, tls } = sentinel
  const isGiven = user !== undefined || hasPassword(sentinel) || tls !== 'as-redis'
  if (isGiven && !/^rediss?\+sentinel:/.test(url)) report.problem(path, 'belongs to a redis+sentinel:// URL')
  if (user !== undefined && !hasPassword(sentinel)) report.problem([...path, 'user'], 'needs a password')
  if (hasPassword(sentinel) && report.places.isLiteral([...path, 'password'])) {
    report.warning([...path, 'password'], 'stands in the configuration itself; refer to a variable or a file instead')
  }
}

const storeParameters = new Set(['sslmode', 'application_name', 'target_session_attrs'])
const mostServers = 8

/** Whatever the Store would refuse at the start is said here, with its place in the file. */
function whyNotPostgresql(text: string, ca: string | undefined): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text)) return 'must begin with postgresql://; leave it empty for SQLite'
  // URL cannot read several hosts, so the text is judged with each of them.
  const [, before, hosts, after] = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^@/?#]*,[^@/?#]*)(.*)$/s.exec(text) ?? []
  if (before === undefined || hosts === undefined) return whyNotOneServer(text, ca)
  const list = hosts.split(',')
  if (list.length > mostServers) return `names more than ${mostServers} servers`
  if (list.some((host) => /^%2F/i.test(host))) return 'names several servers, and a Unix socket among them'
  return list.map((host) => whyNotOneServer(`${before}${host}${after}`, ca)).find((why) => why !== undefined)
}

function whyNotOneServer(text: string, ca: string | undefined): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL; in user and password, characters such as @ / : # ? are written %40 …'
  const { hostname, pathname, hash, username, searchParams } = new URL(text)
  if (hostname === '') return 'has an empty name of a server'
  if (hash !== '') return 'has a #, which must be written %23 in a password'
  if (username === '') return 'names no user, as in postgresql://user@host/database'
  if (!/^\/[^/]+$/.test(pathname)) return 'names no database, as in postgresql://user@host/database'
  const names = [...searchParams.keys()]
  if (new Set(names).size < names.length) return 'has a parameter twice'
  if (names.some((name) => !storeParameters.has(name))) {
    return `has a parameter that is none of ${[...storeParameters].join(', ')}`
  }
  const session = searchParams.get('target_session_attrs')
  if (session !== null && session !== 'read-write' && session !== 'primary') {
    return 'has a target_session_attrs other than read-write: only the primary serves'
  }
  const mode = searchParams.get('sslmode')
  if (mode === 'disable') return ca === undefined ? undefined : 'says sslmode=disable beside store.postgresql.ca'
  if (mode === null) return undefined
  if (mode === 'require' || mode === 'verify-full') {
    return /^%2F/i.test(hostname) ? 'asks for TLS on a Unix socket: leave sslmode out' : undefined
  }
  return 'has an sslmode that is none of verify-full, require, disable: a server is verified or TLS is off'
}

// URL cannot read a list of hosts, so the parts are taken by themselves.
const redisForm = /^rediss?(\+sentinel|\+cluster)?:\/\/(?:[^@/?#]*@)?([^@/?#]+)(?:\/([^/?#]*))?(?:\/([^/?#]*))?$/
const redisHost = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9._-]*)(:[0-9]{1,5})?$/

function whyNotRedis(url: string): string | undefined {
  if (!/^rediss?(\+sentinel|\+cluster)?:\/\//.test(url)) {
    return 'must begin with redis://, rediss://, redis+sentinel:// or redis+cluster:// (or rediss+… for TLS)'
  }
  const parts = redisForm.exec(url)
  if (parts === null) return 'is not a URL; in user and password, characters such as @ / : # ? are written %40 …'
  const [, kind, hosts = '', first, second] = parts
  if (/^[^:]*:\/\/[^:@]*:?@/.test(url)) return 'names a user without a password'
  const list = hosts.split(',')
  if (!list.every((host) => redisHost.test(host))) return 'has a host that is not host:port'
  if (kind === undefined && list.length > 1) return 'has several hosts; those of a cluster need redis+cluster://'
  if (kind === '+sentinel') {
    if (first === undefined || first === '') return 'names no master, as in redis+sentinel://host:26379/mymaster'
    return second === undefined || /^[0-9]{1,4}$/.test(second) ? undefined : 'has a database that is not a number'
  }
  if (second !== undefined) return 'has more than one part after its host'
  if (kind === '+cluster') return first ? 'names a database; a cluster has only one' : undefined
  return first === undefined || /^[0-9]{0,4}$/.test(first) ? undefined : 'has a database that is not a number'
}

function warnOfLiteral(url: string, path: Path, report: Report): void {
  if (/^[^/]*:\/\/[^/]*:[^/]*@/.test(url) && report.places.isLiteral(path)) {
    report.warning(path, 'holds a password in the configuration itself; refer to a variable or a file instead')
  }
}

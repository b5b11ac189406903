// Reads the URL of a PostgreSQL database: where, who, and how the connection is protected. Nothing here or in an error
// repeats a part of it: it holds a password.

import { isIP } from 'node:net'

export interface PostgresHost {
  host: string
  port: number
}

/** What a connection needs. `tls` undefined means none. */
export interface PostgresAddress {
  /** One, or those of which one is the primary (postgresql-servers.ts). */
  servers: readonly [PostgresHost, ...PostgresHost[]]
  user: string
  /** Undefined: the server asks for none, or PGPASSWORD and the password file have it. */
  password: string | undefined
  database: string
  applicationName: string
  tls: { ca: string | undefined } | undefined
}

/** The URL cannot be used. The message says why, without a part of the URL. */
export class InvalidStoreUrl extends Error {
  readonly code = 'invalid_store_url'
}

const known: ReadonlySet<string> = new Set(['sslmode', 'application_name', 'target_session_attrs'])

/** A primary and its standbys; each connection attempt asks all. */
const MOST_SERVERS = 8

/** Scheme with login, hosts, and the rest. */
const severalHosts = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^@/?#]*,[^@/?#]*)(.*)$/s

/**
 * Reads `postgresql://user:password@host:port/database?sslmode=…&application_name=…`; a host `%2Ffolder` is a Unix
 * socket. Several hosts (`host:port,host:port`) are a primary and its standbys; `target_session_attrs=read-write` may
 * say so, and nothing else. `ca` (PEM) replaces the runtime's certificate authorities. TLS is always verified, the name too: `sslmode` is
 * `verify-full` (`require` means the same here) or `disable`; without it, TLS is used unless the server is on this
 * machine. Modes that would not verify are refused, and so is every parameter that is not understood. Throws
 * InvalidStoreUrl.
 */
export function readPostgresUrl(text: string, ca?: string): PostgresAddress {
  const urls = urlsOf(text)
  const [url] = urls
  const parameters = url.searchParams
  for (const name of parameters.keys()) {
    if (!known.has(name)) throw new InvalidStoreUrl('the database URL has a parameter that is not known here')
    if (parameters.getAll(name).length > 1) throw new InvalidStoreUrl(`the database URL has ${name} twice`)
  }
  requirePrimary(parameters.get('target_session_attrs'))
  const [first, ...others] = urls.map(serverOf)
  if (first === undefined || others.some(({ host }) => host.startsWith('/'))) {
    throw new InvalidStoreUrl('the database URL names several servers, and a Unix socket among them')
  }
  const servers = [first, ...others] as const
  const database = decode(url.pathname.slice(1))
  const user = decode(url.username)
  if (database === '') throw new InvalidStoreUrl('the database URL names no database')
  if (user === '') throw new InvalidStoreUrl('the database URL names no user')
  return {
    servers,
    user,
    password: url.password === '' ? undefined : decode(url.password),
    database,
    applicationName: parameters.get('application_name') ?? 'portcullis',
    tls: isProtected(parameters.get('sslmode'), servers, ca) ? { ca } : undefined,
  }
}

/** The same URL for each of its hosts. */
function urlsOf(text: string): [URL, ...URL[]] {
  const [, before, hosts, after] = severalHosts.exec(text) ?? []
  if (before === undefined || hosts === undefined) return [parse(text)]
  const [first, ...others] = hosts.split(',').map((host) => parse(`${before}${host}${after}`))
  if (first === undefined || others.length >= MOST_SERVERS) {
    throw new InvalidStoreUrl(`the database URL names more than ${MOST_SERVERS} servers`)
  }
  return [first, ...others]
}

/** A standby would be of no use, whatever the URL says. */
function requirePrimary(wanted: string | null): void {
  if (wanted === null || wanted === 'read-write' || wanted === 'primary') return
  throw new InvalidStoreUrl(
    'the database URL has a target_session_attrs other than read-write: only the primary serves',
  )
}

function serverOf(url: URL): PostgresHost {
  return { host: hostOf(url), port: url.port === '' ? 5432 : Number(url.port) }
}

function parse(text: string): URL {
  // The parser's own error repeats what it could not read.
  const url = URL.parse?.(text) ?? parseOlder(text)
  if (url === null) {
    throw new InvalidStoreUrl(
      'the database URL cannot be read: percent-encode what its password has beside letters and digits',
    )
  }
  if (url.protocol !== 'postgresql:' && url.protocol !== 'postgres:') {
    throw new InvalidStoreUrl('the database URL must begin with postgresql://')
  }
  return url
}

/** For a runtime without URL.parse. */
function parseOlder(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

function hostOf(url: URL): string {
  const host = decode(url.hostname).replace(/^\[(.*)\]$/, '$1')
  if (host === '') throw new InvalidStoreUrl('the database URL names no host')
  if (host.includes(',')) throw new InvalidStoreUrl('the database URL has a comma in the name of a host')
  return host
}

function isProtected(mode: string | null, servers: readonly PostgresHost[], ca: string | undefined): boolean {
  switch (mode) {
    case 'verify-full':
    case 'require':
      if (servers.some(({ host }) => host.startsWith('/')))
        throw new InvalidStoreUrl('the database URL asks for TLS on a Unix socket')
      return true
    case 'disable':
      if (ca !== undefined)
        throw new InvalidStoreUrl('the database URL has sslmode=disable beside a certificate authority')
      return false
    case null:
      return ca !== undefined || !servers.every(({ host }) => isLocal(host))
    default:
      throw new InvalidStoreUrl(
        'the database URL has an sslmode that would not verify the server: use verify-full or disable',
      )
  }
}

function isLocal(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new InvalidStoreUrl('the database URL is not well percent-encoded')
  }
}

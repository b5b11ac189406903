// Where the server itself listens, and what it alone talks to. No upstream leads there: a caller from this machine,
// over a file of the data folder or with the gate's connections, may do more than the client that called the gate.

import { realpathSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join, sep } from 'node:path'
import type { Report } from '../report/report.js'
import type { Settings } from '../settings/settings.js'
import { targetPath } from './part-rules.js'

/** An address that no upstream may have. */
export interface OwnAddress {
  /** For messages: `the operator listener`. */
  what: string
  /** An address or a name; the unspecified address stands for all of this machine. */
  host: string
  port: number
}

type Listening = Pick<Settings, 'server' | 'store' | 'redis'>

const defaultPorts = { postgresql: 5432, redis: 6379, sentinel: 26_379 }
const metadata = new BlockList()
metadata.addSubnet('169.254.0.0', 16, 'ipv4')
metadata.addSubnet('fe80::', 10, 'ipv6')
metadata.addAddress('fd00:ec2::254', 'ipv6')
metadata.addAddress('fd20:ce::254', 'ipv6')
metadata.addAddress('100.100.100.200', 'ipv4')
metadata.addAddress('168.63.129.16', 'ipv4')

/** All of them. Where a URL cannot be read, its own check says so. */
export function ownAddresses({ server, store, redis }: Listening): OwnAddress[] {
  const { operator, forwardAuth } = server
  const proxies = forwardAuth !== undefined && 'port' in forwardAuth.listen ? [forwardAuth.listen] : []
  return [
    { what: 'the public listener', host: server.host, port: server.port },
    { what: 'the operator listener', ...operator },
    ...proxies.map((listen) => ({ what: 'the forward-auth listener', ...listen })),
    ...(store.kind === 'postgresql' ? hostsOf('the PostgreSQL', store.url.reveal(), defaultPorts.postgresql) : []),
    ...(redis === undefined ? [] : hostsOf('the Redis', redis.url.reveal(), defaultPorts.redis)),
  ].filter(({ port }) => port !== 0)
}

function hostsOf(whose: string, url: string, port: number): OwnAddress[] {
  const [, hosts = ''] = /^[a-z+]+:\/\/(?:[^/]*@)?([^/?#]*)/.exec(url) ?? []
  const usual = url.includes('+sentinel') ? defaultPorts.sentinel : port
  return hosts.split(',').flatMap((one) => {
    const [, bracketed, name, given] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(one) ?? []
    const host = bracketed ?? name ?? ''
    return host === '' ? [] : [{ what: `${whose} of the server`, host, port: Number(given ?? usual) }]
  })
}

/**
 * What of the server an address is, without asking anybody for names; undefined: nothing. `host` may stand in brackets.
 */
export function ownAddressAt(host: string, port: number, own: readonly OwnAddress[]): string | undefined {
  const plain = plainHost(host)
  if (isMetadata(plain)) return 'an address of this machine’s own network, where machines learn their secrets'
  return own.find((one) => one.port === port && isSameHost(plainHost(one.host), plain))?.what
}

/** What of the server an address is that a connection stands to. */
function isSameHost(own: string, host: string): boolean {
  if (own === host) return true
  if (isUnspecified(own)) return isOfThisMachine(host)
  // To connect to the unspecified address is to connect to this machine.
  return isLoopbackName(own) || own === '127.0.0.1' || own === '::1'
    ? host === '127.0.0.1' || host === '::1' || isLoopbackName(host) || isUnspecified(host)
    : isUnspecified(host) && isOfThisMachine(own)
}

/** Lower case, no brackets, no dot at the end, IPv4 without the clothes of IPv6. */
function plainHost(host: string): string {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase()
  const named = plain.endsWith('.') ? plain.slice(0, -1) : plain
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(named)?.[1]
  if (mapped !== undefined) return mapped
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(named)
  if (hex === null) return named
  const [high, low] = [Number.parseInt(hex[1] ?? '', 16), Number.parseInt(hex[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function isUnspecified(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

function isOfThisMachine(host: string): boolean {
  if (isLoopbackName(host) || isUnspecified(host) || host === '::1' || /^127\./.test(host)) return true
  return Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === host) ?? false)
}

function isMetadata(host: string): boolean {
  const family = isIP(host)
  return family !== 0 && metadata.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

/** Whether a socket's file lies in the data folder, by whatever links it is named. */
export function isInFolder(socketPath: string, folder: string): boolean {
  return `${realPath(socketPath)}${sep}`.startsWith(`${realPath(folder)}${sep}`)
}

/** As far as there is something; the rest as it is written. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(realPath(above), path.slice(above.length))
  }
}

/** Refuses every target that is the server itself; mistakes go to the report. */
export function checkOwnAddresses(settings: Listening & Pick<Settings, 'upstreams' | 'data'>, report: Report): void {
  const own = ownAddresses(settings)
  for (const { name, targets } of settings.upstreams.values()) {
    for (const [index, target] of targets.entries()) {
      const at = targetPath(name, index, report)
      if (target.kind === 'unix' && isInFolder(target.socketPath, settings.data.folder)) {
        report.problem(at, 'is in the data folder: a socket of the server itself')
      }
      if (target.kind !== 'url') continue
      const { hostname, port, protocol } = new URL(target.origin)
      const what = ownAddressAt(hostname, Number(port || (protocol === 'https:' ? 443 : 80)), own)
      if (what !== undefined) report.problem(at, `is ${what}, which no upstream may be`)
    }
  }
}

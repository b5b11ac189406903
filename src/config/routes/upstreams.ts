// The services behind the gateway.

import { describeService } from '../../openapi/describe-service.js'
import { NoDescription } from '../../openapi/service-description.js'
import { quantity } from '../process/units.js'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { UpstreamSettings } from '../settings/upstream-settings.js'
import { compileTargets } from './targets.js'
import { compileUpstreamTls } from './upstream-tls.js'

type Entry = ConfigurationFile['upstreams'][string]

/** Reads `upstreams`. Mistakes go to the report. */
export function compileUpstreams(file: ConfigurationFile, report: Report): ReadonlyMap<string, UpstreamSettings> {
  const upstreams = new Map<string, UpstreamSettings>()
  for (const [name, entry] of Object.entries(file.upstreams)) {
    const path: Path = ['upstreams', name]
    const targets = compileTargets(entry, file, path, report)
    upstreams.set(name, {
      name,
      targets,
      balance: balanceOf(entry, path, report),
      identity: entry.identity,
      connectMs: quantity.milliseconds(entry.timeouts.connect),
      headersMs: quantity.milliseconds(entry.timeouts.headers),
      idleMs: quantity.milliseconds(entry.timeouts.idle),
      queueMs: quantity.milliseconds(entry.timeouts.queue),
      overallMs: quantity.milliseconds(entry.timeouts.overall),
      connections: entry.connections,
      // So that one caller, who has no more than is left for others, may send a burst of what limits allow.
      maxInFlight: entry.maxInFlight ?? entry.connections * targets.length * 4,
      maxStreams: entry.maxStreams ?? entry.connections * targets.length * 2,
      sharePercent: Number.parseInt(entry.share, 10),
      tls: compileUpstreamTls(entry, targets, path, report),
      health: healthOf(entry, path, report),
      eject: {
        failures: entry.eject.failures,
        forMs: quantity.milliseconds(entry.eject.for),
        maxPercent: Number.parseInt(entry.eject.max, 10),
      },
      retry: {
        attempts: entry.retry.attempts ?? (targets.length > 1 ? 1 : 0),
        when: entry.retry.when,
        budgetPercent: Number.parseInt(entry.retry.budget, 10),
      },
      resolveEveryMs: quantity.milliseconds(entry.resolve),
      ...descriptionOf(entry, path, report),
      documentation: entry.documentation,
      position: report.places.position(path, 'key'),
    })
  }
  return upstreams
}

function descriptionOf({ openapi }: Entry, path: Path, report: Report): Pick<UpstreamSettings, 'description'> {
  if (openapi === undefined) return {}
  const at = [...path, 'openapi']
  try {
    return { description: describeService(openapi) }
  } catch (error) {
    if (!(error instanceof NoDescription)) throw error
    const hint = report.places.isLiteral(at) ? '; a file is named by file:' : ''
    report.problem(at, `${error.message}${hint}`)
    return {}
  }
}

function balanceOf({ balance, hash }: Entry, path: Path, report: Report): UpstreamSettings['balance'] {
  if (balance === 'hash') {
    if (hash === undefined) report.missing(path, 'needs "hash": application, tenant, user or address.')
    return { hash: hash ?? 'application' }
  }
  if (hash !== undefined) report.problem([...path, 'hash'], 'belongs to balance: hash', 'key')
  return balance
}

function healthOf({ health }: Entry, path: Path, report: Report): UpstreamSettings['health'] {
  if (health === undefined) return undefined
  const everyMs = quantity.milliseconds(health.every)
  const timeoutMs = quantity.milliseconds(health.timeout)
  const at: string = health.path ?? ''
  if (!/^\/[!-"$-~]*$/.test(at)) {
    report.problem([...path, 'health', 'path'], 'must be a path with an optional query, such as /healthz')
  }
  if (timeoutMs > everyMs) {
    const timeout = [...path, 'health', 'timeout']
    const left = report.places.has(timeout) ? '' : `; it is ${health.timeout} when left out`
    report.problem(timeout, `must not be longer than health.every${left}`)
  }
  const { healthy, unhealthy, status } = health
  return { path: at, everyMs, timeoutMs, healthy, unhealthy, status }
}

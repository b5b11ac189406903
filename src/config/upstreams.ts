// The services behind the gateway.

import { X509Certificate } from 'node:crypto'
import type { Path } from './places.js'
import type { Report } from './report.js'
import type { ConfigurationFile } from './schema/file.js'
import { didYouMean } from './suggest.js'
import { quantity } from './units.js'
import type { TargetPlace, UpstreamSettings } from './upstream-settings.js'

const BACKEND: TargetPlace = { kind: 'builtin', service: 'backend' }

/** Reads `upstreams`. Mistakes go to the report. */
export function compileUpstreams(file: ConfigurationFile, report: Report): ReadonlyMap<string, UpstreamSettings> {
  const upstreams = new Map<string, UpstreamSettings>()
  for (const [name, entry] of Object.entries(file.upstreams)) {
    const path: Path = ['upstreams', name]
    const written: string | undefined = entry.target
    const target = written === undefined ? BACKEND : targetOf(written, file, [...path, 'target'], report)
    checkAuthorities(entry.ca, target, [...path, 'ca'], report)
    upstreams.set(name, {
      name,
      targets: [{ ...target, weight: 1 }],
      balance: 'round-robin',
      identity: entry.identity,
      connectMs: quantity.milliseconds(entry.timeouts.connect),
      headersMs: quantity.milliseconds(entry.timeouts.headers),
      idleMs: quantity.milliseconds(entry.timeouts.idle),
      connections: entry.connections,
      maxInFlight: entry.connections * 2,
      tls: { ca: entry.ca, cert: undefined, key: undefined, serverName: undefined },
      health: undefined,
      eject: { failures: 0, forMs: 30_000, maxPercent: 50 },
      retry: { attempts: 0, when: [], budgetPercent: 20 },
      resolveEveryMs: 30_000,
      position: report.places.position(path, 'key'),
    })
  }
  return upstreams
}

function targetOf(text: string, file: ConfigurationFile, path: Path, report: Report): TargetPlace {
  if (text === 'builtin:backend') return BACKEND
  const wrong = whyNotTarget(text, file)
  if (wrong === undefined) {
    const { origin, pathname } = new URL(text)
    return { kind: 'url', origin, basePath: pathname.replace(/\/$/, '') }
  }
  const hint = text.startsWith('builtin:') ? didYouMean(report.places.shownText(path), ['builtin:backend']) : ''
  report.problem(path, `${wrong}${hint}`)
  return BACKEND
}

function whyNotTarget(text: string, { server }: ConfigurationFile): string | undefined {
  if (text.startsWith('builtin:')) return 'there is one built-in service, builtin:backend'
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    return 'must be http(s)://host:port with an optional base path, or builtin:backend'
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return 'must hold neither user nor password'
  if (/[?#]/.test(text)) return 'must have neither query nor fragment'
  if (/[\\%\s]|\/\/|\/\.{1,2}(\/|$)/.test(text.slice(text.indexOf('://') + 3))) {
    return 'must have a plain base path: no dot segments, empty segments, encoded characters or backslashes'
  }
  const isSelf = url.origin === server.baseUrl || url.host === server.listen
  return isSelf ? 'is this gateway itself; requests would go round in a circle' : undefined
}

function checkAuthorities(pem: string | undefined, target: TargetPlace, path: Path, report: Report): void {
  if (pem === undefined) return
  if (target.kind !== 'url' || target.origin.startsWith('http:')) {
    report.problem(path, 'belongs to an https target; there is no certificate to verify here', 'key')
    return
  }
  try {
    for (const block of pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [''])
      new X509Certificate(block)
  } catch {
    report.problem(path, 'must be certificates in PEM')
  }
}

// What `portcullis doctor` finds out about names and certificates: whether DNS knows the names that stand in the
// configuration, and when the certificates end, this server's and those of services.

import { X509Certificate } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { Settings } from '../../../config/settings/settings.js'
import type { TargetSettings, UpstreamSettings } from '../../../config/settings/upstream-settings.js'
import type { Finding } from '../../output/finding.js'

const dayMs = 86_400_000
const warnDays = 21
/** More services are not looked at one by one. */
const most = 50

type Resolve = (name: string) => Promise<unknown>

/** Whether DNS knows the names of this server and of its services, as seen from here. */
export async function checkNames(
  settings: Pick<Settings, 'server' | 'upstreams'>,
  resolve: Resolve = (name) => lookup(name),
): Promise<Finding[]> {
  const places = new Map<string, string>()
  const add = (name: string, place: string) => {
    const host = name.replace(/^\[|\]$/g, '')
    if (isIP(host) === 0 && !/(^|\.)localhost$/.test(host) && !places.has(host)) places.set(host, place)
  }
  add(new URL(settings.server.baseUrl).hostname, 'server.baseUrl')
  for (const host of settings.server.apiHosts) add(host, 'server.apiHosts')
  for (const { name, targets } of settings.upstreams.values()) {
    for (const one of targets) if (one.kind === 'url') add(new URL(one.origin).hostname, `upstreams.${name}`)
  }
  const findings = await Promise.all(
    [...places].slice(0, most).map(async ([name, place]): Promise<Finding | undefined> => {
      try {
        await resolve(name)
        return undefined
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'it failed'
        const message = `${name} is not found (${code})`
        return {
          check: 'names',
          state: 'fail',
          message,
          advice: `is it spelled right in ${place}, and does DNS have it?`,
        }
      }
    }),
  )
  const wrong = findings.filter((one) => one !== undefined)
  if (wrong.length > 0 || places.size === 0) return wrong
  const message = places.size === 1 ? 'DNS knows the name of the configuration' : `DNS knows all ${places.size} names`
  return [{ check: 'names', state: 'ok', message }]
}

/** When the certificates in the files of this server end, and whether they are for its names. `now`: epoch ms. */
export function checkOwnCertificates({ server }: Pick<Settings, 'server'>, now: number): Finding[] {
  const { tls, certificates, baseUrl, apiHosts } = server
  if (tls.kind !== 'files') return []
  const all = [tls, ...certificates].flatMap(({ cert }) => read(cert))
  const ends = all.map(({ file, certificate }) => endFinding('certificate', file, Date.parse(certificate.validTo), now))
  const names = [new URL(baseUrl).hostname, ...apiHosts]
  const without = names.filter((name) => !all.some(({ certificate }) => isFor(certificate, name)))
  const advice = 'have one issued with this name, and set server.tls or server.certificates to it'
  return [
    ...ends,
    ...without.map((name): Finding => {
      return { check: 'certificate', state: 'fail', message: `no certificate is for ${name}`, advice }
    }),
  ]
}

function read(file: string): { file: string; certificate: X509Certificate }[] {
  try {
    return [{ file, certificate: new X509Certificate(readFileSync(file)) }]
  } catch {
    // The configuration's own check has said it.
    return []
  }
}

function isFor(certificate: X509Certificate, name: string): boolean {
  const host = name.replace(/^\[|\]$/g, '')
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined
}

/** When the certificates of services end, which the gate verifies at every connection. `now`: epoch ms. */
export async function checkServiceCertificates(upstreams: Settings['upstreams'], now: number): Promise<Finding[]> {
  const all = [...upstreams.values()].flatMap((upstream) =>
    upstream.targets.flatMap((target) => (isTls(target) ? [{ upstream, target }] : [])),
  )
  const found = await Promise.all(all.slice(0, most).map((one) => serviceCertificate(one, now)))
  return found.flat()
}

type TlsTarget = Extract<TargetSettings, { kind: 'url' }>

function isTls(target: TargetSettings): target is TlsTarget {
  return target.kind === 'url' && target.origin.startsWith('https:')
}

async function serviceCertificate(
  { upstream, target }: { upstream: UpstreamSettings; target: TlsTarget },
  now: number,
): Promise<Finding[]> {
  const { connect } = await import('node:tls')
  const { hostname, port } = new URL(target.origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const { ca, cert, key, serverName } = upstream.tls
  const named = serverName ?? host
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      timeout: Math.min(upstream.connectMs, 10_000),
      ...(isIP(named) === 0 ? { servername: named } : {}),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key: key.reveal() }),
    })
    const end = (findings: Finding[]) => {
      socket.destroy()
      resolve(findings)
    }
    const failed = (why: string): Finding[] => {
      const message = `${upstream.name} at ${target.origin}: ${why}`
      return [{ check: 'service TLS', state: 'fail', message, advice: tlsAdvice(upstream.name, why) }]
    }
    socket.once('timeout', () => end(failed('no answer in time')))
    // A certificate that is refused is such an error, with a code that says why.
    socket.once('error', (error: NodeJS.ErrnoException) => end(failed(error.code ?? error.message)))
    socket.once('secureConnect', () => {
      const endsAt = Date.parse(socket.getPeerCertificate().valid_to)
      const ending = endFinding('service TLS', `the certificate of ${upstream.name} at ${target.origin}`, endsAt, now)
      end(ending.state === 'ok' ? [] : [ending])
    })
  })
}

function tlsAdvice(name: string, why: string): string {
  if (why === 'CERT_HAS_EXPIRED') return 'have its certificate renewed'
  if (!/CERT|SELF_SIGNED|ISSUER|LEAF|ALTNAME/.test(why))
    return `does it run, and speak TLS? Its address stands in upstreams.${name}`
  return `name its authority in upstreams.${name}.tls.ca, and its name in serverName where that is another one`
}

function endFinding(check: string, what: string, endsAt: number, now: number): Finding {
  const days = Math.floor((endsAt - now) / dayMs)
  const at = new Date(endsAt).toISOString().slice(0, 10)
  if (endsAt <= now) return { check, state: 'fail', message: `${what} has ended, on ${at}`, advice: 'have it renewed' }
  const message = `${what} ends in ${days} days, on ${at}`
  return days < warnDays
    ? { check, state: 'warn', message, advice: 'have it renewed' }
    : { check, state: 'ok', message }
}

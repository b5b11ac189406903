// How connections to a service are secured: whom the gateway trusts, and what it shows of itself.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Path } from '../read/places.js'
import { secretValue } from '../read/secret-value.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { TargetSettings, UpstreamTls } from '../settings/upstream-settings.js'

type Entry = Pick<ConfigurationFile['upstreams'][string], 'ca' | 'cert' | 'key' | 'serverName'>

const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** Reads `ca`, `cert`, `key` and `serverName` of the upstream at `path`. Mistakes go to the report. */
export function compileUpstreamTls(
  entry: Entry,
  targets: readonly TargetSettings[],
  path: Path,
  report: Report,
): UpstreamTls {
  const { ca, cert, key, serverName } = entry
  const isSecured = targets.some((target) => target.kind === 'url' && target.origin.startsWith('https:'))
  for (const name of ['ca', 'cert', 'key', 'serverName'] as const) {
    if (entry[name] === undefined || isSecured) continue
    report.problem([...path, name], 'belongs to an https target; there is no certificate to verify here', 'key')
  }
  for (const [name, pem] of [['ca', ca] as const, ['cert', cert] as const]) {
    if (isSecured && pem !== undefined && !areCertificates(pem)) {
      report.problem([...path, name], 'must be certificates in PEM, or file:/path of a file with them')
    }
  }
  if (cert !== undefined && key === undefined) report.missing(path, 'needs "key": the private key of cert.')
  if (key !== undefined && cert === undefined) report.missing(path, 'needs "cert": the certificate of key.')
  if (cert !== undefined && key !== undefined && areCertificates(cert) && !isKeyOf(key, cert)) {
    report.problem([...path, 'key'], 'must be the private key of cert, in PEM and without a passphrase')
  }
  if (serverName !== undefined && !hostName.test(serverName)) {
    report.problem([...path, 'serverName'], 'must be the name of a host, such as service.internal')
  }
  return { ca, cert, key: key === undefined ? undefined : secretValue(key), serverName }
}

function areCertificates(pem: string): boolean {
  try {
    for (const block of pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [''])
      new X509Certificate(block)
    return true
  } catch {
    return false
  }
}

function isKeyOf(key: string, cert: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}

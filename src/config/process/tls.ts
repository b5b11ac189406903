// Certificates of the public listener, those that clients must have, and balancers that pass TLS on.

import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Path } from '../read/places.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { Settings } from '../settings/settings.js'

type TlsSettings = Pick<Settings['server'], 'tls' | 'certificates' | 'clientCertificates' | 'proxyProtocol'>

/** Reads what `server` says of TLS; `folder` is where the configuration file lies. Mistakes go to the report. */
export function compileTls({ server }: ConfigurationFile, folder: string, report: Report): TlsSettings {
  const { tls, certificates, clientCertificates, proxyProtocol } = server
  const files = { folder, report }
  for (const name of ['certificates', 'clientCertificates', 'proxyProtocol'] as const) {
    const isSet = Array.isArray(server[name])
      ? server[name].length > 0
      : server[name] !== undefined && server[name] !== false
    if (tls === 'off' && isSet) report.problem(['server', name], 'means nothing while server.tls is off', 'key')
  }
  const own = typeof tls === 'string' ? undefined : pairOf(tls, ['server', 'tls'], files)
  return {
    tls: own === undefined ? { kind: tls === 'off' ? 'off' : 'development' } : { kind: 'files', ...own },
    certificates: certificates.map((pair, index) => pairOf(pair, ['server', 'certificates', index], files)),
    clientCertificates:
      clientCertificates === undefined
        ? undefined
        : fileOf(clientCertificates, ['server', 'clientCertificates'], files),
    proxyProtocol,
  }
}

interface Files {
  folder: string
  report: Report
}

function pairOf(pair: { cert?: string; key?: string }, path: Path, files: Files): { cert: string; key: string } {
  return { cert: fileOf(pair.cert, [...path, 'cert'], files), key: fileOf(pair.key, [...path, 'key'], files) }
}

/** What is missing was reported with the shape of the file. */
function fileOf(written: string | undefined, path: Path, { folder, report }: Files): string {
  const file = resolve(folder, (written ?? '').replace(/^file:/, ''))
  if (written !== undefined) checkReadable(file, path, report)
  return file
}

function checkReadable(file: string, path: Path, report: Report): void {
  try {
    accessSync(file, constants.R_OK)
    const stat = statSync(file)
    if (!stat.isFile()) report.problem(path, `${report.places.quoted(path)} is not a file`)
    if (path.at(-1) === 'key' && (stat.mode & 0o004) !== 0) {
      report.warning(path, 'everybody on this machine may read this private key; chmod 600 fixes that')
    }
  } catch {
    report.problem(path, `${report.places.quoted(path)} cannot be read`)
  }
}

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
  const own = tls === 'development' || tls === 'off' ? undefined : ownPair(tls, files)
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

/** Written as an object, or, as an environment variable can, as two files with a comma between them. */
function ownPair(tls: string | { cert?: string; key?: string }, files: Files): { cert: string; key: string } {
  if (typeof tls !== 'string') return pairOf(tls, ['server', 'tls'], files)
  const [cert, key] = tls.split(',').map((part) => part.trim())
  const whole = (part: string | undefined, name: PartName) => fileOf(part, ['server', 'tls'], files, name)
  return { cert: whole(cert, 'cert'), key: whole(key, 'key') }
}

type PartName = 'cert' | 'key'

interface Files {
  folder: string
  report: Report
}

function pairOf(pair: { cert?: string; key?: string }, path: Path, files: Files): { cert: string; key: string } {
  return {
    cert: fileOf(pair.cert, [...path, 'cert'], files, 'cert'),
    key: fileOf(pair.key, [...path, 'key'], files, 'key'),
  }
}

/** What is missing was reported with the shape of the file. */
function fileOf(written: string | undefined, path: Path, { folder, report }: Files, name?: PartName): string {
  const file = resolve(folder, (written ?? '').replace(/^file:/, ''))
  if (written !== undefined) checkReadable(file, path, report, name)
  return file
}

function checkReadable(file: string, path: Path, report: Report, name: PartName | undefined): void {
  // Where both stand in one text, a message says which of them it means.
  const named = path.at(-1) === 'tls' ? `the ${name === 'key' ? 'private key' : 'certificate'} in ` : ''
  try {
    accessSync(file, constants.R_OK)
    const stat = statSync(file)
    if (!stat.isFile()) report.problem(path, `${named}${report.places.quoted(path)} is not a file`)
    if (name === 'key' && (stat.mode & 0o004) !== 0) {
      report.warning(path, 'everybody on this machine may read this private key; chmod 600 fixes that')
    }
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code)
    const what = `${named}${report.places.quoted(path)} cannot be read`
    report.problem(path, `${what}${isPath(file) ? `: ${file}` : ''} (${reasons[code] ?? code})`)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
}

/** A key itself in the place of its path is never shown. */
function isPath(file: string): boolean {
  return file.length <= 250 && !file.includes('\n') && !file.includes('-----')
}

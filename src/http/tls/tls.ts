// The server's certificates: read from files, checked as pairs before they are used, and read again when a file
// changes, so that a renewal needs no restart and a half-written file breaks nothing.

import { X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import type { Metrics } from '../../observability/metrics.js'
import { type CertificatePair, type Certificates, serverNamesOf } from './server-names.js'
import { staplesOf } from './stapling/staples.js'
import { loadAuthorities, loadPair } from './tls-pair.js'
import { servingContext } from './tls-suites.js'

export interface TlsFiles {
  certFile: string
  keyFile: string
  /** Further certificates, for clients that ask for a name in them. */
  more?: readonly { certFile: string; keyFile: string }[]
  /** Authorities: every client must present a certificate of one of them. */
  clientsFile?: string | undefined
}

export interface TlsMaterial extends Certificates {
  more: readonly CertificatePair[]
  /** Epoch ms: when the first of them expires. */
  notAfter: number
}

/** Reads and checks the pairs. Throws UnusableCertificate: a file is missing, or not what it is named for. */
export function loadTls(files: TlsFiles): TlsMaterial {
  const { cert, key } = loadPair(files)
  const more = (files.more ?? []).map(loadPair)
  const clientAuthorities = files.clientsFile === undefined ? undefined : loadAuthorities(files.clientsFile)
  const ends = [cert, ...more.map((pair) => pair.cert)].map((pem) => Date.parse(new X509Certificate(pem).validTo))
  return { cert, key, more, clientAuthorities, notAfter: Math.min(...ends) }
}

export interface TlsWatch {
  /** Looks now; true when a new certificate was taken. */
  check(): boolean
  stop(): void
}

interface WatchOptions {
  /** What serves with them. */
  server: { setSecureContext?(options: ReturnType<typeof servingContext>): void }
  metrics?: Metrics
  /** Hears of a pair that could not be used; the old one stays. */
  onError(error: unknown): void
  everyMs?: number
}

/**
 * Follows the files by their modification times: renames and symlink swaps included. Does not keep the process alive.
 */
export function watchTls(files: TlsFiles, options: WatchOptions): TlsWatch {
  let loaded = fingerprint(files)
  options.metrics?.tlsCertificateNotAfter.set(loadTls(files).notAfter / 1000)
  const check = () => {
    const current = fingerprint(files)
    if (current === loaded) return false
    try {
      const material = loadTls(files)
      take(options.server, material)
      options.metrics?.tlsCertificateNotAfter.set(material.notAfter / 1000)
      loaded = current
      return true
    } catch (error) {
      options.onError(error)
      return false
    }
  }
  const timer = setInterval(check, options.everyMs ?? 5_000).unref()
  return { check, stop: () => clearInterval(timer) }
}

/** For connections that begin from now on. */
function take(server: WatchOptions['server'], material: TlsMaterial): void {
  const { cert, key, clientAuthorities: ca } = material
  serverNamesOf(server)?.take(material)
  staplesOf(server)?.take(material)
  server.setSecureContext?.(servingContext({ cert, key, ca }))
}

function fingerprint({ certFile, keyFile, more = [], clientsFile }: TlsFiles): string {
  const pairs = [{ certFile, keyFile }, ...more].flatMap((pair) => [pair.certFile, pair.keyFile])
  return [...pairs, ...(clientsFile === undefined ? [] : [clientsFile])]
    .map((file) => {
      const facts = statSync(file, { throwIfNoEntry: false })
      return facts === undefined ? 'absent' : `${facts.ino}:${facts.size}:${facts.mtimeMs}`
    })
    .join()
}

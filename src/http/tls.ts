// The server's certificate: read from files, checked as a pair before it is used, and read again when a file changes, so
// that a renewal needs no restart and a half-written file breaks nothing.

import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Metrics } from './metrics.js'

export interface TlsFiles {
  certFile: string
  keyFile: string
}

export interface TlsMaterial {
  /** PEM, leaf first. */
  cert: string
  key: string
  /** Epoch ms. */
  notAfter: number
}

/** Reads and checks the pair. Throws when a file is missing or the key does not belong to the certificate. */
export function loadTls(files: TlsFiles): TlsMaterial {
  const cert = readFileSync(files.certFile, 'utf8')
  const key = readFileSync(files.keyFile, 'utf8')
  createSecureContext({ cert, key })
  return { cert, key, notAfter: Date.parse(new X509Certificate(cert).validTo) }
}

export interface TlsWatch {
  /** Looks now; true when a new certificate was taken. */
  check(): boolean
  stop(): void
}

interface WatchOptions {
  server: { setSecureContext?(options: { cert: string; key: string; minVersion: 'TLSv1.2' }): void }
  metrics?: Metrics
  /** Hears of a pair that could not be used; the old one stays. */
  onError(error: unknown): void
  everyMs?: number
}

/** Follows the files by their modification times: renames and symlink swaps included. Does not keep the process alive. */
export function watchTls(files: TlsFiles, options: WatchOptions): TlsWatch {
  let seen = fingerprint(files)
  options.metrics?.tlsCertificateNotAfter.set(loadTls(files).notAfter / 1000)
  const check = () => {
    const current = fingerprint(files)
    if (current === seen) return false
    try {
      const material = loadTls(files)
      options.server.setSecureContext?.({ cert: material.cert, key: material.key, minVersion: 'TLSv1.2' })
      options.metrics?.tlsCertificateNotAfter.set(material.notAfter / 1000)
      seen = current
      return true
    } catch (error) {
      options.onError(error)
      return false
    }
  }
  const timer = setInterval(check, options.everyMs ?? 5_000).unref()
  return { check, stop: () => clearInterval(timer) }
}

function fingerprint(files: TlsFiles): string {
  return [files.certFile, files.keyFile]
    .map((file) => {
      const facts = statSync(file, { throwIfNoEntry: false })
      return facts === undefined ? 'absent' : `${facts.ino}:${facts.size}:${facts.mtimeMs}`
    })
    .join()
}

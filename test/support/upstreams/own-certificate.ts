// The certificate of what a test listens with on localhost, made once in a process.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDevelopmentCertificate } from '../../../src/http/tls/development-ca.js'

/** PEM: the certificate, its key, and the authority that signed it. */
export interface OwnCertificate {
  cert: string
  key: string
  ca: string
}

let made: Promise<OwnCertificate> | undefined

export function ownCertificate(): Promise<OwnCertificate> {
  made ??= makeCertificate()
  return made
}

async function makeCertificate(): Promise<OwnCertificate> {
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  try {
    const { certFile, keyFile, caFile } = await ensureDevelopmentCertificate(folder)
    const read = (file: string) => readFileSync(file, 'utf8')
    return { cert: read(certFile), key: read(keyFile), ca: read(caFile) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

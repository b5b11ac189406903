// HTTPS on a developer's machine without a step: a certificate authority of this data folder, and a leaf for the names
// of this machine. Never for production, where start-up refuses it.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolderSync } from '../../observability/folders.js'
import { authorityPrefix, isLimitedToThisMachine } from './authority-limits.js'

export interface DevelopmentCertificate {
  /** What clients must trust. */
  caFile: string
  /** Leaf first, then the authority. */
  certFile: string
  keyFile: string
}

/** What clients trust, as they get it and as they check that they got it. */
export interface DevelopmentAuthority {
  pem: string
  /** SHA-256 of the certificate, as OpenSSL and browsers write it: `AB:CD:…`. */
  fingerprint: string
}

const authorityName = 'ca.pem'
const day = 86_400_000
const renewBeforeDays = 30

/**
 * Makes what is missing in `folder` (0700, files 0600) and renews what ends within 30 days; the authority stays the
 * same while it lives, because developers have told their machines to trust it. `now` is epoch ms.
 */
export async function ensureDevelopmentCertificate(folder: string, now = Date.now()): Promise<DevelopmentCertificate> {
  const files = {
    caFile: join(folder, authorityName),
    certFile: join(folder, 'localhost.pem'),
    keyFile: join(folder, 'localhost.key'),
  }
  const caKeyFile = join(folder, 'ca.key')
  makeFolderSync(folder, 0o700)
  const caLives = lives(files.caFile, now) && belongs(caKeyFile, files.caFile)
  const leafFits =
    caLives &&
    lives(files.certFile, now) &&
    belongs(files.keyFile, files.certFile) &&
    issuedBy(files.certFile, files.caFile)
  if (leafFits) return files
  const { makeAuthority, makeLeaf, readAuthority } = await import('./development-certificates.js')
  const authority = caLives
    ? await readAuthority(files.caFile, caKeyFile)
    : await makeAuthority(files.caFile, caKeyFile, now)
  await makeLeaf(authority, files, now)
  return files
}

/**
 * The authority of a data folder, once its certificate was made. Throws what the file system says, such as ENOENT.
 */
export function readDevelopmentAuthority(dataFolder: string): DevelopmentAuthority {
  const pem = readFileSync(join(dataFolder, 'tls', authorityName), 'utf8')
  return { pem, fingerprint: new X509Certificate(pem).fingerprint256 }
}

/** An authority that this folder made, for those who want to trust it. */
export interface OwnAuthority {
  file: string
  /** Its common name, which no other authority has. */
  name: string
  fingerprint: string
  /** Epoch ms. */
  endsAt: number
  /** Whether it can sign names of this machine only. */
  isLimited: boolean
}

/**
 * The authority in the data folder; undefined when there is none. Throws Error for a certificate that was not made there:
 * without its key, or not by this program.
 */
export function ownAuthority(dataFolder: string): OwnAuthority | undefined {
  const file = join(dataFolder, 'tls', authorityName)
  if (!existsSync(file)) return undefined
  const certificate = new X509Certificate(readFileSync(file))
  const name = /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? ''
  const isOurs = certificate.ca && name.startsWith(`${authorityPrefix} `) && /^[\w ]{1,64}$/.test(name)
  if (!isOurs || !belongs(join(dataFolder, 'tls', 'ca.key'), file)) {
    throw new Error(`${file} was not made by a development start of this server`)
  }
  const { fingerprint256: fingerprint, validTo, raw } = certificate
  return { file, name, fingerprint, endsAt: Date.parse(validTo), isLimited: isLimitedToThisMachine(raw) }
}

function lives(file: string, now: number): boolean {
  if (!existsSync(file)) return false
  return Date.parse(new X509Certificate(readFileSync(file)).validTo) > now + renewBeforeDays * day
}

/** Of two processes that start at once, one may have written the key last and the other the certificate. */
function belongs(keyFile: string, certFile: string): boolean {
  if (!existsSync(keyFile)) return false
  return new X509Certificate(readFileSync(certFile)).checkPrivateKey(createPrivateKey(readFileSync(keyFile)))
}

function issuedBy(certFile: string, caFile: string): boolean {
  const authority = new X509Certificate(readFileSync(caFile))
  return new X509Certificate(readFileSync(certFile)).verify(authority.publicKey)
}

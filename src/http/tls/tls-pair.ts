// A certificate with its key, read from two files: what is wrong with them is said with the file, not in OpenSSL's words.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { systemErrorText } from '../../observability/system-error.js'
import type { CertificatePair } from './server-names.js'

export interface PairFiles {
  certFile: string
  keyFile: string
}

/** A file that cannot serve as what it is named for; the message says which and why. */
export class UnusableCertificate extends Error {
  override readonly name = 'UnusableCertificate'
}

/** Reads both. Throws UnusableCertificate. */
export function loadPair({ certFile, keyFile }: PairFiles): CertificatePair {
  const pair = { cert: textOf(certFile), key: textOf(keyFile) }
  const areSwapped = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pair.cert) && pair.key.includes('-----BEGIN CERTIFICATE')
  const hint = areSwapped ? ': are the files swapped?' : ', or none in PEM'
  const certificate = loadCertificate(certFile, pair.cert, hint)
  const key = privateKey(keyFile, pair.key, hint)
  if (!certificate.checkPrivateKey(key)) throw new UnusableCertificate(`${keyFile} is not the key of ${certFile}`)
  try {
    createSecureContext(pair)
  } catch (error) {
    throw unusable(`${certFile} and ${keyFile} cannot serve: ${error instanceof Error ? error.message : error}`, error)
  }
  return pair
}

/** Reads authorities. Throws UnusableCertificate. */
export function loadAuthorities(file: string): string {
  const text = textOf(file)
  loadCertificate(file, text, ', or none in PEM')
  return text
}

/** What is the matter with the dates of a certificate; undefined: nothing. `now`: epoch ms. Throws UnusableCertificate. */
export function dateProblem({ certFile }: Pick<PairFiles, 'certFile'>, now: number): string | undefined {
  const { validFrom, validTo } = loadCertificate(certFile, textOf(certFile), '')
  const day = (text: string) => new Date(text).toISOString().slice(0, 10)
  if (Date.parse(validTo) <= now) return `${certFile} ended on ${day(validTo)}: clients refuse it until it is renewed`
  if (Date.parse(validFrom) > now) return `${certFile} begins on ${day(validFrom)}: until then clients refuse it`
  return undefined
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unusable(systemErrorText(error) ?? `${file} cannot be read`, error)
  }
}

function loadCertificate(file: string, text: string, hint: string): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch (error) {
    throw unusable(`${file} holds no certificate${hint}`, error)
  }
}

function privateKey(file: string, text: string, hint: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch (error) {
    // Of both forms, PKCS #8 and the older one; what OpenSSL says of them differs by version.
    const isEncrypted = text.includes('ENCRYPTED')
    const why = isEncrypted
      ? 'is encrypted, and a start cannot ask for its passphrase: name a key without one'
      : `holds no private key${hint}`
    throw unusable(`${file} ${why}`, error)
  }
}

function unusable(message: string, cause: unknown): UnusableCertificate {
  return new UnusableCertificate(message, { cause })
}

// The question whether a certificate is revoked (RFC 6960 §4.1), as one path of a GET (RFC 5019 §5): without a nonce,
// so that responders can answer from what they have.

import { createHash, type X509Certificate } from 'node:crypto'
import { partsOf } from './certificate.js'
import { tags, writeDer } from './der.js'

/** The hash that every responder knows; it tells certificates apart and proves nothing. */
const sha1 = '2b0e03021a'
const hashes: ReadonlyMap<string, string> = new Map([
  [sha1, 'sha1'],
  ['608648016503040201', 'sha256'],
])

export interface CertificateId {
  nameHash: Buffer
  keyHash: Buffer
  serial: Buffer
}

/** How an answer names this certificate; undefined for a hash that is not known. `hash`: a hexadecimal identifier. */
export function certificateId(
  certificate: X509Certificate,
  issuer: X509Certificate,
  hash: string = sha1,
): CertificateId | undefined {
  const name = hashes.get(hash)
  if (name === undefined) return undefined
  const { subject, keyBits } = partsOf(issuer)
  const digest = (bytes: Buffer) => createHash(name).update(bytes).digest()
  return { nameHash: digest(subject), keyHash: digest(keyBits), serial: partsOf(certificate).serial }
}

/** The question in DER. */
export function statusRequest(certificate: X509Certificate, issuer: X509Certificate): Buffer {
  const id = certificateId(certificate, issuer)
  if (id === undefined) throw new Error('SHA-1 is known')
  const algorithm = writeDer(tags.sequence, writeDer(tags.oid, Buffer.from(sha1, 'hex')), Buffer.of(5, 0))
  const hashed = [id.nameHash, id.keyHash].map((bytes) => writeDer(tags.octetString, bytes))
  const certId = writeDer(tags.sequence, algorithm, ...hashed, writeDer(tags.integer, id.serial))
  const request = writeDer(tags.sequence, certId)
  return writeDer(tags.sequence, writeDer(tags.sequence, writeDer(tags.sequence, request)))
}

/** Where the question is put to a responder. */
export function questionAt(responder: URL, question: Buffer): string {
  const url = new URL(responder)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${encodeURIComponent(question.toString('base64'))}`
  return url.href
}

// What a served certificate says about who tells whether it is revoked, and what a question about it must name.

import { X509Certificate } from 'node:crypto'
import { type Der, elements, Malformed, tags } from './der.js'
import { bitsOf, expectTag, inside } from './der-shapes.js'

/** A certificate whose authority tells its status, and what a question about it needs. */
export interface StatusSubject {
  /** For people: its first DNS name, or its subject. */
  name: string
  certificate: X509Certificate
  /** Undefined: the file does not have it, and no answer can be checked. */
  issuer: X509Certificate | undefined
  /** The responder's address; undefined: the certificate names none. */
  responder: URL | undefined
  /** Clients that know the TLS feature extension refuse it without an answer (RFC 7633). */
  mustStaple: boolean
}

/** Parts of a certificate (RFC 5280 §4.1), as they are hashed and compared. */
export interface CertificateParts {
  /** The number's bytes. */
  serial: Buffer
  /** The name with its tag and length. */
  subject: Buffer
  /** The bits of the public key, without its algorithm. */
  keyBits: Buffer
  /** By the hexadecimal object identifier. */
  extensions: ReadonlyMap<string, Buffer>
}

const authorityAccess = '2b06010505070101'
const tlsFeature = '2b06010505070118'
const ocspAccess = '2b06010505073001'
const statusRequest = 5
const uriName = 0x86
const longestAddress = 1_024

/** From a file in PEM, its own certificate first. Throws for what is no certificate. */
export function statusSubject(pem: string): StatusSubject {
  const [certificate, ...others] = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one),
  )
  if (certificate === undefined) throw new Malformed()
  const { extensions } = partsOf(certificate)
  return {
    name: /DNS:([^,\s"]+)/.exec(certificate.subjectAltName ?? '')?.[1] ?? certificate.subject,
    certificate,
    issuer: others.find((other) => certificate.checkIssued(other) && certificate.verify(other.publicKey)),
    responder: responderIn(extensions.get(authorityAccess)),
    mustStaple: isMustStaple(extensions.get(tlsFeature)),
  }
}

/** Throws Malformed for what is no certificate. */
export function partsOf({ raw }: X509Certificate): CertificateParts {
  const [body] = inside(raw, tags.sequence)
  const all = elements(expectTag(body, tags.sequence).value)
  // The oldest version does not say that it is one.
  const [serial, , , , subject, key, ...rest] = all[0]?.tag === 0xa0 ? all.slice(1) : all
  const [, bits] = inside(expectTag(key, tags.sequence).whole, tags.sequence)
  return {
    serial: expectTag(serial, tags.integer).value,
    subject: expectTag(subject, tags.sequence).whole,
    keyBits: bitsOf(bits),
    extensions: extensionsIn(rest.find(({ tag }) => tag === 0xa3)),
  }
}

function extensionsIn(found: Der | undefined): Map<string, Buffer> {
  const all = found === undefined ? [] : inside(found.value, tags.sequence)
  return new Map(
    all.map(({ whole }) => {
      const parts = inside(whole, tags.sequence)
      return [expectTag(parts[0], tags.oid).value.toString('hex'), expectTag(parts.at(-1), tags.octetString).value]
    }),
  )
}

/** The first one over HTTP; what is no address counts as none. */
function responderIn(extension: Buffer | undefined): URL | undefined {
  if (extension === undefined) return undefined
  for (const { whole } of inside(extension, tags.sequence)) {
    const [method, place] = inside(whole, tags.sequence)
    const isOne = method?.value.toString('hex') === ocspAccess && place?.tag === uriName
    const text = isOne && place.value.length <= longestAddress ? place.value.toString('latin1') : ''
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text)
  }
  return undefined
}

function isMustStaple(extension: Buffer | undefined): boolean {
  return extension !== undefined && inside(extension, tags.sequence).some(({ value }) => value.equals(oneByte))
}
const oneByte = Buffer.of(statusRequest)

// Whether an answer of a responder (RFC 6960 §4.2) is one about this certificate, from somebody who may say it, for
// the present. Clients look at all of this again; an answer that they would refuse is worse than none.

import { createHash, X509Certificate } from 'node:crypto'
import { partsOf } from './certificate.js'
import { type Der, elements, Malformed, tags } from './der.js'
import { bitsOf, expectTag, inside, readDer } from './der-shapes.js'
import { isSignedIn, type SignatureWay, signatureWay } from './signature-ways.js'
import { certificateId } from './status-request.js'

export interface CertificateStatus {
  status: 'good' | 'revoked' | 'unknown'
  /** Epoch ms: from when, and until when it may be said. */
  thisUpdate: number
  nextUpdate: number
}

/** The answer is none that may be believed; the message says why. */
export class StatusRefused extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'StatusRefused'
  }
}

interface Subject {
  certificate: X509Certificate
  issuer: X509Certificate
}

/** Clocks of responders may be ahead by so much. */
const skewMs = 5 * 60_000
/** Without an end of its own (RFC 6960 §2.4: newer information is always available). */
const withoutEndMs = 3_600_000
const basicAnswer = '2b0601050507300101'
const signsAnswers = '1.3.6.1.5.5.7.3.9'
const mostCertificates = 8
const byName = 0xa1
const byKey = 0xa2
const explicit0 = 0xa0

const refusals = new Map([
  [1, 'it finds the question malformed'],
  [2, 'it has an internal error'],
  [3, 'it has no answer for now'],
  [5, 'it wants a signed question'],
  [6, 'it does not answer for this certificate'],
])

const statuses = new Map<number, CertificateStatus['status']>([
  [0x80, 'good'],
  [0xa1, 'revoked'],
  [0x82, 'unknown'],
])

/** What the answer says at `now` (epoch ms). Throws StatusRefused, and Malformed. */
export function readStatus(answer: Buffer, subject: Subject, now: number): CertificateStatus {
  const [data, algorithm, signature, certificates] = inside(basicOf(answer), tags.sequence)
  const signed = expectTag(data, tags.sequence)
  const { responder, responses } = readData(signed)
  const found = responses.find((one) => isAbout(one, subject))
  if (found === undefined) throw new StatusRefused('it is about another certificate')
  const status = readSingle(found, now)
  const way = wayOf(algorithm)
  const proof = { data: signed.whole, signature: bitsOf(signature) }
  const signers = [subject.issuer, ...certificatesIn(certificates)].filter((one) => isNamed(one, responder))
  if (signers.length === 0) throw new StatusRefused('its signer is unknown')
  if (!signers.some((signer) => isSignedIn(way, signer.publicKey, proof) && maySign(signer, subject.issuer, now))) {
    throw new StatusRefused('its signature is not that of somebody who may sign it')
  }
  return status
}

function basicOf(answer: Buffer): Buffer {
  const [status, bytes] = inside(answer, tags.sequence)
  const code = expectTag(status, tags.enumerated).value
  if (code.length !== 1) throw new Malformed()
  if (code[0] !== 0) throw new StatusRefused(refusals.get(code[0] ?? 0) ?? `it answers with status ${code[0]}`)
  const [kind, basic] = inside(expectTag(bytes, explicit0).value, tags.sequence)
  if (expectTag(kind, tags.oid).value.toString('hex') !== basicAnswer)
    throw new StatusRefused('it answers in a form that is not known')
  return expectTag(basic, tags.octetString).value
}

function readData(data: Der): { responder: Der; responses: Der[] } {
  const [first, ...rest] = elements(data.value)
  const [responder, , responses] = first?.tag === explicit0 ? rest : [first, ...rest]
  if (responder === undefined) throw new Malformed()
  return { responder, responses: inside(expectTag(responses, tags.sequence).whole, tags.sequence) }
}

function isAbout(single: Der, { certificate, issuer }: Subject): boolean {
  const [id] = inside(single.whole, tags.sequence)
  const [algorithm, nameHash, keyHash, serial] = elements(expectTag(id, tags.sequence).value)
  const [hash] = elements(expectTag(algorithm, tags.sequence).value)
  const own = certificateId(certificate, issuer, expectTag(hash, tags.oid).value.toString('hex'))
  if (own === undefined) return false
  return (
    expectTag(nameHash, tags.octetString).value.equals(own.nameHash) &&
    expectTag(keyHash, tags.octetString).value.equals(own.keyHash) &&
    expectTag(serial, tags.integer).value.equals(own.serial)
  )
}

function readSingle(single: Der, now: number): CertificateStatus {
  const [, said, from, ...rest] = inside(single.whole, tags.sequence)
  const status = statuses.get(said?.tag ?? 0)
  if (status === undefined) throw new Malformed()
  const thisUpdate = timeOf(from)
  const end = rest.find(({ tag }) => tag === explicit0)
  const nextUpdate = end === undefined ? now + withoutEndMs : timeOf(readDer(end.value, tags.generalizedTime))
  if (thisUpdate > now + skewMs) throw new StatusRefused('it is not valid yet')
  if (nextUpdate <= now) throw new StatusRefused('it is outdated')
  if (nextUpdate <= thisUpdate) throw new Malformed()
  return { status, thisUpdate, nextUpdate }
}

function timeOf(found: Der | undefined): number {
  const text = expectTag(found, tags.generalizedTime).value.toString('latin1')
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  if (parts === null) throw new Malformed()
  const [, year, month, day, hour, minute, second] = parts
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(time)) throw new Malformed()
  return time
}

function certificatesIn(found: Der | undefined): X509Certificate[] {
  if (found === undefined) return []
  const all = inside(expectTag(found, explicit0).value, tags.sequence)
  if (all.length > mostCertificates) throw new Malformed()
  return all.map(({ whole }) => {
    try {
      return new X509Certificate(whole)
    } catch {
      throw new Malformed()
    }
  })
}

/** By its name, or by the SHA-1 of its key. */
function isNamed(signer: X509Certificate, responder: Der): boolean {
  const { subject, keyBits } = partsOf(signer)
  if (responder.tag === byName) return responder.value.equals(subject)
  if (responder.tag !== byKey) throw new Malformed()
  return readDer(responder.value, tags.octetString).value.equals(createHash('sha1').update(keyBits).digest())
}

function wayOf(algorithm: Der | undefined): SignatureWay {
  const way = signatureWay(algorithm)
  if (way === undefined) throw new StatusRefused('it is signed in a way that is not taken')
  return way
}

/** The issuer, or whom it made a responder: directly, for this purpose, and at present (RFC 6960 §4.2.2.2). */
function maySign(signer: X509Certificate, issuer: X509Certificate, now: number): boolean {
  if (signer.raw.equals(issuer.raw)) return true
  const isPresent = Date.parse(signer.validFrom) <= now + skewMs && Date.parse(signer.validTo) > now
  const isMade = signer.checkIssued(issuer) && signer.verify(issuer.publicKey)
  return isPresent && isMade && (signer.keyUsage ?? []).includes(signsAnswers)
}

// Authorities, certificates that name a responder, and what responders answer, well or badly, made for one test.

import 'reflect-metadata'
import { constants, createHash, KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { partsOf } from '../../../src/http/tls/stapling/certificate.js'
import { tags, writeDer } from '../../../src/http/tls/stapling/der.js'
import { certificateId } from '../../../src/http/tls/stapling/status-request.js'

const elliptic = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const rsa = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: Uint8Array.of(1, 0, 1),
  hash: 'SHA-256',
} as const
const day = 86_400_000
const ocspSigning = '1.3.6.1.5.5.7.3.9'

x509.cryptoProvider.set(crypto)

export interface Holder {
  certificate: X509Certificate
  made: x509.X509Certificate
  key: KeyObject
  privateKey: CryptoKey
  /** PEM. */
  keyText: string
}

export interface CertificateWishes {
  name?: string
  by?: Holder
  responder?: string
  mustStaple?: boolean
  signsAnswers?: boolean
  /** Days from now. */
  ends?: number
  /** Its key; elliptic when absent. */
  keys?: 'rsa'
}

/** Without `by` an authority that signs itself. */
export async function makeCertificate(wishes: CertificateWishes = {}): Promise<Holder> {
  const { name = 'test authority', by, responder, mustStaple, signsAnswers, ends = 30 } = wishes
  const algorithm = wishes.keys === 'rsa' ? rsa : elliptic
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: `4${randomBytes(8).toString('hex').slice(1)}`,
    subject: `CN=${name}`,
    issuer: by?.made.subject ?? `CN=${name}`,
    notBefore: new Date(Date.now() - 10 * day),
    notAfter: new Date(Date.now() + ends * day),
    publicKey: keys.publicKey,
    signingKey: by?.privateKey ?? keys.privateKey,
    signingAlgorithm: by === undefined ? algorithm : elliptic,
    extensions: [
      new x509.BasicConstraintsExtension(by === undefined, undefined, true),
      ...(by === undefined ? [] : [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }])]),
      ...(responder === undefined ? [] : [new x509.AuthorityInfoAccessExtension({ ocsp: responder })]),
      // A sequence with the one number 5 (RFC 7633).
      ...(mustStaple === true
        ? [new x509.Extension('1.3.6.1.5.5.7.1.24', false, Buffer.from('3003020105', 'hex'))]
        : []),
      ...(signsAnswers === true ? [new x509.ExtendedKeyUsageExtension([ocspSigning])] : []),
    ],
  })
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    certificate: new X509Certificate(Buffer.from(made.rawData)),
    made,
    key: KeyObject.from(keys.privateKey),
    privateKey: keys.privateKey,
    keyText: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  }
}

/** A file for a server: its certificate and that of its authority. */
export function chain(...holders: readonly Holder[]): string {
  return holders.map(({ made }) => `${made.toString('pem')}\n`).join('')
}

export interface AnswerWishes {
  /** Whose status it tells, and whose authority it names. */
  about: Holder
  issuer: Holder
  /** Whose name and signature it bears; the issuer's when absent. */
  signer?: Holder
  /** Who is named as the signer, if somebody else. */
  named?: Holder
  carried?: readonly Holder[]
  status?: 'good' | 'revoked' | 'unknown'
  /** Epoch ms. */
  from?: number
  until?: number | undefined
  byKey?: boolean
  hash?: string
  /** RSA with a salt: what the answer says of it, and how long it is. */
  pss?: { parameters: Buffer; hash: string; saltLength: number }
}

const oid = (hex: string) => writeDer(tags.oid, Buffer.from(hex, 'hex'))
const ecdsaSha256 = writeDer(tags.sequence, oid('2a8648ce3d040302'))
const hashOf = (hex: string) => writeDer(tags.sequence, oid(hex), Buffer.of(5, 0))

/** Parameters of RSA with a salt (RFC 4055 §3.1), with these hashes for the data and the mask. */
export function pssParameters(hash: string, mask: string, saltLength: number): Buffer {
  return writeDer(
    tags.sequence,
    writeDer(0xa0, hashOf(hash)),
    writeDer(0xa1, writeDer(tags.sequence, oid('2a864886f70d010108'), hashOf(mask))),
    writeDer(0xa2, writeDer(tags.integer, Buffer.of(saltLength))),
  )
}

function signed(data: Buffer, key: KeyObject, pss: AnswerWishes['pss']): { way: Buffer; signature: Buffer } {
  if (pss === undefined) return { way: ecdsaSha256, signature: sign('sha256', data, key) }
  const { parameters, hash, saltLength } = pss
  const way = writeDer(tags.sequence, oid('2a864886f70d01010a'), parameters)
  return { way, signature: sign(hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }) }
}
export const sha256 = '608648016503040201'

/** What a responder sends. */
export function statusAnswer(wishes: AnswerWishes): Buffer {
  const { about, issuer, signer = issuer, named = signer, carried = [], status = 'good', hash = '2b0e03021a' } = wishes
  const { from = Date.now() - 3_600_000, until = 'until' in wishes ? undefined : Date.now() + 3_600_000 } = wishes
  const id = certificateId(about.certificate, issuer.certificate, hash)
  if (id === undefined) throw new Error('this hash is not known')
  const certId = writeDer(
    tags.sequence,
    writeDer(tags.sequence, oid(hash), Buffer.of(5, 0)),
    writeDer(tags.octetString, id.nameHash),
    writeDer(tags.octetString, id.keyHash),
    writeDer(tags.integer, id.serial),
  )
  const said = {
    good: writeDer(0x80),
    revoked: writeDer(0xa1, timeOf(Date.now() - day)),
    unknown: writeDer(0x82),
  }[status]
  const end = until === undefined ? Buffer.alloc(0) : writeDer(0xa0, timeOf(until))
  const single = writeDer(tags.sequence, certId, said, timeOf(from), end)
  const { subject, keyBits } = partsOf(named.certificate)
  const responder =
    wishes.byKey === true
      ? writeDer(0xa2, writeDer(tags.octetString, createHash('sha1').update(keyBits).digest()))
      : writeDer(0xa1, subject)
  const data = writeDer(tags.sequence, responder, timeOf(from), writeDer(tags.sequence, single))
  const { way, signature: bits } = signed(data, signer.key, wishes.pss)
  const signature = writeDer(tags.bitString, Buffer.of(0), bits)
  const certificates = carried.map(({ certificate }) => certificate.raw)
  const more = carried.length === 0 ? Buffer.alloc(0) : writeDer(0xa0, writeDer(tags.sequence, ...certificates))
  const basic = writeDer(tags.sequence, data, way, signature, more)
  const bytes = writeDer(tags.sequence, oid('2b0601050507300101'), writeDer(tags.octetString, basic))
  return writeDer(tags.sequence, writeDer(tags.enumerated, Buffer.of(0)), writeDer(0xa0, bytes))
}

/** One that refuses, with this number (RFC 6960 §4.2.1). */
export function statusRefusal(code: number): Buffer {
  return writeDer(tags.sequence, writeDer(tags.enumerated, Buffer.of(code)))
}

function timeOf(epochMs: number): Buffer {
  const text = `${new Date(epochMs).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`
  return writeDer(tags.generalizedTime, Buffer.from(text))
}

// Makes the certificates of a development authority. Loaded only when there is something to make: what it stands on is
// slow to load, and the certificates of a data folder last for a year.

import 'reflect-metadata'
import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as x509 from '@peculiar/x509'
import { authorityPrefix, localNamesOnly, nameConstraintsId } from './authority-limits.js'

const day = 86_400_000
const caDays = 3_650
/** Clients refuse leaves that live longer than 398 days. */
const leafDays = 397
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const names: x509.JsonGeneralNames = [
  { type: 'dns', value: 'localhost' },
  { type: 'dns', value: '*.localhost' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
]

x509.cryptoProvider.set(crypto)

export interface Authority {
  certificate: x509.X509Certificate
  key: CryptoKey
}

/** A new authority, in its two files. */
export async function makeAuthority(caFile: string, caKeyFile: string, now: number): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    // A name of its own each time: two authorities of one name confuse trust stores.
    name: `CN=${authorityPrefix} ${randomBytes(4).toString('hex')}`,
    notBefore: new Date(now - day),
    notAfter: new Date(now + caDays * day),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.Extension(nameConstraintsId, true, new Uint8Array(localNamesOnly)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  writePrivate(caKeyFile, await privatePem(keys.privateKey))
  // Files of authorities are joined with `cat`: without a line's end the next one would begin in this one's last line.
  writePrivate(caFile, `${certificate.toString('pem')}\n`)
  return { certificate, key: keys.privateKey }
}

/** The one that the files hold. */
export async function readAuthority(caFile: string, caKeyFile: string): Promise<Authority> {
  const der = x509.PemConverter.decodeFirst(readFileSync(caKeyFile, 'utf8'))
  const key = await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
  return { certificate: new x509.X509Certificate(readFileSync(caFile, 'utf8')), key: key }
}

/** A leaf of it for this machine, in its two files. */
export async function makeLeaf(
  authority: Authority,
  files: { certFile: string; keyFile: string },
  now: number,
): Promise<void> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'CN=localhost',
    issuer: authority.certificate.subject,
    notBefore: new Date(now - day),
    notAfter: new Date(now + leafDays * day),
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  writePrivate(files.keyFile, await privatePem(keys.privateKey))
  writePrivate(files.certFile, `${certificate.toString('pem')}\n${authority.certificate.toString('pem')}\n`)
}

/** 127 bits: positive, and never zero (RFC 5280 §4.1.2.2). */
function serial(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

async function privatePem(key: CryptoKey): Promise<string> {
  const der = await crypto.subtle.exportKey('pkcs8', key)
  return x509.PemConverter.encode(der, 'PRIVATE KEY')
}

/** Through a rename, so that a crash or a second process never leaves half a file. */
function writePrivate(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, file)
}

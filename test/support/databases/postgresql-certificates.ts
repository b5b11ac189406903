// Certificates for a PostgreSQL that offers TLS, made by openssl for this run.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './postgresql-folder.js'

/** PEM texts. */
export interface Certificates {
  ca: string
  certificate: string
  key: string
}

/** A new authority and a certificate of it for `name`, in `folder`. */
export function makeCertificates(folder: string, name: string): Certificates {
  const at = (file: string): string => join(folder, file)
  const key = (file: string): string[] => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    at(file),
  ]
  run(['openssl', 'req', '-x509', ...key('ca.key'), '-days', '2', '-subj', '/CN=test authority', '-out', at('ca.crt')])
  const signed = ['-CA', at('ca.crt'), '-CAkey', at('ca.key')]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  run(['openssl', 'req', '-x509', ...key('own.key'), '-days', '2', ...subject, ...signed, '-out', at('own.crt')])
  const read = (file: string): string => readFileSync(at(file), 'utf8')
  return { ca: read('ca.crt'), certificate: read('own.crt'), key: read('own.key') }
}

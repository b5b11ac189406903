// Which certificate a client gets, by the name that it asks for (SNI, RFC 6066 §3). The first certificate is for
// everybody who asks for none, or for one that no certificate has: what the name leads to is decided by Host, not here.

import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import { servingContext } from './tls-suites.js'

export interface CertificatePair {
  /** PEM, leaf first. */
  cert: string
  key: string
}

export interface ServerNames {
  /** For node:tls. Undefined: the server's own certificate. */
  SNICallback(name: string, done: (error: Error | null, context?: SecureContext) => void): void
  /** Which certificate a client gets that wants this name: all names of it, or nothing for the server's own. */
  certificateOf(name: string): string
  /**
   * From now on these are chosen from, the server's own first; of two for one name the first one. Throws when a pair is
   * none.
   */
  take(certificates: Certificates): void
}

/** What a TLS server serves with. */
export interface Certificates extends CertificatePair {
  /** Further ones, for those who ask for a name in them. */
  more?: readonly CertificatePair[]
  /** PEM: every client must present a certificate of one of these. */
  clientAuthorities?: string | undefined
}

const chosen = new WeakMap<object, ServerNames>()

/** The choice of a server that has several certificates. */
export function serverNamesOf(server: object): ServerNames | undefined {
  return chosen.get(server)
}

/** Lets a server, made with its SNICallback, be found again. */
export function rememberServerNames(server: object, names: ServerNames): void {
  chosen.set(server, names)
}

/** Chooses from these. Throws as `take` does. */
export function createServerNames(certificates: Certificates): ServerNames {
  let byName = new Map<string, { context: SecureContext; all: string }>()
  const find = (name: string) => {
    const hostName = name.toLowerCase()
    return byName.get(hostName) ?? byName.get(hostName.replace(/^[^.]+/, '*'))
  }
  const names: ServerNames = {
    SNICallback: (name, done) => done(null, find(name)?.context),
    certificateOf: (name) => find(name)?.all ?? '',
    take({ cert, key, more = [], clientAuthorities: ca }) {
      const taken: typeof byName = new Map()
      for (const pair of [{ cert, key }, ...more]) {
        const context = createSecureContext(servingContext({ cert: pair.cert, key: pair.key, ca }))
        const itsNames = namesIn(pair.cert)
        const all = itsNames.toSorted().join(' ')
        for (const name of itsNames) if (!taken.has(name)) taken.set(name, { context, all })
      }
      byName = taken
    },
  }
  names.take(certificates)
  return names
}

/** DNS names of a certificate in lower case; `*.name` stands for one label (RFC 9525 §6.3). */
function namesIn(cert: string): string[] {
  const { subjectAltName = '' } = new X509Certificate(cert)
  return [...subjectAltName.matchAll(/(?:^|, )DNS:([^,"]+)/g)].map(([, name]) => (name ?? '').toLowerCase())
}

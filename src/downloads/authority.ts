// Where clients get the certificate authority of a server in development, and how they tell that it is the right one:
// nothing is trusted yet when it is fetched, so its fingerprint is compared with one that came by another way, such as a
// page in a browser that somebody has let in (decision 107).

import type { DevelopmentAuthority } from '../http/tls/development-ca.js'

/** Of the address. */
export const authorityPath = '/downloads/development-ca.pem'

/** The address. */
export function authorityUrl(baseUrl: string): string {
  return baseUrl + authorityPath
}

/**
 * The commands of a shell that write it to `ca.pem` of the folder. One with another fingerprint is removed again, so
 * that nothing after them trusts it.
 */
export function authorityCommands({ fingerprint }: DevelopmentAuthority, baseUrl: string): string {
  return `curl -fsSk ${authorityUrl(baseUrl)} -o ca.pem
openssl x509 -in ca.pem -noout -fingerprint -sha256 | grep -q '${fingerprint}' ||
  { rm -f ca.pem; echo 'ca.pem was not the certificate authority of this server' >&2; }`
}

// What TLS is spoken: 1.3, and 1.2 with the four suites that BCP 195 recommends (RFC 9325 §4.2).

import { constants } from 'node:crypto'

/** For node:tls, wherever a context for clients is made. The suites of TLS 1.3 are chosen in the same list. */
export const tlsSuites = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
  ].join(':'),
} as const

/**
 * For a context that serves with this certificate. Where clients must present one of `ca`, no session is resumed: a
 * ticket would outlive a certificate that has ended, and an authority that is believed no more.
 */
export function servingContext({ cert, key, ca }: { cert: string; key: string; ca?: string | undefined }) {
  const ends = ca === undefined ? {} : { ca, secureOptions: constants.SSL_OP_NO_TICKET }
  return { cert, key, ...ends, ...tlsSuites }
}

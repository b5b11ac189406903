// HAProxy with its own check of the same token, and nothing else: no cache, no revocation, no limits.

import { createPublicKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Server, startServer } from '../processes.js'
import type { PublishedKey } from './published-key.js'

/** Starts HAProxy on `port`, in front of the bench upstream, with the public key of the product's token. */
export async function startHaproxy(
  folder: string,
  options: { upstreamPort: number; port: number; key: PublishedKey },
): Promise<Server> {
  const { port, upstreamPort, key } = options
  const keyFile = join(folder, `haproxy-${key.alg}.pem`)
  writeFileSync(keyFile, createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' }))
  const file = join(folder, `haproxy-${key.alg}.cfg`)
  writeFileSync(
    file,
    `global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend gate
  bind 127.0.0.1:${port}
  http-request set-var(txn.bearer) http_auth_bearer
  http-request deny unless { var(txn.bearer),jwt_header_query('$.alg') -m str ${key.alg} }
  http-request deny unless { var(txn.bearer),jwt_verify("${key.alg}","${keyFile}") 1 }
  default_backend upstream
backend upstream
  server one 127.0.0.1:${upstreamPort}
`,
  )
  return await startServer(['haproxy', '-db', '-f', file], port, { cpu: 0 })
}

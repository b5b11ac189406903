// HAProxy that ends TLS with the product's certificate, and nothing else: no check of the token.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Server, startServer } from '../processes.js'

/** Starts HAProxy on `port`, in front of the bench upstream. `pem`: certificate and key. */
export async function startTlsHaproxy(
  folder: string,
  { port, upstreamPort, pem }: { port: number; upstreamPort: number; pem: string },
): Promise<Server> {
  const [certificate, file] = [join(folder, 'haproxy-tls.pem'), join(folder, 'haproxy-tls.cfg')]
  writeFileSync(certificate, pem, { mode: 0o600 })
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
  bind 127.0.0.1:${port} ssl crt ${certificate} ssl-min-ver TLSv1.3
  default_backend upstream
backend upstream
  server one 127.0.0.1:${upstreamPort}
`,
  )
  return await startServer(['haproxy', '-db', '-f', file], port, { cpu: 0 })
}

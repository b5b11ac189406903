// The reference gateway: HAProxy with its own ES256 check of the same token, and nothing else.

import { createPublicKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { type Server, startServer } from './processes.js'
import type { Product } from './product.js'

/** Starts HAProxy on `port`, in front of the bench upstream, with the product's public ES256 key. */
export async function startHaproxy(
  folder: string,
  options: { upstreamPort: number; product: Product; port: number; token: string },
): Promise<Server> {
  const key = join(folder, 'es256.pem')
  writeFileSync(key, await publicKey(options.product, options.token))
  const file = join(folder, 'haproxy.cfg')
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
  bind 127.0.0.1:${options.port}
  http-request set-var(txn.bearer) http_auth_bearer
  http-request deny unless { var(txn.bearer),jwt_header_query('$.alg') -m str ES256 }
  http-request deny unless { var(txn.bearer),jwt_verify("ES256","${key}") 1 }
  default_backend upstream
backend upstream
  server one 127.0.0.1:${options.upstreamPort}
`,
  )
  return await startServer(['haproxy', '-db', '-f', file], options.port, { cpu: 0 })
}

/** PEM of the key that signed this token. */
async function publicKey(product: Product, token: string): Promise<string> {
  const headers = { host: product.host, 'x-forwarded-proto': 'https' }
  const text = await new Promise<string>((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port: product.port, path: '/api/v2/oauth2/v2.0/keys', headers },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve(Buffer.concat(chunks).toString()))
      },
    )
    call.once('error', reject)
    call.end()
  })
  const { keys } = JSON.parse(text) as { keys: (Record<string, string> & { alg: string })[] }
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }
  const jwk = keys.find((one) => one['kid'] === kid)
  if (jwk === undefined) throw new Error('the product does not publish the key of its token')
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString()
}

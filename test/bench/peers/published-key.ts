// The public key of a token, as the product publishes it: what the peers check the same token with.

import { request } from 'node:http'
import type { Product } from '../product.js'

/** A JWK (RFC 7517). */
export type PublishedKey = Record<string, string> & { kid: string; alg: string }

/** The key that signed this token. Throws Error when the product does not publish it. */
export async function publishedKey(product: Product, token: string): Promise<PublishedKey> {
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
  const { keys } = JSON.parse(text) as { keys: PublishedKey[] }
  const { kid } = partOf(token, 0) as { kid: string }
  const key = keys.find((one) => one.kid === kid)
  if (key === undefined) throw new Error('the product does not publish the key of its token')
  return key
}

/** The head (0) or the claims (1) of a token. */
export function partOf(token: string, part: 0 | 1): unknown {
  return JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString())
}

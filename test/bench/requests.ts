// The requests of the benchmark as bytes on the wire.

import { randomUUID } from 'node:crypto'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Product } from './product.js'

/** GET of the bench route, or of that with a number. A1 gets the same bytes. */
export function proxyRequest(host: string, token: string, route?: number): Buffer {
  return Buffer.from(
    [
      `GET /api/v2/bench${route === undefined ? '' : `-${route}`}/${randomUUID()} HTTP/1.1`,
      `Host: ${host}`,
      'Accept: application/json',
      'User-Agent: bench',
      'X-Forwarded-Proto: https',
      'X-Forwarded-For: 192.0.2.7',
      `Authorization: Bearer ${token}`,
      '\r\n',
    ].join('\r\n'),
  )
}

/** POST of JSON with a token of the bench application. */
export async function proxyPost(product: Product, path: string, fields: readonly string[], text: string) {
  return Buffer.from(
    [
      `POST ${path} HTTP/1.1`,
      `Host: ${product.host}`,
      'Accept: application/json, text/event-stream',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'User-Agent: bench',
      'X-Forwarded-Proto: https',
      'X-Forwarded-For: 192.0.2.7',
      `Authorization: Bearer ${await takeToken(product)}`,
      ...fields,
      '',
      text,
    ].join('\r\n'),
  )
}

/** POST of the token endpoint. */
export function tokenRequest({ host, credential }: Product): Buffer {
  return credentialsRequest({ path: '/api/v2/oauth2/v2.0/token', host, ...credential })
}

/** POST of a client's credentials to any token endpoint. */
export function credentialsRequest(to: { path: string; host: string; clientId: string; clientSecret: string }): Buffer {
  const form = `grant_type=client_credentials&client_id=${to.clientId}&client_secret=${to.clientSecret}&scope=assets_read`
  return Buffer.from(
    [
      `POST ${to.path} HTTP/1.1`,
      `Host: ${to.host}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${form.length}`,
      'X-Forwarded-Proto: https',
      'X-Forwarded-For: 192.0.2.7',
      '',
      form,
    ].join('\r\n'),
  )
}

/** One access token of the product's bench application. */
export async function takeToken(product: Product): Promise<string> {
  const bytes = tokenRequest(product).toString()
  const body = bytes.slice(bytes.indexOf('\r\n\r\n') + 4)
  const headers = {
    host: product.host,
    'content-type': 'application/x-www-form-urlencoded',
    'x-forwarded-proto': 'https',
  }
  const path = '/api/v2/oauth2/v2.0/token'
  const secure = product.ca === undefined ? {} : { ca: product.ca, servername: 'localhost' }
  const options = { port: product.port, host: '127.0.0.1', path, method: 'POST', headers, ...secure }
  const request = product.ca === undefined ? requestPlain : requestTls
  const text = await new Promise<string>((resolve, reject) => {
    const call = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks).toString()))
    })
    call.once('error', reject)
    call.end(body)
  })
  const token: unknown = JSON.parse(text).access_token
  if (typeof token !== 'string') throw new Error(text)
  return token
}

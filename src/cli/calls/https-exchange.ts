// One HTTPS request as any client would send it: certificates are always verified, against the development authority
// when that is what serves. Used by the commands that talk to the public address on purpose.

import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join, resolve } from 'node:path'
import type { TLSSocket } from 'node:tls'
import type { Settings } from '../../config/settings/settings.js'
import { requireAbsent } from '../configuration/own-files.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'

export interface HttpsRequest {
  method: string
  url: URL
  headers: readonly (readonly [string, string])[]
  body?: string | Uint8Array
  /** PEM of the authorities to trust; undefined: the ones that Node trusts. */
  ca: string | undefined
}

export interface HttpsAnswer {
  status: number
  statusText: string
  httpVersion: string
  headers: IncomingHttpHeaders
  /** Name, value, name, value …, as received. */
  rawHeaders: readonly string[]
  body: Buffer
  /** When the server's certificate ends, epoch milliseconds. */
  certificateEndsAt: number
}

const timeoutMs = 60_000

/** The development authority's certificate in the data folder. */
function developmentAuthorityFile(settings: Settings, terminal: Terminal): string {
  return join(resolve(terminal.cwd, settings.data.folder), 'tls', 'ca.pem')
}

/** What to trust: `--ca`, else the development authority where the settings say that it serves, else Node's list. */
export async function trustedAuthorities(
  settings: Settings,
  file: string | undefined,
  terminal: Terminal,
): Promise<string | undefined> {
  if (file !== undefined) return await readFile(resolve(terminal.cwd, file), 'utf8')
  if (settings.server.tls.kind !== 'development') return undefined
  const own = developmentAuthorityFile(settings, terminal)
  return await readFile(own, 'utf8').catch((error: unknown) => {
    requireAbsent(error, own)
    const message = `the development certificate authority is not there yet. Start Portcullis with: portcullis serve`
    throw new CommandFailure(exitCodes.unreachable, message, { cause: error })
  })
}

/** Sends the request; the answer is complete. Throws CommandFailure with exit code 5 when there is no answer. */
export async function httpsExchange(exchange: HttpsRequest): Promise<HttpsAnswer> {
  if (exchange.url.protocol !== 'https:') {
    throw new CommandFailure(exitCodes.usage, `${exchange.url.origin} is not https: tokens and secrets are never sent`)
  }
  const { request } = await import('node:https')
  return await new Promise((fulfil, reject) => {
    const { method, url, body, ca } = exchange
    const failed = (error: NodeJS.ErrnoException) => reject(unreachable(url, error))
    const headers = exchange.headers.flat()
    if (body !== undefined) headers.push('content-length', String(Buffer.byteLength(body)))
    const options = { method, headers: ['host', url.host, ...headers], agent: false, timeout: timeoutMs }
    const sent = request(url, ca === undefined ? options : { ...options, ca }, (response) => {
      const certificateEndsAt = Date.parse((response.socket as TLSSocket).getPeerCertificate().valid_to)
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', failed)
      response.on('end', () =>
        fulfil({
          status: response.statusCode ?? 0,
          statusText: response.statusMessage ?? '',
          httpVersion: response.httpVersion,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          body: Buffer.concat(chunks),
          certificateEndsAt,
        }),
      )
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
    sent.on('error', failed)
    sent.end(body)
  })
}

function unreachable(url: URL, error: NodeJS.ErrnoException): CommandFailure {
  const why =
    error.code === 'ECONNREFUSED'
      ? 'nobody listens there. Start Portcullis with: portcullis serve'
      : (datesOf(error.code) ?? `${error.message}${isUntrusted(error.code) ? ' (trust its authority with --ca)' : ''}`)
  return new CommandFailure(exitCodes.unreachable, `${url.origin} cannot be reached: ${why}`, { cause: error })
}

/** Of a certificate whose dates are wrong another authority changes nothing. */
function datesOf(code: string | undefined): string | undefined {
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired: renew it, and see the clock of this machine'
  return code === 'CERT_NOT_YET_VALID' ? 'its certificate is not valid yet: see the clock of this machine' : undefined
}

function isUntrusted(code = ''): boolean {
  return code.includes('CERT') || code.includes('SELF_SIGNED')
}

// One small document over HTTPS: certificates always verified, nothing followed, nothing unbounded.

import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import type { LookupFunction } from 'node:net'
import { operatorLookup } from '../../egress/operator-names.js'

const timeoutMs = 5_000
const longestBytes = 65_536

/**
 * The text at `url`. `ca`: PEM of the authorities to trust instead of the system's. Plain http only on loopback. `lookup`
 * decides which addresses its name may have (egress/public-address.ts), for a URL that is not the operator's. Throws
 * Error for anything but a 200 of at most 64 KiB within five seconds.
 */
export async function fetchDocument(
  url: string,
  ca?: string,
  lookup: LookupFunction = operatorLookup,
): Promise<string> {
  const target = new URL(url)
  const isPlain = target.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(target.hostname)
  if (target.protocol !== 'https:' && !isPlain) throw new Error(`${target.origin} is neither https nor loopback`)
  const signal = AbortSignal.timeout(timeoutMs)
  const options = {
    signal,
    headers: { accept: 'application/json' },
    agent: false as const,
    lookup,
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = isPlain
      ? httpGet(target, options, resolve)
      : httpsGet(target, { ...options, ...(ca === undefined ? {} : { ca }) }, resolve)
    request.on('error', reject)
  })
  if (response.statusCode !== 200) {
    response.destroy()
    throw new Error(`${target.origin} answered ${response.statusCode}`)
  }
  return readText(response)
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > longestBytes) throw new Error(`the document is larger than ${longestBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

// What is sent beside a load, few of each: what an overloaded server should still do for those who need it most.

import { request } from 'node:http'
import { figuresOf } from '../paced/figures.js'
import { runPaced } from '../paced/paced-load.js'
import { credentialsRequest } from '../requests.js'
import type { Target } from './measure.js'

/** By kind: how many were answered otherwise than they should be, of how many, and how long those took that were right. */
export type UrgentFigures = Record<
  'revocations' | 'sign-in pages' | 'tokens',
  { refused: number; all: number; p99: number }
>

const perSecond = 5

/** Sends five of each kind a second for so long. */
export async function watchUrgent(target: Target, seconds: number): Promise<UrgentFigures> {
  const watch = async (bytes: Buffer) => {
    const { port } = target
    const { latencies, unsent, lost } = await runPaced({
      port,
      requests: [bytes],
      perSecond,
      seconds,
      mostConnections: 8,
    })
    const right = latencies.get(200) ?? []
    const all = [...latencies.values()].reduce((sum, { length }) => sum + length, unsent + lost)
    return { refused: all - right.length, all, p99: figuresOf(right).p99 }
  }
  const [revocations, pages, tokens] = await Promise.all([
    watch(revocationRequest(target, 'none')),
    watch(signInPage(target)),
    watch(credentialsRequest({ path: '/api/v2/oauth2/v2.0/token', host: target.host, ...target.credential })),
  ])
  return { revocations, 'sign-in pages': pages, tokens }
}

const proxied = ['X-Forwarded-Proto: https', 'X-Forwarded-For: 192.0.2.8']

/** GET of the page on which people sign in. */
export function signInPage({ host }: { host: string }): Buffer {
  return Buffer.from(['GET /sign-in HTTP/1.1', `Host: ${host}`, 'Accept: text/html', ...proxied, '\r\n'].join('\r\n'))
}

/** POST that ends a token; one that does not exist is answered with 200 too (RFC 7009 §2.2). */
export function revocationRequest({ host, credential }: Pick<Target, 'host' | 'credential'>, token: string): Buffer {
  const { clientId, clientSecret } = credential
  const form = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, token }).toString()
  const head = ['POST /api/v2/oauth2/v2.0/revoke HTTP/1.1', `Host: ${host}`, ...proxied]
  const fields = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${form.length}`]
  return Buffer.from([...head, ...fields, '', form].join('\r\n'))
}

/** Asks the operator listener ten times a second whether the process lives, one after the other. */
export function watchHealth(operatorPort: number) {
  let longest = 0
  let isOver = false
  const look = () =>
    new Promise<void>((resolve) => {
      const startedAt = performance.now()
      const call = request({ host: '127.0.0.1', port: operatorPort, path: '/livez' }, (response) => {
        response.resume()
        response.once('end', () => {
          longest = Math.max(longest, performance.now() - startedAt)
          resolve()
        })
      })
      call.once('error', () => {
        longest = Number.POSITIVE_INFINITY
        resolve()
      })
      call.end()
    })
  const looking = (async () => {
    while (!isOver) {
      await look()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })()
  return {
    async stop(): Promise<number> {
      isOver = true
      await looking
      return longest
    },
  }
}

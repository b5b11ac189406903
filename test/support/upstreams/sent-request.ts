// One request over the connections to a target, and its whole answer.

import type { Connections } from '../../../src/gateway/http1/connections.js'

export interface WholeAnswer {
  status: number
  body: string
}

/** Sends a GET of `/`; rejects with what it failed with. */
export function askTarget(connections: Connections, headers: string[] = []): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const answer: WholeAnswer = { status: 0, body: '' }
    const request = { method: 'GET', path: '/', headers, body: null, headersTimeout: 10_000, bodyTimeout: 10_000 }
    connections.dispatch(request, {
      connected: () => undefined,
      answering: () => undefined,
      head(status) {
        answer.status = status
        return true
      },
      upgraded: () => undefined,
      data(chunk) {
        answer.body += chunk.toString('latin1')
        return true
      },
      ended: () => resolve(answer),
      failed: reject,
    })
  })
}

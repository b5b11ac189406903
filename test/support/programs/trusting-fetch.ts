// The Fetch API as client libraries call it, trusting the development authority of one program.

import { Agent, fetch, type RequestInit } from 'undici'
import type { Program } from './program.js'

type Fetch = typeof globalThis.fetch

/** `onRequest` gets each request as `METHOD path`. Its connections end with the test. */
export function trustingFetch(
  t: { teardown(work: () => unknown): void },
  program: Program,
  onRequest: (line: string) => void = () => {},
): Fetch {
  const dispatcher = new Agent({ connect: { ca: program.ca() } })
  // Not close(): it waits for answers that a library left unread.
  t.teardown(() => dispatcher.destroy())
  const trusting = async (url: string | URL, init: RequestInit = {}) => {
    onRequest(`${init.method ?? 'GET'} ${new URL(url).pathname}`)
    return fetch(url, { ...init, dispatcher })
  }
  return trusting as unknown as Fetch
}

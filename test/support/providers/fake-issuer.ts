// An issuer that is a function, a clock that is set by hand, and a count of the requests: for tests of the client
// library.

import { ClientError, type ClientOptions, type Clock, createClient } from '../../../src/client/index.js'

export interface SentRequest {
  url: URL
  form: URLSearchParams
  headers: Headers
  signal: AbortSignal
}

type Answer = { status?: number; json?: unknown; text?: string; headers?: Record<string, string> } | Error
type Answering = (request: SentRequest, count: number) => Answer | Promise<Answer>

export const issuer = 'https://id.example'
export const tokenUrl = `${issuer}/token`

export interface FakeClock extends Clock {
  /** Lets time pass on both clocks, and wakes who waited for it. */
  pass(ms: number): Promise<void>
  /** Sets the wall clock alone. */
  set(wallMs: number): void
}

export function fakeClock(): FakeClock {
  let [monotonic, wall] = [1000, Date.UTC(2026, 10, 21)]
  const sleeping = new Set<{ at: number; wake: () => void }>()
  return {
    monotonicMs: () => monotonic,
    wallMs: () => wall,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const sleeper = { at: monotonic + ms, wake: resolve }
        sleeping.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleeping.delete(sleeper)
          reject(signal.reason)
        })
      }),
    async pass(ms) {
      await settled()
      monotonic += ms
      wall += ms
      for (const sleeper of [...sleeping].filter(({ at }) => at <= monotonic)) {
        sleeping.delete(sleeper)
        sleeper.wake()
      }
      await settled()
    },
    set: (wallMs) => {
      wall = wallMs
    },
  }
}

/** Resolves when everything that could go on has gone on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * A client of the fake issuer. `answer` answers at every address but the metadata's; `tokens` answers as a token
 * endpoint.
 */
export function fakeClient(
  answer: Answering = tokens(),
  options: Partial<ClientOptions> & { metadata?: Answering } = {},
) {
  const sent: SentRequest[] = []
  const clock = fakeClock()
  let metadataRequests = 0
  const fetch = async (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(String(input))
    const signal = init.signal ?? new AbortController().signal
    const request = {
      url,
      form: new URLSearchParams(String(init.body ?? '')),
      headers: new Headers(init.headers),
      signal,
    }
    const isMetadata = url.pathname.startsWith('/.well-known/')
    if (isMetadata) metadataRequests += 1
    else sent.push(request)
    const gone = new Promise<never>((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    const about: Answering = isMetadata ? (options.metadata ?? (() => ({ json: metadata() }))) : answer
    const given = await Promise.race([about(request, isMetadata ? metadataRequests : sent.length), gone])
    if (given instanceof Error) throw given
    const body = given.text ?? JSON.stringify(given.json ?? {})
    return new Response(body, { status: given.status ?? 200, headers: given.headers ?? {} })
  }
  const { metadata: _metadata, ...rest } = options
  const client = createClient({
    ...{ issuer, clientId: 'app', clientSecret: 'secret', clock, random: () => 0.5 },
    fetch: fetch as typeof globalThis.fetch,
    ...rest,
  })
  return { client, clock, sent, fetch: fetch as typeof globalThis.fetch, metadataRequests: () => metadataRequests }
}

export function metadata(more: object = {}): object {
  return {
    issuer,
    token_endpoint: tokenUrl,
    authorization_endpoint: `${issuer}/authorize`,
    device_authorization_endpoint: `${issuer}/device`,
    revocation_endpoint: `${issuer}/revoke`,
    authorization_response_iss_parameter_supported: true,
    ...more,
  }
}

/** Answers each request with another token: token-1, token-2 … */
export function tokens(more: object = {}): Answering {
  return (_request, count) => ({ json: tokenAnswer(`token-${count}`, more) })
}

export function tokenAnswer(accessToken: string, more: object = {}): object {
  return { access_token: accessToken, token_type: 'Bearer', expires_in: 3600, ...more }
}

export function refused(error: string, status = 400, more: object = {}, headers: Record<string, string> = {}): Answer {
  return { status, json: { error, error_description: `It is ${error}.`, ...more }, headers }
}

/** The code of a failure of the library; of any other what it says. */
export const codeOf = (error: unknown): string => (error instanceof ClientError ? error.code : String(error))

/** The code with which the work failed. */
export const failure = (work: Promise<unknown>): Promise<string> => work.then(() => 'no failure', codeOf)

// One request to an endpoint of the issuer, and its JSON. No redirect is followed and no cookie sent; an answer that
// does not come in time, whole, is a failure of its own, and one that is too long is not read to its end.

import { ClientError } from './errors.js'
import { retryAfterSeconds } from './retry-after.js'
import type { Surroundings } from './surroundings.js'

const timeoutMs = 30_000
/** Tokens, keys and metadata are a few kilobytes. */
const mostBytes = 1_048_576

export interface Exchange {
  url: string
  /** Sent form-encoded by POST; absent: GET. */
  form?: URLSearchParams
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

export interface ExchangeAnswer {
  status: number
  /** An object, empty when the answer was none. */
  body: Record<string, unknown>
  requestId: string | undefined
  retryAfterSeconds: number | undefined
}

/**
 * Throws ClientError `unreachable`, `timed_out`, `malformed_answer` for more than 1 MiB, `wrong_use` for an address
 * that is not https; the signal's reason.
 */
export async function exchange({ fetch, clock }: Surroundings, request: Exchange): Promise<ExchangeAnswer> {
  const { url, form, headers = {}, signal } = request
  if (!url.startsWith('https://')) throw new ClientError('wrong_use', `${url} is not https`)
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  const late = new ClientError('timed_out', `${url} did not answer within ${timeoutMs / 1000} s`)
  const stop = new AbortController()
  clock.wait(timeoutMs, stop.signal).then(
    () => controller.abort(late),
    () => {},
  )
  try {
    const response = await fetch(url, {
      ...(form === undefined ? {} : { method: 'POST', body: form.toString() }),
      headers: { accept: 'application/json', ...(form === undefined ? {} : formType), ...headers },
      redirect: 'error',
      credentials: 'omit',
      signal: controller.signal,
    })
    const text = await limitedText(response, url)
    return {
      status: response.status,
      body: jsonObject(text),
      requestId: response.headers.get('request-id') ?? undefined,
      retryAfterSeconds: retryAfterSeconds(response.headers, clock.wallMs()),
    }
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason
    if (error instanceof ClientError) throw error
    throw new ClientError('unreachable', `${new URL(url).origin} cannot be reached`, { cause: error })
  } finally {
    stop.abort()
    signal?.removeEventListener('abort', abort)
  }
}

async function limitedText({ body }: Response, url: string): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength
    if (bytes > mostBytes) {
      await reader.cancel().catch(() => {})
      throw new ClientError('malformed_answer', `${new URL(url).origin} sent more than ${mostBytes} bytes`)
    }
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

const formType = { 'content-type': 'application/x-www-form-urlencoded' }

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

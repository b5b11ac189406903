// `fetch` with a token, for the origins that may get it and for no other. A token that was refused is replaced once;
// what is refused then, or for another reason, is an error that says what to do.

import { ClientError, InsufficientScope, ResourceRefusal } from './errors.js'
import { InsufficientUserAuthentication } from './insufficient-user-authentication.js'
import { retryAfterSeconds } from './retry-after.js'
import type { TokenSource } from './tokens/tokens.js'

type Fetch = typeof globalThis.fetch
type Input = Parameters<Fetch>[0]
type Init = NonNullable<Parameters<Fetch>[1]>

export interface AuthorizedFetchOptions {
  /** https URLs of the APIs that may get the token; of each its origin counts. */
  resources: readonly string[]
  /** Default: that of this machine. */
  fetch?: Fetch | undefined
}

/**
 * A function to call as `fetch`. It throws ClientError `foreign_origin`, ResourceRefusal, InsufficientScope,
 * InsufficientUserAuthentication, and whatever the source throws; every other answer is returned as it came.
 */
export function createFetch(source: TokenSource, options: AuthorizedFetchOptions): Fetch {
  const origins = new Set(options.resources.map(originOf))
  const send: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  return async (input: Input, init: Init = {}) => {
    checkOrigin(input, origins)
    const signal = init.signal ?? (isRequest(input) ? input.signal : undefined)
    const first = await source.token({ signal: signal ?? undefined })
    const response = await send(input, authorized(input, init, first.accessToken))
    if (response.status !== 401) return await checked(response)
    await checkAuthentication(response)
    // The server that refused it may have forgotten nothing: another one is requested once, by all who were refused
    // together.
    if (!source.reject(first.accessToken)) throw unauthorized(response)
    if (!isRepeatable(input, init)) {
      const message =
        'the token was refused, and the body is a stream, which cannot be sent again; the next call has a new token'
      throw new ResourceRefusal('body_not_repeatable', message, response)
    }
    await response.body?.cancel()
    const second = await source.token({ signal: signal ?? undefined })
    const again = await send(input, authorized(input, init, second.accessToken))
    if (again.status === 401) await checkAuthentication(again)
    if (again.status === 401) throw unauthorized(again)
    return await checked(again)
  }
}

function originOf(resource: string): string {
  const url = URL.canParse(resource) ? new URL(resource) : undefined
  if (url?.protocol !== 'https:') throw new ClientError('wrong_use', `${resource} is not an https URL`)
  return url.origin
}

function checkOrigin(input: Input, origins: ReadonlySet<string>): void {
  const text = isRequest(input) ? input.url : String(input)
  // A relative address has no origin of its own but the page's, which a browser knows.
  const base = (globalThis as { location?: { href: string } }).location?.href
  const origin = URL.canParse(text, base) ? new URL(text, base).origin : undefined
  if (origin === undefined || !origins.has(origin)) {
    throw new ClientError('foreign_origin', `${origin ?? text} is of no origin that may get this token`)
  }
}

function isRequest(input: Input): input is Request {
  return typeof input === 'object' && 'headers' in input
}

function authorized(input: Input, init: Init, accessToken: string): Init {
  const headers = new Headers(init.headers ?? (isRequest(input) ? input.headers : undefined))
  headers.set('authorization', `Bearer ${accessToken}`)
  // No redirect is followed: some platforms would carry the token along, and all of them the body.
  return { ...init, headers, redirect: 'manual' }
}

/** A Request's own body is a stream, whatever it was made of. */
function isRepeatable(input: Input, { body }: Init): boolean {
  if (body === undefined || body === null) return !isRequest(input) || input.body === null
  if (typeof body === 'string' || body instanceof URLSearchParams || body instanceof ArrayBuffer) return true
  return ArrayBuffer.isView(body) || body instanceof Blob || body instanceof FormData
}

async function checked(response: Response): Promise<Response> {
  const { status, headers } = response
  // A browser hides what a redirect says; Node shows it.
  if (response.type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
    const to = headers.get('location')
    const message = `the API answered with a redirect${to === null ? '' : ` to ${to}`}, which is not followed with a token`
    throw new ResourceRefusal('redirect_refused', message, response)
  }
  if (status === 429 || status === 503) {
    const seconds = retryAfterSeconds(headers, Date.now())
    const message = status === 429 ? 'too many requests' : 'the service is not available at the moment'
    const wait = seconds === undefined ? {} : { retryAfterSeconds: seconds }
    throw new ResourceRefusal(
      'try_later',
      `${message}${seconds === undefined ? '' : `; try again in ${seconds} s`}`,
      response,
      wait,
    )
  }
  if (status === 403 && /\berror="?insufficient_scope\b/.test(headers.get('www-authenticate') ?? '')) {
    throw await insufficientScope(response)
  }
  return response
}

function unauthorized(response: Response): ResourceRefusal {
  return new ResourceRefusal('unauthorized', 'the API refuses this token', response)
}

/** Throws InsufficientUserAuthentication where the sign-in behind the token is not good enough (RFC 9470 §3). */
async function checkAuthentication(response: Response): Promise<void> {
  const challenge = response.headers.get('www-authenticate') ?? ''
  if (!/\berror="?insufficient_user_authentication\b/.test(challenge)) return
  const maxAge = /\bmax_age="?(\d{1,10})\b/.exec(challenge)?.[1]
  const details = {
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
    acrValues: /\bacr_values="([^"]*)"/.exec(challenge)?.[1],
  }
  const described = /\berror_description="([^"]*)"/.exec(challenge)?.[1]
  await response.body?.cancel()
  throw new InsufficientUserAuthentication(described ?? 'the person has to sign in again', response, details)
}

async function insufficientScope(response: Response): Promise<InsufficientScope> {
  const body = record(
    await response
      .clone()
      .json()
      .catch(() => undefined),
  )
  const error = record(body['error'])
  const permission = record(error['permission'])
  const challenge = response.headers.get('www-authenticate') ?? ''
  const id = text(permission['id']) ?? /\bscope="([^"]*)"/.exec(challenge)?.[1] ?? ''
  const known = {
    kind: text(permission['kind']),
    resource: text(permission['resource']),
    status: text(permission['status']),
  }
  const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined))
  const message = text(error['message']) ?? `this call needs the permission ${id}`
  return new InsufficientScope(message, response, {
    permission: { id, ...given },
    consentUri: text(error['consent_uri']),
  })
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

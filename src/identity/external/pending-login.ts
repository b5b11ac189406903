// A sign-in at a provider that a browser has started. The state that goes with it is the id of a pending request (R17):
// it works for that browser, once, for a quarter of an hour. Nonce and verifier are derived from it, so nobody has
// either. A browser that comes back has proved nothing yet: that a state came before is counted in memory, and
// remembered in the Store once somebody was proved.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import type { Bucket } from '../../storage/counters/counters.js'
import type { Browser } from '../../web/browser.js'
import type { IdentityDependencies } from '../dependencies.js'
import { beginPending, findPending, type PendingRequest, takePending } from '../pending/pending-request.js'
import type { Provider } from './providers.js'

/** Why somebody goes there. */
export type LoginPurpose =
  /** To sign in, for the waiting request with this id, or for the account page. */
  | { kind: 'sign-in'; request: string | undefined; again: boolean }
  /** To link who they are there with this account; `link`: as an administrator's one-time link says. */
  | { kind: 'link'; userId: string; link?: string | undefined }

export interface PendingLogin {
  pending: PendingRequest
  purpose: LoginPurpose
  state: string
  nonce: string
  verifier: string
  /** Epoch milliseconds. */
  at: number
}

interface Body {
  provider: string
  purpose: 'sign-in' | 'link'
  /** The hash of the waiting request's id; the id itself comes back with the state. */
  request: string | null
  again: boolean
  userId: string | null
  /** A one-time link, whole: it is sealed with the rest. */
  link?: string
}

const lifetimeMs = 15 * 60_000
/** Between the two ids of a state. */
const separator = '.'

/**
 * Starts a sign-in: the address at the provider where the browser goes. Throws as Provider.configuration, and
 * StoreUnavailable.
 */
export async function startLogin(
  deps: IdentityDependencies,
  browser: Browser,
  provider: Provider,
  purpose: LoginPurpose,
): Promise<URL> {
  const configuration = await provider.configuration()
  const { name, scope } = provider.settings
  const signIn = purpose.kind === 'sign-in' ? purpose : undefined
  const body: Body = {
    provider: name,
    purpose: purpose.kind,
    again: signIn?.again === true,
    request: signIn?.request === undefined ? null : hashOpaqueToken(signIn.request),
    userId: purpose.kind === 'link' ? purpose.userId : null,
    ...(purpose.kind === 'link' && purpose.link !== undefined ? { link: purpose.link } : {}),
  }
  const pending = beginPending(deps, browser, { kind: 'external', body, lifetimeMs })
  const { nonce, verifier } = derived(deps, pending.ticket)
  const { buildAuthorizationUrl } = await import('openid-client')
  return buildAuthorizationUrl(configuration, {
    scope,
    nonce,
    redirect_uri: callbackOf(deps, name),
    state: signIn?.request === undefined ? pending.id : `${pending.id}${separator}${signIn.request}`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    // A person who must prove it anew here is prompted anew there; prove-identity.ts looks whether that was done.
    // Others may have a session there as old as one here may be; with `max_age` in the request, the provider says when
    // it began (OpenID Connect Core §3.1.2.1).
    ...(signIn?.again === true ? { prompt: 'login', max_age: '0' } : { max_age: String(longest(deps)) }),
  })
}

/**
 * Takes the sign-in that this browser started with this state, the first time that it comes back. Undefined for
 * anything else. Throws StoreUnavailable.
 */
export async function takePendingLogin(
  deps: IdentityDependencies,
  browser: Browser,
  provider: string,
  state: string,
): Promise<PendingLogin | undefined> {
  const [id, request, more] = state.split(separator)
  const pending = await findPending(deps, browser, id)
  if (id === undefined || more !== undefined || pending?.kind !== 'external') return undefined
  const body = pending.body as Body
  if (body.provider !== provider || !isSame(body.request, request)) return undefined
  const [first] = await deps.counters.take([comingBack(pending)], deps.monotonic())
  // A count that is shared with others, for want of room, says nothing of this sign-in; finishLogin decides.
  if (first?.allowed === false && first.shared !== true) return undefined
  const purpose = purposeOf(body, request)
  if (purpose === undefined) return undefined
  return { pending, purpose, state, ...derived(deps, pending.ticket), at: pending.createdAt }
}

/**
 * Finishes it, now that the provider has said who came: true exactly once, on whichever instance. Throws
 * StoreUnavailable.
 */
export function finishLogin(deps: IdentityDependencies, { pending }: PendingLogin): Promise<boolean> {
  return deps.store.transaction((tx) => takePending(tx, pending))
}

/** How old a sign-in may be before it ends here: seconds. */
function longest({ settings: { signIn } }: Pick<IdentityDependencies, 'settings'>): number {
  return Math.ceil(signIn.sessionMs / 1000)
}

function comingBack({ ticket }: PendingRequest): Bucket {
  const algorithm = { kind: 'quota', limit: 1, periodMs: lifetimeMs } as const
  return { key: `external-login;s${ticket.length}:${ticket}`, algorithm, cost: 1, mode: 'strict' }
}

/** Where the provider sends the browser back to: what is registered there as the redirect URI. */
export function callbackOf({ settings }: Pick<IdentityDependencies, 'settings'>, provider: string): string {
  return `${settings.server.baseUrl}/sign-in/external/${provider}/callback`
}

function purposeOf({ purpose, again, userId, link }: Body, request: string | undefined): LoginPurpose | undefined {
  if (purpose === 'sign-in') return { kind: 'sign-in', request, again }
  return userId === null ? undefined : { kind: 'link', userId, link }
}

function isSame(hash: string | null, request: string | undefined): boolean {
  if (hash === null || request === undefined) return hash === null && request === undefined
  return timingSafeEqual(Buffer.from(hash), Buffer.from(hashOpaqueToken(request)))
}

function derived(
  { derive }: Pick<IdentityDependencies, 'derive'>,
  ticket: string,
): { nonce: string; verifier: string } {
  const [key] = derive('external-sign-in')
  if (key === undefined) throw new Error('there is no key for external sign-in')
  const of = (what: string) => createHmac('sha256', key).update(`${what} ${ticket}`).digest('base64url')
  return { nonce: of('nonce'), verifier: of('verifier') }
}

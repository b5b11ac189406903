// Which browser this is, and who is signed in with it: two cookies that only pages read (contract §1, C13). The one
// names the browser, so that forms and half-finished requests belong to it; the other names a session in the Store.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../http/requests/request-context.js'
import type { Language } from '../languages/language.js'
import { createOpaqueToken, hashOpaqueToken } from '../oauth/secrets/opaque-token.js'
import { findUser } from '../users/accounts/users.js'
import type { Session } from '../users/records.js'
import { type RenewedProof, renewSession } from '../users/sessions/renew-session.js'
import { createSession, endSession, findSession, type NewSession } from '../users/sessions/sessions.js'
import { signingIn } from './acting.js'
import { type Whose, wearBrand } from './brand/worn-brand.js'
import type { PageDependencies } from './dependencies.js'
import { knownDevice, rememberDevice } from './known-device.js'
import { keepLanguage } from './language/kept-language.js'
import { wishLanguage } from './language/reader-language.js'
import { errorText, PageError } from './pages/page-error.js'

export interface Browser {
  /** What forms and pending requests are bound to: 256 bits from the browser's cookie. Never shown or logged. */
  key: string
  /** It sent no such cookie: it is new here, or keeps none. */
  isNew: boolean
  /** Says in which language the pages of what this browser is in the middle of are to be. */
  speak?: (language: Language | undefined, sinceMs: number) => void
  /** Says whose brand the pages of what this browser is in the middle of wear. Throws StoreUnavailable. */
  wear?: (whose: Whose) => Promise<void>
  session: Session | undefined
}

const browserCookie = '__Host-portcullis-browser'
const sessionCookie = '__Host-portcullis-session'
/** What createOpaqueToken writes. Anything else was never ours. */
const browserKey = /^pcl_bk_[0-9A-Za-z]{43}$/
const attributes = { secure: true, httpOnly: true, sameSite: 'lax', path: '/' } as const

/**
 * Who asks. Gives the browser its cookie when it has none. Throws PageError 400 when a cookie of ours comes twice: one
 * of the two was planted. Only for routes of registerPage, which read cookies; no API path does.
 */
export async function readBrowser(
  deps: PageDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Browser> {
  refuseDoubled(request.headers.cookie)
  const sent = request.cookies[browserCookie]
  const known = sent !== undefined && browserKey.test(sent)
  const key = known ? sent : createOpaqueToken('pcl_bk_')
  if (!known) reply.setCookie(browserCookie, key, attributes)
  const cookie = request.cookies[sessionCookie]
  const session = cookie === undefined ? undefined : await findSession(deps.users, cookie)
  // The cookie of an ended session stays: this answer may come after one that renewed the session under the same name.
  return {
    key,
    isNew: !known,
    session,
    speak: (language, sinceMs) => wishLanguage(request, language, sinceMs),
    wear: (whose) => wearBrand(deps.users.store.reader, request, whose, deps.settings.server.baseUrl),
  }
}

/**
 * Begins a session for somebody who has just proved who they are. The session that this browser had ends, and the new
 * one has an id of its own (C12).
 */
export async function signInBrowser(
  deps: PageDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  who: Pick<NewSession, 'userId' | 'amr' | 'acr' | 'way' | 'provenAfter' | 'provenAt' | 'basis'>,
): Promise<Session> {
  const former = request.cookies[sessionCookie]
  const { session, cookie } = await createSession(signingIn(deps, request, who.userId), {
    ...who,
    userAgent: request.headers['user-agent'] ?? '',
    address: requestContext(request).address,
    isNewBrowser: knownDevice(deps, request)(who.userId) === undefined,
    replaces: former === undefined ? undefined : hashOpaqueToken(former),
  })
  reply.setCookie(sessionCookie, cookie, attributes)
  rememberDevice(deps, request, reply, who.userId)
  // What somebody chose in their account follows them into each browser.
  const { language } = (await findUser(deps.users.store.reader, who.userId)) ?? { language: null }
  if (language !== null) keepLanguage(reply, language, undefined)
  return session
}

/**
 * Goes on with the same session under a new id: an attacker who knew the old one has nothing (C12). `proof`: how the
 * person has proved who they are from now on, after a factor came, went or was shown. Throws UserRefusal
 * (SessionNotFound, ProofOvertaken).
 */
export async function continueBrowser(
  deps: PageDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { idHash, userId }: Session,
  proof?: RenewedProof,
): Promise<Session> {
  const { session, cookie } = await renewSession(signingIn(deps, request, userId), {
    idHash,
    userAgent: request.headers['user-agent'] ?? '',
    address: requestContext(request).address,
    ...(proof === undefined ? {} : { proof }),
  })
  reply.setCookie(sessionCookie, cookie, attributes)
  return session
}

/** Ends the session, here and in the Store: its old cookie opens nothing any more (C12). */
export async function signOutBrowser(
  deps: PageDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { session } = await readBrowser(deps, request, reply)
  if (session !== undefined) await endSession(signingIn(deps, request, session.userId), session)
  reply.clearCookie(sessionCookie, attributes)
}

function refuseDoubled(header: string | undefined): void {
  const names = (header ?? '').split(';').map((pair) => pair.split('=', 1)[0]?.trim())
  if ([browserCookie, sessionCookie].every((name) => names.indexOf(name) === names.lastIndexOf(name))) return
  throw new PageError({
    status: 400,
    ...errorText(({ errors }) => errors.doubledCookie),
    reason: 'doubled_cookie',
  })
}

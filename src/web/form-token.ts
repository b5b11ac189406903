// What tells a form that we showed from one that somebody else wrote (C2, U1): a token that only this browser, with
// this session, for this purpose, can have. On top of it, what browsers say about where a request comes from.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { decodeForm } from '../oauth/requests/form-decoding.js'
import type { Browser } from './browser.js'
import type { PageDependencies } from './dependencies.js'
import { bodyText } from './form-body.js'
import { decodeMultipart, multipartBoundary } from './multipart-form.js'
import { ownAddress } from './page-address.js'
import { formTokenField } from './pages/form.js'
import { errorText, PageError } from './pages/page-error.js'
import { withoutCookies } from './without-cookies.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Fields of the route's forms whose files are pictures; see page-routes.ts. */
    pictures?: readonly string[]
  }
}

export interface FormFields {
  /** The value of a field, undefined when it is absent or empty. */
  get(name: string): string | undefined
  /** All non-empty values of a field that may come more than once, such as boxes that are ticked. */
  all(name: string): readonly string[]
  /** What tells this showing of the form from every other; undefined where the page does not say. */
  shownAs: string | undefined
  /** Everything that was sent, in its order. */
  entries(): readonly (readonly [name: string, value: string])[]
}

type Deriving = Pick<PageDependencies, 'derive' | 'settings'>
type Clocked = Deriving & Pick<PageDependencies, 'now'>

const hourMs = 3_600_000

/**
 * The token for the form of one purpose, such as `consent:<pending id>`. Good as long as the browser and its session
 * are.
 */
export function formToken(deps: Deriving, browser: Browser, scope: string): string {
  const [key] = deps.derive('form-token')
  if (key === undefined) throw new Error('there is no key for form tokens')
  return digest(key, browser, scope).toString('base64url')
}

/** The same, with what tells this showing of the form from every other: for pages whose forms are carried out once. */
export function singleFormToken(deps: Deriving, browser: Browser, scope: string): string {
  return `${formToken(deps, browser, scope)}.${randomBytes(12).toString('base64url')}`
}

/**
 * The same for a form that waits in its page while the person signs in once more, which gives the browser another
 * session: for an hour, for that person in this browser.
 */
export function heldFormToken(deps: Clocked, { browser, userId }: Held, scope: string): string {
  const until = String(deps.now() + hourMs)
  return `${singleFormToken(deps, withoutSession(browser), heldScope(scope, userId, until))}.${until}`
}

interface Held {
  browser: Browser
  userId: string
}

function heldScope(scope: string, userId: string, until: string): string {
  return JSON.stringify(['held', scope, userId, until])
}

function withoutSession({ session: _session, ...browser }: Browser): Browser {
  return { ...browser, session: undefined }
}

/**
 * The fields of a form that this browser was shown for this purpose. Throws PageError: 403 for a foreign origin, a
 * browser without cookies, or a token of another browser, session or purpose; 400 for a body that is no form. A field
 * that comes twice has no value for `get`, only for `all`.
 */
export function checkForm(deps: Clocked, request: FastifyRequest, browser: Browser, scope: string): FormFields {
  checkSource(request, deps.settings.server.baseUrl)
  if (browser.isNew) throw withoutCookies(request)
  const fields = readFields(request)
  const [token = '', shownAs, until] = (fields.get(formTokenField) ?? '').split('.')
  const presented = Buffer.from(token, 'base64url')
  const [bound, purpose] = until === undefined ? [browser, scope] : heldBy(deps, browser, scope, until)
  const known = deps.derive('form-token').some((key) => {
    const expected = digest(key, bound, purpose)
    return presented.byteLength === expected.byteLength && timingSafeEqual(presented, expected)
  })
  if (known) return { ...fields, shownAs: /^[\w-]{16}$/.test(shownAs ?? '') ? shownAs : undefined }
  throw new PageError({
    status: 403,
    ...errorText(({ errors }) => errors.formExpired),
    links: [{ href: ownAddress(request), text: ({ frame }) => frame.openAgain }],
    reason: 'form_token',
  })
}

/** What a token that ends is bound to; one that has ended, or of nobody who is here, to nothing that was ever given. */
function heldBy({ now }: Clocked, browser: Browser, scope: string, until: string): [Browser, string] {
  const isOver = !/^\d{1,15}$/.test(until) || Number(until) <= now()
  const userId = browser.session?.userId
  return [withoutSession(browser), isOver || userId === undefined ? 'ended' : heldScope(scope, userId, until)]
}

function digest(key: Uint8Array, browser: Browser, scope: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([browser.key, browser.session?.idHash ?? '', scope]))
    .digest()
}

/**
 * Sec-Fetch-Site decides where a browser sends it. `Origin: null` is what browsers send for our own forms, because our
 * pages have no referrer; so it says nothing, and the token decides.
 */
function checkSource(request: FastifyRequest, baseUrl: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isOtherSite = site !== undefined && site !== 'same-origin'
  const isOtherOrigin = origin !== undefined && origin !== 'null' && origin !== baseUrl
  if (!isOtherSite && !isOtherOrigin) return
  throw new PageError({
    status: 403,
    ...errorText(({ errors }) => errors.foreignForm),
    reason: 'foreign_form',
  })
}

/** The page has said which of the two types it takes. */
function pairsOf({ body, headers, routeOptions }: FastifyRequest): readonly (readonly [string, string])[] | undefined {
  const boundary = multipartBoundary(headers['content-type'])
  if (boundary !== undefined) {
    return body instanceof Uint8Array ? decodeMultipart(body, boundary, routeOptions.config.pictures) : undefined
  }
  const text = bodyText(body)
  return text === undefined ? undefined : decodeForm(text)
}

function readFields(request: FastifyRequest): Omit<FormFields, 'shownAs'> {
  const pairs = pairsOf(request)
  if (pairs === undefined || pairs.length > 512) {
    throw new PageError({
      status: 400,
      ...errorText(({ errors }) => errors.malformedForm),
      links: [{ href: ownAddress(request), text: ({ frame }) => frame.openAgain }],
      reason: 'malformed_form',
    })
  }
  const all = (name: string) => pairs.filter(([each, value]) => each === name && value !== '').map(([, value]) => value)
  const get = (name: string) => {
    const values = all(name)
    return values.length === 1 ? values[0] : undefined
  }
  return { get, all, entries: () => pairs }
}

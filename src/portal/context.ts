// Somebody at the portal: who, in which of their tenants, as what, and the management API in their name. Every page of
// this room is one of the two kinds here: `getPage` shows, `postForm` takes a form that was shown.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Role } from '../config/settings/settings.js'
import { ApiError } from '../http/answers/api-error.js'
import { requestContext } from '../http/requests/request-context.js'
import { isPage } from '../identity/pending/page-path.js'
import { beginPending } from '../identity/pending/pending-request.js'
import { type Person, shown, taken } from '../identity/sign-in/signed-in.js'
import { isTaken, requireTaken } from '../identity/sign-in/ways/required-way.js'
import type { InProcessAnswer, InProcessCall } from '../management/access/in-process-transport.js'
import { listMemberships } from '../users/memberships/memberships.js'
import type { Session } from '../users/records.js'
import type { Browser } from '../web/browser.js'
import { checkForm, type FormFields, singleFormToken } from '../web/form-token.js'
import { ownAddress, queryOf } from '../web/page-address.js'
import { PageError } from '../web/pages/page-error.js'
import { askFirst, checkAnswered } from './acts/ask-first.js'
import { doOnce } from './acts/once.js'
import { sendHeldForm } from './confirm/held-form.js'
import { freshSignInPath, type HeldForm, signInFirst } from './confirm/pending-form.js'
import type { PortalDependencies } from './dependencies.js'
import { readWaiting } from './waiting.js'

/** A tenant that the person belongs to. */
export interface PortalTenant {
  tenantId: string
  name: string
  role: Role
  /** Switched off, its tokens are refused; people still see its pages. */
  state: 'enabled' | 'disabled'
}

/** What every page of the portal is given. */
export interface PortalContext {
  person: Person
  /** The one that this page is about. */
  currentTenant: PortalTenant
  /** All of their tenants, the oldest membership first. */
  tenants: readonly PortalTenant[]
  /** The token of every form on the page that is requested, and of those that post to it. */
  token: string
  /** The query of the page. */
  query: URLSearchParams
  /** This page's own address, for forms that post to where they stand. */
  address: string
  /** Asks the management API as this person in this tenant; see Answer types of management/. Throws ApiError. */
  api: <T>(
    method: InProcessCall['method'],
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<T>
  /** What waits for them, by the entry of the navigation; see waiting.ts. */
  waiting: ReadonlyMap<string, string>
  /** Whether there are plans to be requested. */
  hasPlans: boolean
  /** Whether definitions of tools behind the gate are pinned. */
  hasPins: boolean
  /** `path` with the tenant, where the person has several. */
  link: (path: string) => string
}

type Answer = (request: FastifyRequest, reply: FastifyReply, browser: Browser) => Promise<FastifyReply>
type ShowPage = (request: FastifyRequest, reply: FastifyReply, context: PortalContext) => Promise<FastifyReply>
type HandleForm = (
  request: FastifyRequest,
  reply: FastifyReply,
  context: PortalContext,
  form: FormFields,
) => Promise<FastifyReply>

/**
 * Shows a page to the person who is signed in and belongs to a tenant. What the API refuses becomes a page that says
 * so. `freshFor`: who is to have signed in recently before they see it, because what they enter there may be too long to
 * wait for another sign-in.
 */
export function getPage(
  deps: PortalDependencies,
  answer: ShowPage,
  { freshFor }: { freshFor?: (context: PortalContext) => boolean } = {},
): Answer {
  return shown(deps, async (request, reply, person) => {
    const context = await createContext(deps, request, person)
    const again = freshFor?.(context) === true ? freshSignInPath(deps, request, person) : undefined
    if (again !== undefined) return reply.redirect(again, 303)
    return answer(request, reply, context).catch(asPage)
  })
}

/**
 * Takes a form that this browser was shown on this page. What `answer` does not catch of the API's refusals becomes a
 * page; where only a better sign-in is missing, the form waits for it.
 */
export function postForm(deps: PortalDependencies, answer: HandleForm): Answer {
  return taken(deps, async (request, reply, person) => {
    const scope = formScope(request)
    const form = checkForm(deps, request, person.browser, scope)
    const context = await createContext(deps, request, person, form)
    const hold = (held: HeldForm) => sendHeldForm(deps, reply, { context, scope }, held)
    return answer(request, reply, context, form)
      .catch((error: unknown) => askFirst(reply, context, form, error))
      .catch((error: unknown) => signInFirst(deps, { request, reply, person, form, hold }, error))
      .catch(asPage)
  })
}

async function createContext(
  deps: PortalDependencies,
  request: FastifyRequest,
  person: Person,
  form?: FormFields,
): Promise<PortalContext> {
  const tenants = await tenantsOf(deps, person.user.userId)
  const query = queryOf(request)
  const currentTenant = await choose(deps, request, {
    session: person.session,
    tenants,
    requested: query.get('tenant'),
  })
  await requireTaken(deps, person.session, currentTenant, () =>
    beginPending(deps, person.browser, { kind: 'page', body: { path: pageOf(request) } }),
  )
  const { requestId, address: from } = requestContext(request)
  const { userId } = person.user
  const { idHash, createdAt, authTime, acr } = person.session
  const who = {
    userId,
    tenantId: currentTenant.tenantId,
    session: { idHash, createdAt },
    authTime,
    acr,
    requestId,
    address: from,
  }
  const address = ownAddress(request)
  const hasPins = deps.settings.routes.some(({ mcp }) => mcp?.pins !== undefined)
  const ask = apiOf((call) => deps.manage(who, call))
  return {
    person,
    currentTenant,
    tenants,
    query,
    address,
    hasPlans: deps.settings.plans.size > 0,
    hasPins,
    waiting: await readWaiting(
      { ...currentTenant, isOperator: person.user.isOperator, plans: deps.settings.plans, hasPins },
      ask,
    ),
    token: singleFormToken(deps, person.browser, formScope(request)),
    api:
      form === undefined
        ? ask
        : apiOf(async (call) => {
            await checkAnswered(form, call, ask)
            return doOnce(deps, { userId, shownAs: form.shownAs, address }, call, () => deps.manage(who, call))
          }),
    link: (path) =>
      tenants.length === 1 ? path : `${path}${path.includes('?') ? '&' : '?'}tenant=${currentTenant.tenantId}`,
  }
}

async function tenantsOf(deps: PortalDependencies, userId: string): Promise<PortalTenant[]> {
  const memberships = await listMemberships(deps.store.reader, { userId })
  return Promise.all(
    memberships.map(async ({ tenantId, role }) => {
      const tenant = await deps.directory.findTenant(tenantId)
      return { tenantId, role, name: tenant?.name ?? tenantId, state: tenant?.state ?? 'enabled' }
    }),
  )
}

/** The tenant that the address names; else the one of the application that it names; else the first. */
async function choose(
  deps: PortalDependencies,
  request: FastifyRequest,
  { session, tenants, requested }: { session: Session; tenants: readonly PortalTenant[]; requested: string | null },
): Promise<PortalTenant> {
  const [first] = tenants
  if (first === undefined) throw noTenant()
  if (requested !== null) return tenants.find(({ tenantId }) => tenantId === requested) ?? nothingHere()
  const { id } = request.params as { id?: string }
  const registration = id === undefined || tenants.length === 1 ? undefined : await deps.directory.findRegistration(id)
  const named = tenants.find(({ tenantId }) => tenantId === registration?.tenantId)
  if (named !== undefined) return named
  // One that does not take this sign-in is no hindrance to the others.
  const taken = await Promise.all(tenants.map((tenant) => isTaken(deps, session, tenant)))
  return tenants.find((_, at) => taken[at] === true) ?? first
}

function pageOf(request: FastifyRequest): string {
  const path = ownAddress(request)
  return isPage(path) ? path : '/portal/applications'
}

/** What was read of a thing is written only while it is still so: of two who change a list at once, one hears of it. */
function apiOf(manage: (call: InProcessCall) => Promise<InProcessAnswer>): PortalContext['api'] {
  const tags = new Map<string, string>()
  return async <T>(method: InProcessCall['method'], path: string, body?: unknown, headers = {}) => {
    const [, known] = [...tags].find(([read]) => path === read || path.startsWith(`${read}/`)) ?? []
    const changes = method === 'PATCH' || method === 'PUT' || method === 'DELETE'
    const unlessChanged = changes && known !== undefined ? { 'if-match': known } : {}
    const { answer, tag } = await manage({ method, path, body, headers: { ...unlessChanged, ...headers } })
    if (tag !== undefined) tags.set(path, tag)
    return answer as T
  }
}

function formScope(request: FastifyRequest): string {
  const { target } = requestContext(request)
  return formScopeOf(target.ok ? target.path : '')
}

/** For formToken. A form belongs to the page of that path, whatever its query says. */
export function formScopeOf(path: string): string {
  return `portal:${path.split('?', 1)[0]}`
}

function asPage(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  if (error.status === 404) nothingHere()
  throw new PageError({
    status: error.status,
    title: error.status === 403 ? 'You don’t have access' : 'This cannot be done',
    what: error.message,
    remedy:
      error.status === 403
        ? 'Ask an administrator of the tenant, or go back to your applications.'
        : 'Go back, check what you entered, and try again.',
    links: [{ href: '/portal/applications', text: 'Go to applications' }],
    reason: error.code,
  })
}

function nothingHere(): never {
  throw new PageError({
    status: 404,
    title: 'Page not found',
    what: 'It does not exist, or it belongs to a tenant that you are not a member of.',
    remedy: 'Check the address, or go to your applications.',
    links: [{ href: '/portal/applications', text: 'Go to applications' }],
    reason: 'not_found',
  })
}

function noTenant(): PageError {
  return new PageError({
    status: 403,
    title: 'You are not a member of a tenant yet',
    what: 'Applications are registered in a tenant, and you are not a member of any.',
    remedy: 'Ask an administrator of your tenant for an invitation. Your account itself works.',
    links: [{ href: '/account', text: 'Your account' }],
    reason: 'no_tenant',
  })
}

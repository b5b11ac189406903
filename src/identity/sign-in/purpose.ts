// What a person signs in for: the request that waits for it, the application behind that, and how much of a proof it
// needs.

import type { FastifyRequest } from 'fastify'
import { documentLabel } from '../../directory/documents/client-document.js'
import { secondFactorClass } from '../../oauth/authentication-class.js'
import { redirectSource } from '../../oauth/requests/authorization-response.js'
import { isUnregisteredClientId } from '../../oauth/secrets/document-application-id.js'
import type { FactorDemand } from '../../users/credentials/factor-demand.js'
import type { Session } from '../../users/records.js'
import type { Browser } from '../../web/browser.js'
import { demandOf } from '../../web/demanded-factor.js'
import { queryOf } from '../../web/page-address.js'
import type { ShownApplication } from '../../web/pages/application-name.js'
import { errorText, PageError } from '../../web/pages/page-error.js'
import { shownApplication } from '../../web/shown-application.js'
import { withoutCookies } from '../../web/without-cookies.js'
import type { IdentityDependencies } from '../dependencies.js'
import { readAuthorizeRequest } from '../pending/authorize-request.js'
import { resumePath } from '../pending/paths.js'
import { findPending, type PendingRequest } from '../pending/pending-request.js'
import { isRecent } from './recent.js'
import { signInNeed } from './sign-in-need.js'
import { circumstancesOf } from './step-up/circumstances.js'
import { type ShownWays, shownWays } from './ways/shown-ways.js'

export interface Purpose {
  /** Undefined: for the account page. */
  pending: PendingRequest | undefined
  application: ShownApplication | undefined
  /** An address that the client, or the page, expects. */
  loginHint: string | undefined
  /**
   * `choose`: somebody is signed in and may go on. `again`: they must prove it once more. `secondFactor`: they are, and
   * a second factor is wanted. `new`: nobody is, or it has to be somebody else.
   */
  mode: 'choose' | 'again' | 'secondFactor' | 'new'
  /** Where the answer to this page's form may lead in the end, for the page's policy. */
  formAction: readonly string[]
  /** Where this page is: with the request, so that all of its forms and links keep it. */
  path: string
  /** Where it goes on afterwards. */
  next: string
  /** The second factor that this page is for is demanded of the person (decision 119), from then on. */
  demand?: FactorDemand | undefined
  /** The ways that the tenant takes; undefined: all that there are. */
  ways?: ShownWays | undefined
}

/** For the account page, nothing waiting. */
export const accountPurpose: Purpose = {
  pending: undefined,
  application: undefined,
  loginHint: undefined,
  formAction: [],
  mode: 'new',
  path: '/sign-in',
  next: '/account',
}

/**
 * Of the request with this `id`, `?request=` unless given. Throws PageError for one that has ended, or that is another
 * browser's.
 */
export async function readPurpose(
  deps: IdentityDependencies,
  request: FastifyRequest,
  browser: Browser,
  id = queryOf(request).get('request') ?? undefined,
): Promise<Purpose> {
  const demand = queryOf(request).has('demanded') ? await demandOf(deps, browser.session) : undefined
  if (id === undefined) {
    const mode = browser.session === undefined ? 'new' : 'choose'
    return demand === undefined ? { ...accountPurpose, mode } : demanded({ ...accountPurpose, mode }, demand)
  }
  const pending = await findPending(deps, browser, id)
  if (pending === undefined) throw browser.isNew ? withoutCookies(request) : ended()
  const registration =
    pending.applicationId === undefined ? undefined : await deps.directory.findRegistration(pending.applicationId)
  const body = isRecord(pending.body) ? pending.body : {}
  const purpose: Purpose = {
    pending,
    application: registration === undefined ? unregistered(body) : await shownApplication(deps, registration),
    loginHint: typeof body['loginHint'] === 'string' ? body['loginHint'] : undefined,
    mode: await modeOf(deps, { body, pending, session: browser.session }),
    formAction: typeof body['redirectUri'] === 'string' ? [redirectSource(body['redirectUri'])] : [],
    path: `/sign-in?request=${encodeURIComponent(id)}`,
    next: resumePath(pending),
    ways: await shownWays(deps, registration, body['tenantId']),
  }
  return demand === undefined ? purpose : demanded(purpose, demand)
}

/** Whatever else the request needs is looked at again where it goes on. */
function demanded(purpose: Purpose, demand: FactorDemand): Purpose {
  return { ...purpose, mode: 'secondFactor', path: withDemand(purpose), demand }
}

/** The page of this purpose that asks for the second factor that is demanded. */
export function withDemand({ path }: Pick<Purpose, 'path'>): string {
  return `${path}${path.includes('?') ? '&' : '?'}demanded=yes`
}

/** An authorization request says itself what it needs; here that only chooses the page. */
async function modeOf(
  deps: IdentityDependencies,
  circumstances: { body: Record<string, unknown>; pending: PendingRequest; session: Session | undefined },
): Promise<Purpose['mode']> {
  const { body, pending, session } = circumstances
  if (session === undefined) return 'new'
  if (pending.kind === 'page' || pending.kind === 'form') return pageMode(deps, body, session)
  // An administrator who would grant it has to have signed in recently.
  if (pending.kind === 'admin-consent') return isRecent(deps, session) ? 'choose' : 'again'
  const request = readAuthorizeRequest(pending)
  if (request === undefined) return 'choose'
  const need = signInNeed(request, session, await circumstancesOf(deps, pending, session))
  return need === 'again' || need === 'new' || need === 'secondFactor' ? need : 'choose'
}

/**
 * `again`: the page needs a recent sign-in; `secondFactor`: a second factor too, which a person without one can set up.
 */
function pageMode(deps: IdentityDependencies, body: Record<string, unknown>, session: Session): Purpose['mode'] {
  if (body['again'] === true && !isRecent(deps, session)) return 'again'
  return body['secondFactor'] === true && session.acr !== secondFactorClass ? 'secondFactor' : 'choose'
}

/** A client that nobody registered is known by its URL. */
function unregistered({ clientIdentifier }: Record<string, unknown>): ShownApplication | undefined {
  if (typeof clientIdentifier !== 'string' || !isUnregisteredClientId(clientIdentifier)) return undefined
  return { name: documentLabel(clientIdentifier), verified: false, home: undefined }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function ended(): PageError {
  return new PageError({
    status: 400,
    ...errorText(({ errors }) => errors.ended),
    links: [{ href: '/account', text: ({ errors }) => errors.ended.link }],
    reason: 'no_pending_request',
  })
}

// GET and POST /consent-requests: what people ask administrators to consent to, with what it would change, to be
// approved or declined; and for everybody what became of their requests,
// which they take back while they wait.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noApplicationBrand } from '../../directory/brands/application-brand.js'
import { findApplicationLogos } from '../../directory/brands/application-logos.js'
import {
  type ConsentRequest,
  decideRequest,
  listRequests,
  requireConsentRequest,
} from '../../directory/consents/consent-requests.js'
import { withdrawRequest } from '../../directory/consents/request-withdrawal.js'
import { write } from '../../directory/writes.js'
import type { Texts } from '../../languages/english/texts.js'
import { findUser } from '../../users/accounts/users.js'
import { administeredTenantIds } from '../../users/memberships/administered-tenants.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { queryOf } from '../../web/page-address.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import { accessDenied, noteRefused, toPageError } from '../consent/refusals.js'
import type { IdentityDependencies } from '../dependencies.js'
import { signInPath } from '../pending/paths.js'
import { beginPending } from '../pending/pending-request.js'
import { isRecent } from '../sign-in/recent.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { isStillTaken, isTaken, requireTaken } from '../sign-in/ways/required-way.js'
import { differenceTo } from './requested-permissions.js'
import { type DescribedRequest, RequestsView } from './requests-view.js'

const path = '/consent-requests'
const mostShown = 50

/** Registers the page. */
export function registerRequestsPage(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'consent-requests',
    get: shown(deps, (request, reply, person) => show(deps, request, reply, person)),
    post: taken(deps, (request, reply, person) => decide(deps, request, reply, person)),
  })
}

async function show(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, session, browser }: Person,
): Promise<FastifyReply> {
  const { reader } = deps.store
  const administered = await administeredTenantIds(reader, user.userId)
  const taken = await Promise.all(
    administered.map(async (tenantId) => {
      const membership = await findMembership(reader, user.userId, tenantId)
      return membership !== undefined && (await isTaken(deps, session, membership))
    }),
  )
  const tenantIds = administered.filter((_, at) => taken[at] === true)
  const [inbox, decided, own] = await Promise.all([
    listRequests(reader, { tenantIds, state: 'pending' }),
    listRequests(reader, { tenantIds }),
    listRequests(reader, { requestedBy: user.userId }),
  ])
  const describe = (list: readonly ConsentRequest[]) =>
    Promise.all(list.slice(0, mostShown).map((each) => described(deps, each)))
  const done = queryOf(request).get('done')
  return sendPage(
    reply,
    200,
    <RequestsView
      user={user}
      isAdministrator={tenantIds.length > 0}
      waiting={(await describe(inbox)).flat()}
      decided={(await describe(decided.filter(({ state }) => state !== 'pending'))).flat()}
      own={(await describe(own)).flat()}
      done={done === 'approved' || done === 'declined' || done === 'taken-back' ? done : undefined}
      catalogue={deps.settings.catalogue}
      token={formToken(deps, browser, 'consent-requests')}
    />,
  )
}

async function described(deps: IdentityDependencies, request: ConsentRequest): Promise<DescribedRequest[]> {
  const { applicationId, tenantId, requestedBy, permissions, decidedBy } = request
  const [registration, tenant, installation, logos, requester, decider] = await Promise.all([
    deps.directory.findRegistration(applicationId),
    deps.directory.findTenant(tenantId),
    deps.directory.findInstallation(applicationId, tenantId),
    findApplicationLogos(deps.store.reader, [applicationId]),
    findUser(deps.store.reader, requestedBy),
    decidedBy === null ? undefined : findUser(deps.store.reader, decidedBy),
  ])
  if (registration === undefined || tenant === undefined) return []
  const difference = differenceTo(installation?.granted ?? [], { permissions, replaces: undefined })
  const claim = { ...noApplicationBrand, logo: logos.get(applicationId) }
  return [{ request, registration, claim, tenant, requester, decider, difference }]
}

async function decide(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, session, browser, acting }: Person,
): Promise<FastifyReply> {
  const fields = checkForm(deps, request, browser, 'consent-requests')
  const decision = fields.get('decision')
  const link = { href: path, text: ({ consent }: Texts) => consent.requests.all }
  const consentRequest = await requireConsentRequest(deps.store.reader, fields.get('id') ?? '').catch(
    (error: unknown) => {
      throw toPageError(error, link)
    },
  )
  if (decision === 'taken-back') {
    // Whose it is counts in the transaction that takes it back.
    await withdrawRequest(acting, consentRequest.requestId, { ...consentRequest, by: user.userId }).catch((error) => {
      throw toPageError(error, link)
    })
    return reply.redirect(`${path}?done=taken-back`, 303)
  }
  const membership = await findMembership(deps.store.reader, user.userId, consentRequest.tenantId)
  if (membership === undefined || !isAdministrator(membership.role)) {
    noteRefused(deps, request, { registration: consentRequest, tenant: consentRequest, user })
    throw accessDenied(path)
  }
  await requireTaken(deps, session, membership, () => beginPending(deps, browser, { kind: 'page', body: { path } }))
  if (decision !== 'approved' && decision !== 'declined') return reply.redirect(path, 303)
  if (decision === 'approved' && !isRecent(deps, session)) {
    const body = { path, again: true, loginHint: user.email }
    return reply.redirect(signInPath(beginPending(deps, browser, { kind: 'page', body })), 303)
  }
  await write(acting, async (writing) => {
    const still = await findMembership(writing.tx, user.userId, consentRequest.tenantId)
    if (still === undefined || !isAdministrator(still.role)) throw accessDenied(path)
    if (!(await isStillTaken(deps, writing.tx, session, still))) throw accessDenied(path)
    await decideRequest(acting, writing, consentRequest.requestId, {
      state: decision,
      by: user.userId,
      byOperator: user.isOperator,
    })
  }).catch((error: unknown) => {
    throw toPageError(error, link)
  })
  return reply.redirect(`${path}?done=${decision}`, 303)
}

// GET and POST …/adminconsent/resume/<id>: shows the request and takes the decision. Only an administrator's form
// grants anything, and the role is checked again in the transaction that does it (C7).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { grantInTransaction } from '../../directory/consents/admin-consent.js'
import { fileConsentRequest, listRequests } from '../../directory/consents/consent-requests.js'
import { write } from '../../directory/writes.js'
import type { Texts } from '../../languages/english/texts.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { redirectSource } from '../../oauth/requests/authorization-response.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { actingAs } from '../../web/acting.js'
import type { Browser } from '../../web/browser.js'
import { checkForm, type FormFields, formToken } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import { requestGone } from '../../web/request-gone.js'
import { countFinished } from '../client/single-use.js'
import { homeOf } from '../consent/application-home.js'
import { accessDenied, noteRefused, toPageError } from '../consent/refusals.js'
import type { IdentityDependencies } from '../dependencies.js'
import { resumePath, signInPath } from '../pending/paths.js'
import { changedPending, takePending } from '../pending/pending-request.js'
import { isRecent } from '../sign-in/recent.js'
import { isStillTaken } from '../sign-in/ways/required-way.js'
import { sendGranted, sendNotGranted } from './answer.js'
import { type ConsentStatus, digestOf, type OpenConsent, readConsentStatus } from './consent-status.js'
import { answerAdminConsent } from './endpoint.js'
import { AskingView, DecisionView, TenantView } from './view.js'

const path = '/api/v2/oauth2/v2.0/adminconsent'

/** Registers the endpoint and the page behind it. */
export function registerAdminConsent(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'admin-consent',
    beforeSecondFactor: true,
    get: (request, reply, browser) => answerAdminConsent(deps, request, reply, browser),
  })
  registerPage(scope, deps, {
    path: `${path}/resume/:id`,
    routeId: 'admin-consent-decision',
    get: async (request, reply, browser) => {
      const status = await readConsentStatus(deps, browser, idOf(request))
      return show(deps, reply, browser, status)
    },
    post: async (request, reply, browser) => {
      const status = await readConsentStatus(deps, browser, idOf(request))
      if (status.kind === 'elsewhere' || status.kind === 'refused') return show(deps, reply, browser, status)
      const fields = checkForm(deps, request, browser, formScope(status))
      return take(deps, request, reply, browser, { status, fields })
    },
  })
}

type Decidable = Exclude<ConsentStatus, { kind: 'elsewhere' | 'refused' }>

function idOf(request: FastifyRequest): string {
  return (request.params as { id: string }).id
}

/** A form agrees to what it showed: to another difference it is none (C2). */
function formScope(status: Decidable): string {
  return `admin-consent:${status.pending.id}:${status.kind === 'choose' ? 'choose' : digestOf(status)}`
}

async function show(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  status: ConsentStatus,
): Promise<FastifyReply> {
  if (status.kind === 'elsewhere') return reply.redirect(status.path, 303)
  if (status.kind === 'refused') {
    if (browser.session !== undefined) await countFinished(deps, browser.session.userId)
    await deps.store.transaction((tx) => takePending(tx, status.pending))
    return sendNotGranted(deps, reply, status, status.error)
  }
  const token = formToken(deps, browser, formScope(status))
  const { redirectUri } = status.request
  const options = redirectUri === undefined ? {} : { formAction: [redirectSource(redirectUri)] }
  if (status.kind === 'choose') {
    const { user, tenants } = status
    return sendPage(reply, 200, <TenantView waiting={status} user={user} tenants={tenants} token={token} />)
  }
  const home = await homeOf(deps, status.registration, status.tenant.tenantId)
  const props = { status, home, catalogue: deps.settings.catalogue, token }
  if (status.mayDecide) return sendPage(reply, 200, <DecisionView {...props} />, options)
  const [request] = await listRequests(deps.store.reader, {
    tenantIds: [status.tenant.tenantId],
    applicationId: status.registration.applicationId,
    requestedBy: status.user.userId,
  })
  return sendPage(reply, 200, <AskingView {...props} request={request} />, options)
}

async function take(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
  { status, fields }: { status: Decidable; fields: FormFields },
): Promise<FastifyReply> {
  if (status.kind === 'choose') return choose(deps, reply, browser, { status, fields })
  switch (fields.get('decision')) {
    case 'grant':
      // Not checked when the page is opened: looking is no act (decision 97).
      if (status.mayDecide && browser.session !== undefined && !isRecent(deps, browser.session)) {
        return reply.redirect(signInPath(status.pending), 303)
      }
      return grant(deps, request, reply, status)
    case 'decline':
      return decline(deps, request, reply, status)
    case 'ask':
      return ask(deps, request, reply, status, fields.get('reason') ?? '')
    default:
      return reply.redirect(resumePath(status.pending), 303)
  }
}

function choose(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  { status, fields }: { status: Extract<ConsentStatus, { kind: 'choose' }>; fields: FormFields },
): FastifyReply {
  const { pending, request: consentRequest, user } = status
  const tenantId = parseGuid(fields.get('tenant'))
  if (tenantId === undefined) return reply.redirect(resumePath(pending), 303)
  // Whether it is one of theirs is decided when it is used.
  const body = { ...consentRequest, chosen: { tenantId, by: user.userId } }
  return reply.redirect(resumePath(changedPending(deps, browser, pending, { body })), 303)
}

async function grant(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  status: OpenConsent,
): Promise<FastifyReply> {
  const { pending, registration, tenant, user, session, permissions, difference } = status
  const acting = actingAs(deps, request, { user, session })
  const { tenantId } = tenant
  await countFinished(deps, user.userId)
  const granted = await write(acting, async (writing) => {
    const membership = await findMembership(writing.tx, user.userId, tenantId)
    if (membership === undefined || !isAdministrator(membership.role)) return 'refused'
    if (!(await isStillTaken(deps, writing.tx, session, membership))) return 'overtaken'
    if (!(await takePending(writing.tx, pending))) throw requestGone({ isNew: false })
    const consent = { tenantId, permissions, remove: difference.removed, by: user.userId, byOperator: user.isOperator }
    await grantInTransaction(acting, writing, registration.applicationId, consent)
    return 'granted'
  }).catch((error: unknown) => {
    throw toPageError(error, { href: resumePath(pending), text: ({ frame }) => frame.openAgain })
  })
  if (granted === 'granted') return sendGranted(deps, reply, status)
  // What the page needs of the person has changed: it says so.
  if (granted === 'overtaken') return reply.redirect(resumePath(pending), 303)
  noteRefused(deps, request, status)
  throw accessDenied(resumePath(pending))
}

async function decline(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  status: OpenConsent,
): Promise<FastifyReply> {
  const { pending, registration, tenant, user, session, mayDecide, permissions } = status
  const acting = actingAs(deps, request, { user, session })
  await countFinished(deps, user.userId)
  await write(acting, async ({ tx }) => {
    if (!(await takePending(tx, pending))) throw requestGone({ isNew: false })
    // Who may not grant has declined nothing; they only went away.
    if (!mayDecide) return
    const { applicationId } = registration
    const details = { permissions }
    await appendAudit(acting, tx, {
      event: 'admin-consent.declined',
      applicationId,
      tenantId: tenant.tenantId,
      details,
    })
  })
  const error = new OAuthError('access_denied', 'Nobody has consented.', { number: errorNumber.declined })
  return sendNotGranted(deps, reply, status, error)
}

async function ask(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { pending, registration, tenant, user, session, difference }: OpenConsent,
  reason: string,
): Promise<FastifyReply> {
  const link = { href: resumePath(pending), text: ({ frame }: Texts) => frame.back }
  if (difference.added.length > 0) {
    await fileConsentRequest(actingAs(deps, request, { user, session }), {
      applicationId: registration.applicationId,
      tenantId: tenant.tenantId,
      requestedBy: user.userId,
      permissions: difference.added,
      reason,
    }).catch((error: unknown) => {
      throw toPageError(error, link)
    })
  }
  return reply.redirect(link.href, 303)
}

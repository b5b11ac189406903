// GET and POST /consent?request=<id>: asks the person, and takes the answer. Only a form of this page grants anything
// (C2, C3); a refusal goes to the client and stores nothing (C5); for what a person may not give away, the page refers
// to an administrator (C7).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { grantInTransaction } from '../../directory/consents/admin-consent.js'
import { type ConsentEnd, consentEnd } from '../../directory/consents/consent-end.js'
import { fileConsentRequest, listRequests } from '../../directory/consents/consent-requests.js'
import { rememberInTransaction } from '../../directory/consents/consents.js'
import { ensureDocumentApplication } from '../../directory/documents/document-applications.js'
import { write } from '../../directory/writes.js'
import { redirectSource } from '../../oauth/requests/authorization-response.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import { actingAs } from '../../web/acting.js'
import type { Browser } from '../../web/browser.js'
import { checkForm, type FormFields, formToken } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { readAuthorizeRequest } from '../pending/authorize-request.js'
import { consentPath, resumePath } from '../pending/paths.js'
import { changedPending, type PendingRequest } from '../pending/pending-request.js'
import { isStillTaken } from '../sign-in/ways/required-way.js'
import { type ConsentQuestionFor, readConsentQuestion } from './consent-question.js'
import { AdministratorView, ConsentView } from './consent-view.js'
import { signInForConsent } from './recent-first.js'
import { accessDenied, noteRefused } from './refusals.js'

const offlineAccess = 'offline_access'

/** Ends the request and tells the client that the person said no. */
type Decline = (reply: FastifyReply, browser: Browser, pending: PendingRequest) => Promise<FastifyReply>

/** Registers the page. What a refusal is to the client, `decline` knows: the endpoint's matter. */
export function registerConsentPage(scope: FastifyInstance, deps: IdentityDependencies, decline: Decline): void {
  registerPage(scope, deps, {
    path: '/consent',
    routeId: 'consent',
    get: async (request, reply, browser) => {
      const question = await readConsentQuestion(deps, request, browser)
      return 'goTo' in question ? reply.redirect(question.goTo, 303) : show(deps, reply, browser, question)
    },
    post: async (request, reply, browser) => {
      const question = await readConsentQuestion(deps, request, browser)
      if ('goTo' in question) return reply.redirect(question.goTo, 303)
      const fields = checkForm(deps, request, browser, formScope(question))
      if (fields.get('decision') === 'cancel') return decline(reply, browser, question.pending)
      return take(deps, request, reply, { browser, question }, fields)
    },
  })
}

/** A form agrees to what it showed: to another request, tenant or list it is none (C2). */
function formScope({ pending, tenant, permissions, registration: { document } }: ConsentQuestionFor): string {
  const client = document === undefined ? [] : [document.digest, document.clientName]
  return `consent:${pending.id}:${JSON.stringify([tenant.tenantId, permissions, ...client])}`
}

async function show(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  question: ConsentQuestionFor,
): Promise<FastifyReply> {
  const { catalogue } = deps.settings
  const token = formToken(deps, browser, formScope(question))
  // The answer to this form ends at the client's address, and browsers hold the whole chain to this (C4).
  const options = { formAction: [redirectSource(question.redirectUri)] }
  if (question.answer.kind === 'ask') {
    return sendPage(reply, 200, <ConsentView question={question} catalogue={catalogue} token={token} />, options)
  }
  const { registration, tenant, user } = question
  const [request] = await listRequests(deps.store.reader, {
    tenantIds: [tenant.tenantId],
    applicationId: registration.applicationId,
    requestedBy: user.userId,
  })
  const view = <AdministratorView question={question} catalogue={catalogue} token={token} request={request} />
  return sendPage(reply, 200, view, options)
}

async function take(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { browser, question }: { browser: Browser; question: ConsentQuestionFor },
  fields: FormFields,
): Promise<FastifyReply> {
  switch (fields.get('decision')) {
    case 'accept': {
      const lasts = fields.get('lasts')
      // A length that nobody was offered is none.
      if (!isOffered(lasts, question)) return reply.redirect(consentPath(question.pending), 303)
      const end = consentEnd(lasts, deps.now(), deps.settings.tokens)
      return accept(deps, request, reply, { browser, question, end }, fields.get('for_everybody') === 'yes')
    }
    case 'ask':
      return ask(deps, request, reply, question, fields.get('reason') ?? '')
    default:
      return reply.redirect(consentPath(question.pending), 303)
  }
}

function isOffered(lasts: string | undefined, { agent }: ConsentQuestionFor): boolean {
  return lasts === undefined || (agent !== undefined && ['until', 'day', 'once'].includes(lasts))
}

async function accept(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  { browser, question, end }: { browser: Browser; question: ConsentQuestionFor; end: ConsentEnd | undefined },
  forEverybody: boolean,
): Promise<FastifyReply> {
  const { pending, user, membership, session } = question
  const byAdministrator = isAdministrator(membership.role)
  if (question.answer.kind === 'administrator' || (forEverybody && !byAdministrator)) {
    noteRefused(deps, request, question)
    throw accessDenied(consentPath(pending))
  }
  const first = signInForConsent(deps, browser, question, forEverybody)
  if (first !== undefined) return reply.redirect(first, 303)
  const { registration, tenant, answer, redirectUri, agent, permissions: shown } = question
  const acting = actingAs(deps, request, { user, session })
  const { applicationId } = registration
  const missing = end?.lasts === 'once' ? answer.missing.filter(({ id }) => id !== offlineAccess) : answer.missing
  const what = { tenantId: tenant.tenantId, permissions: missing }
  const by = { by: user.userId, byOperator: user.isOperator }
  // A person who is only prompted again has nothing new to allow; that they were prompted is remembered.
  const { document } = registration
  const isRemembered = missing.length > 0 || agent !== undefined
  if (isRemembered || registration.redirectEpochs.current > 0 || document !== undefined) {
    const stands = await write(acting, async (writing) => {
      // Read where nobody can change it meanwhile: who lost the role, left, or signed in by a way that the tenant
      // does not take any more gives nothing away.
      const still = await findMembership(writing.tx, user.userId, tenant.tenantId)
      if (still?.role !== membership.role || !(await isStillTaken(deps, writing.tx, session, still))) return false
      if (document !== undefined) {
        if (!(await ensureDocumentApplication(acting, writing, { ...registration, document }))) return false
      }
      if (forEverybody && missing.length > 0)
        await grantInTransaction(acting, writing, applicationId, { ...what, ...by })
      const theirs = { userId: user.userId, applicationId, byAdministrator, redirectUri, end, ...(agent && { shown }) }
      await rememberInTransaction(
        acting,
        writing,
        forEverybody ? { ...what, ...theirs, permissions: [] } : { ...what, ...theirs },
      )
      return true
    })
    if (!stands) return reply.redirect(resumePath(pending), 303)
  }
  const waiting = readAuthorizeRequest(pending)
  const openidScopes = waiting?.openidScopes.filter((word) => end?.lasts !== 'once' || word !== offlineAccess)
  const lasting = end === undefined ? {} : { consentEndsAt: end.endsAt }
  const body = { ...waiting, openidScopes, ...lasting, consentGiven: true }
  return reply.redirect(resumePath(changedPending(deps, browser, pending, { body })), 303)
}

async function ask(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  question: ConsentQuestionFor,
  reason: string,
): Promise<FastifyReply> {
  const { registration, tenant, user, session, answer, pending } = question
  const { document } = registration
  const acting = actingAs(deps, request, { user, session })
  if (answer.kind === 'administrator') {
    // Administrators decide about an application that they can look at.
    if (document !== undefined) {
      await write(acting, (writing) => ensureDocumentApplication(acting, writing, { ...registration, document }))
    }
    await fileConsentRequest(acting, {
      applicationId: registration.applicationId,
      tenantId: tenant.tenantId,
      requestedBy: user.userId,
      permissions: answer.missing,
      reason,
    })
  }
  return reply.redirect(consentPath(pending), 303)
}

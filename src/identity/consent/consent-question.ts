// What the consent page has to ask: the request that waits for it, whom it asks, in which tenant, and what is missing.
// A request that is not, or no longer, for this person goes back to where it is decided anew.

import type { FastifyRequest } from 'fastify'
import { type ApplicationBrand, findApplicationBrand } from '../../directory/brands/application-brand.js'
import type { Registration, Tenant } from '../../directory/records.js'
import { requestContext } from '../../http/requests/request-context.js'
import { findUser } from '../../users/accounts/users.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { permissionsFor } from '../../users/memberships/roles.js'
import type { Membership, Session, User } from '../../users/records.js'
import type { Browser } from '../../web/browser.js'
import { queryOf } from '../../web/page-address.js'
import { requestGone } from '../../web/request-gone.js'
import { inTenant, requireDocumentClient } from '../client/document-client.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type AuthorizeRequest, readAuthorizeRequest } from '../pending/authorize-request.js'
import { resumePath, signInPath } from '../pending/paths.js'
import { findPending, type PendingRequest } from '../pending/pending-request.js'
import { requireTaken } from '../sign-in/ways/required-way.js'
import { type AgentTool, agentTools, isOfAgents } from './agent-tools.js'
import { homeOf } from './application-home.js'
import { consentWords, isConsentGiven } from './authorization-consent.js'
import { type ConsentAnswer, consentNeeded, requestedPermissions } from './consent-step.js'

export interface ConsentQuestionFor {
  pending: PendingRequest
  registration: Registration
  tenant: Tenant
  /** The organisation that registered the application. */
  home: { name: string; isOwn: boolean }
  /** What it says of itself. */
  claim: ApplicationBrand
  user: User
  session: Session
  membership: Membership
  /** Where the client gets its answer. */
  redirectUri: string
  /** All that is requested, as the person's role allows it. */
  permissions: ReturnType<typeof requestedPermissions>
  answer: Exclude<ConsentAnswer, { kind: 'granted' }>
  /** Where an MCP server stands behind the API: the tools that this opens. */
  agent: { tools: readonly AgentTool[] } | undefined
}

/** Reads `?request=`; a path to go to when there is nothing to ask here. Throws PageError, StoreUnavailable. */
export async function readConsentQuestion(
  deps: IdentityDependencies,
  request: FastifyRequest,
  browser: Browser,
): Promise<ConsentQuestionFor | { goTo: string }> {
  const pending = await findPending(deps, browser, queryOf(request).get('request') ?? undefined)
  const authorizeRequest = pending === undefined ? undefined : readAuthorizeRequest(pending)
  if (pending === undefined || authorizeRequest === undefined) throw requestGone(browser)
  const { session } = browser
  if (session === undefined) return { goTo: signInPath(pending) }
  const { consentAskedOf, resource, redirectUri } = authorizeRequest
  const elsewhere = { goTo: resumePath(pending) }
  if (consentAskedOf?.userId !== session.userId || isConsentGiven(authorizeRequest, consentAskedOf)) return elsewhere
  const { userId, tenantId } = consentAskedOf
  const [registration, tenant, user, membership] = await Promise.all([
    findApplication(deps, request, authorizeRequest, tenantId),
    deps.directory.findTenant(tenantId),
    findUser(deps.store.reader, userId),
    findMembership(deps.store.reader, userId, tenantId),
  ])
  if (registration === undefined || tenant === undefined || user === undefined || membership === undefined) {
    return elsewhere
  }
  await requireTaken(deps, session, membership, () => pending)
  // The organisation whose data are decided about, and not the one that asks for them (decision 125).
  await browser.wear?.({ tenantId })
  const person = { role: membership.role, isOperator: user.isOperator }
  const home = await homeOf(deps, registration, tenantId)
  const claim = await findApplicationBrand(deps.store.reader, registration.applicationId)
  const allowed = permissionsFor(person, deps.settings.catalogue, resource, authorizeRequest.permissions)
  const wanted = { resource, permissions: allowed, openidScopes: consentWords(authorizeRequest) }
  const question = { ...wanted, userId, registration, tenantId, redirectUri, prompt: authorizeRequest.prompt }
  const answer = await consentNeeded(deps, deps.store.reader, question)
  if (answer.kind === 'granted') return elsewhere
  const requested = requestedPermissions(wanted)
  const isAgent = isOfAgents(deps, resource)
  const agent = isAgent ? { tools: await agentTools(deps, { tenantId, permissions: requested }) } : undefined
  return {
    pending,
    registration,
    tenant,
    home,
    claim,
    user,
    session,
    membership,
    redirectUri,
    answer,
    permissions: requested,
    agent,
  }
}

/** As it is in the tenant; undefined when there is none, or it has become another one. Throws PageError. */
async function findApplication(
  deps: IdentityDependencies,
  request: FastifyRequest,
  { applicationId, clientIdentifier }: AuthorizeRequest,
  tenantId: string,
): Promise<Registration | undefined> {
  if (applicationId !== '') return deps.directory.findRegistration(applicationId)
  const client = await requireDocumentClient(deps, clientIdentifier, requestContext(request).address)
  return inTenant(deps, client, tenantId)
}

// GET and POST /choose-tenant?request=<id>: in which tenant the person uses the application, when they belong to
// several where they may. The choice is theirs alone; it goes with the request, and is checked again when that goes on.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Role } from '../../config/settings/settings.js'
import { requestContext } from '../../http/requests/request-context.js'
import { redirectSource } from '../../oauth/requests/authorization-response.js'
import { findUser } from '../../users/accounts/users.js'
import type { Membership, User } from '../../users/records.js'
import type { Browser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { useTexts } from '../../web/language/texts.js'
import { queryOf } from '../../web/page-address.js'
import { ApplicationName, type ShownApplication } from '../../web/pages/application-name.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { sendPage } from '../../web/pages/send-page.js'
import { requestGone } from '../../web/request-gone.js'
import { shownApplication } from '../../web/shown-application.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type AuthorizeRequest, readAuthorizeRequest } from '../pending/authorize-request.js'
import { resumePath, signInPath, tenantPath } from '../pending/paths.js'
import { changedPending, findPending, type PendingRequest } from '../pending/pending-request.js'
import { requireAnyClient } from './client.js'
import { usableMemberships } from './tenant-step.js'

interface Choice {
  pending: PendingRequest
  authorizeRequest: AuthorizeRequest
  application: ShownApplication
  /** Whose they are. */
  user: User | undefined
  tenants: readonly { tenantId: string; name: string; role: Role }[]
}

/** Shows the tenants. Throws PageError. */
export async function showTenants(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  const { pending, authorizeRequest } = await requirePending(deps, request, browser)
  if (browser.session === undefined) return reply.redirect(signInPath(pending), 303)
  const choice = await readChoice(deps, request, { pending, authorizeRequest }, browser.session.userId)
  return sendChoice(deps, reply, browser, choice, false)
}

/** Takes the choice and goes on with the request. Throws PageError. */
export async function takeTenant(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  const { pending, authorizeRequest } = await requirePending(deps, request, browser)
  const fields = checkForm(deps, request, browser, scopeOf(pending))
  if (browser.session === undefined) return reply.redirect(signInPath(pending), 303)
  const { userId } = browser.session
  const choice = await readChoice(deps, request, { pending, authorizeRequest }, userId)
  const chosen = choice.tenants.find(({ tenantId }) => tenantId === fields.get('tenant'))
  if (chosen === undefined) return sendChoice(deps, reply, browser, choice, true)
  const body: AuthorizeRequest = { ...authorizeRequest, tenantId: chosen.tenantId, tenantChosenBy: userId }
  return reply.redirect(resumePath(changedPending(deps, browser, pending, { body })), 303)
}

async function requirePending(deps: IdentityDependencies, request: FastifyRequest, browser: Browser) {
  const pending = await findPending(deps, browser, queryOf(request).get('request') ?? undefined)
  const authorizeRequest = pending === undefined ? undefined : readAuthorizeRequest(pending)
  if (pending === undefined || authorizeRequest === undefined) throw requestGone(browser)
  return { pending, authorizeRequest }
}

async function readChoice(
  deps: IdentityDependencies,
  request: FastifyRequest,
  { pending, authorizeRequest }: Pick<Choice, 'pending' | 'authorizeRequest'>,
  userId: string,
): Promise<Choice> {
  const { registration } = await requireAnyClient(deps, authorizeRequest, requestContext(request).address)
  const memberships = await usableMemberships(deps, registration, userId)
  const tenants = await Promise.all(memberships.map((each) => describe(deps, each)))
  const user = await findUser(deps.store.reader, userId)
  return { pending, authorizeRequest, application: await shownApplication(deps, registration), user, tenants }
}

async function describe(deps: IdentityDependencies, { tenantId, role }: Membership) {
  const tenant = await deps.directory.findTenant(tenantId)
  return { tenantId, name: tenant?.name ?? tenantId, role }
}

function sendChoice(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  choice: Choice,
  isWrong: boolean,
): FastifyReply {
  const token = formToken(deps, browser, scopeOf(choice.pending))
  return sendPage(reply, isWrong ? 400 : 200, <ChooseTenant {...choice} token={token} isWrong={isWrong} />, {
    formAction: [redirectSource(choice.authorizeRequest.redirectUri)],
  })
}

function ChooseTenant({
  pending,
  application,
  user,
  tenants,
  token,
  isWrong,
}: Choice & { token: string; isWrong: boolean }) {
  const { frame, consent } = useTexts()
  return (
    <Page
      title={consent.tenant.title}
      eyebrow={<ApplicationName application={application} />}
      user={user}
      intro={consent.tenant.intro}
    >
      {isWrong ? (
        <Notice id="problem" kind="error">
          <p>{consent.tenant.oneOfThese}</p>
        </Notice>
      ) : null}
      <div class="card">
        <Form id="choose-tenant" action={tenantPath(pending)} token={token}>
          <fieldset class="stack">
            <legend>{frame.organisation}</legend>
            {tenants.map(({ tenantId, name, role }) => (
              <Button key={tenantId} id={`tenant-${tenantId}`} kind="plain" name="tenant" value={tenantId}>
                {displayName(name)} ({frame.roles[role]}){hasNamesake(tenants, name) ? `, ${tenantId.slice(0, 8)}` : ''}
              </Button>
            ))}
          </fieldset>
        </Form>
      </div>
    </Page>
  )
}

/** Names are not unique, and anybody may call a tenant like another one. */
function hasNamesake(tenants: Choice['tenants'], name: string): boolean {
  return tenants.filter((other) => displayName(other.name) === displayName(name)).length > 1
}

function scopeOf({ id }: PendingRequest): string {
  return `choose-tenant:${id}`
}

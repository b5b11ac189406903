// GET and POST /account/apps: the applications that a person allowed something, each can be taken back here (C9), as a
// whole or permission by permission (take-away.tsx); and for administrators what their tenants did, with the way to the portal, which says whom withdrawing stops and asks.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import type { Catalogue } from '../../config/settings/settings.js'
import { withdrawUserConsent } from '../../directory/consents/withdrawal.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { administeredTenantIds } from '../../users/memberships/administered-tenants.js'
import { AppIcon } from '../../web/brand/app-icon.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { textsOf } from '../../web/language/reader-language.js'
import { useReading, useTexts } from '../../web/language/texts.js'
import { Time } from '../../web/language/time.js'
import { queryOf } from '../../web/page-address.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { Page } from '../../web/pages/layout.js'
import { ListItem } from '../../web/pages/list-item.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { type ToolUse, ToolUses, toolUses } from './agent-use.js'
import { accessOfTenants, accessOfUser, type CalledBy, type HeldAccess } from './application-access.js'
import { HeldList } from './held-list.js'
import { type HeldPermission, heldPermissions } from './held-permissions.js'
import { Asker, Permissions } from './parts.js'
import { sentenceOf } from './sentences.js'
import { takeAway } from './take-away.js'

const path = '/account/apps'
/** Applications that are allowed for everybody; the portal lists, and finds, all of them. */
const mostShown = 20

/** Registers the page. */
export function registerAppsPage(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'account-apps',
    get: shown(deps, (request, reply, person) => show(deps, request, reply, person)),
    post: taken(deps, (request, reply, person) => withdraw(deps, request, reply, person)),
  })
}

async function show(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
): Promise<FastifyReply> {
  const { user, browser } = person
  const administered = await administeredTenantIds(deps.store.reader, user.userId)
  const [own, everybody] = await Promise.all([accessOfUser(deps, user.userId), accessOfTenants(deps, administered)])
  const [uses, held] = await Promise.all([
    Promise.all(own.map((access) => toolUses(deps, access))),
    Promise.all(own.map((access) => heldPermissions(deps, access))),
  ])
  const token = formToken(deps, browser, 'apps')
  const { catalogue } = deps.settings
  const { frame, consent } = textsOf(request)
  const { apps } = consent
  return sendPage(
    reply,
    200,
    <Page title={apps.title} intro={apps.intro} width="wide" user={user}>
      <Done word={queryOf(request).get('done')} />
      {own.length === 0 ? (
        <div class="card">
          <p id="none">{apps.none}</p>
        </div>
      ) : (
        own.map((access, at) => (
          <Access
            key={keyOf(access)}
            access={access}
            held={held[at] ?? []}
            uses={uses[at] ?? []}
            catalogue={catalogue}
            token={token}
          />
        ))
      )}
      {administered.length === 0 ? null : (
        <section class="stack" aria-labelledby="for-everybody">
          <h2 id="for-everybody">{apps.forEverybody}</h2>
          <p class="fine">
            {apps.asAdministrator} <a href="/consent-requests">{consent.requests.title}</a>
          </p>
          {everybody.length === 0 ? <p id="none-for-everybody">{apps.nothing}</p> : <ForEverybody all={everybody} />}
        </section>
      )}
      <p>
        <a href="/account">{frame.yourAccount}</a>
      </p>
    </Page>,
  )
}

function Done({ word }: { word: string | null | undefined }): VNode | null {
  const { apps } = useTexts().consent
  const said = { withdrawn: apps.withdrawn, taken: apps.taken, 'of-tenant': apps.ofTenant }
  if (word !== 'withdrawn' && word !== 'taken' && word !== 'of-tenant') return null
  return (
    <Notice id="done" kind={word === 'of-tenant' ? 'error' : 'success'}>
      <p>{said[word]}</p>
    </Notice>
  )
}

/** What administrators allowed, by name: where each is at the portal, and the others together. */
function ForEverybody({ all }: { all: readonly HeldAccess[] }): VNode {
  const { apps, requests } = useTexts().consent
  const more = all.length - mostShown
  return (
    <div class="card">
      <p class="fine">{apps.opened}</p>
      <ul class="list" id="everybody">
        {all.slice(0, mostShown).map(({ registration: { applicationId, name }, claim, tenant, permissions, since }) => (
          <ListItem
            key={`${applicationId} ${tenant.tenantId}`}
            name={
              <>
                <AppIcon name={name} logo={claim?.logo} />
                <a id={`everybody-${applicationId}-${tenant.tenantId}`} href={atPortal(tenant.tenantId, applicationId)}>
                  <bdi>{displayName(name)}</bdi>
                </a>
              </>
            }
            about={
              <>
                {apps.since(<bdi>{displayName(tenant.name)}</bdi>, <Time at={since} />)} ·{' '}
                {apps.permissions(permissions.length)}
              </>
            }
          />
        ))}
      </ul>
      {more > 0 ? (
        <p id="more-for-everybody">
          {apps.more(more)} <a href={atPortal(all[0]?.tenant.tenantId ?? '')}>{requests.portal}</a>
        </p>
      ) : null}
    </div>
  )
}

function atPortal(tenantId: string, applicationId?: string): string {
  const end = applicationId === undefined ? '' : `/${applicationId}`
  return `/portal/consents/apps${end}?${new URLSearchParams({ tenant: tenantId })}`
}

function Access({
  access,
  held,
  uses,
  catalogue,
  token,
}: {
  access: HeldAccess
  held: readonly HeldPermission[]
  uses: readonly ToolUse[]
  catalogue: Catalogue
  token: string
}): VNode {
  const { registration, tenant, claim, permissions, since, lastUsedAt, endsAt, calledBy } = access
  const { consent } = useTexts()
  const { apps } = consent
  const [name, when] = [<bdi>{displayName(tenant.name)}</bdi>, <Time at={since} />]
  const id = `own-${registration.applicationId}-${tenant.tenantId}`
  const hidden = { application: registration.applicationId, tenant: tenant.tenantId }
  return (
    <section class="card app" id={id} aria-label={displayName(registration.name)}>
      <Asker registration={registration} claim={claim} id={id} />
      <p class="fine">
        {lastUsedAt === undefined ? apps.since(name, when) : apps.sinceAndUsed(name, when, <Time at={lastUsedAt} />)}
      </p>
      {endsAt === undefined ? null : (
        <p class="fine" id={`ends-${id}`}>
          {consent.agent.endsAt(<Time at={endsAt} />)}
        </p>
      )}
      {permissions.length === 0 ? <p>{apps.allowedFor(name)}</p> : null}
      <HeldList permissions={held} catalogue={catalogue} id={id} form={{ action: path, token, hidden }} />
      <ToolUses uses={uses} id={id} />
      {calledBy.map((caller) => (
        <Called key={caller.registration.applicationId} caller={caller} catalogue={catalogue} id={id} />
      ))}
      <Form id={`form-${id}`} action={path} token={token} hidden={hidden}>
        <Button id={`withdraw-${id}`} kind="danger">
          {apps.withdraw}
        </Button>
      </Form>
    </section>
  )
}

/** What it did for the person when another application called it. */
function Called({ caller, catalogue, id }: { caller: CalledBy; catalogue: Catalogue; id: string }): VNode {
  const { apps } = useTexts().consent
  const { language } = useReading()
  const { registration, permissions, lastAt } = caller
  const name = <bdi>{displayName(registration.name)}</bdi>
  return (
    <details id={`called-${id}-${registration.applicationId}`}>
      <summary>{apps.onCallsOf(name, <Time at={lastAt} />)}</summary>
      <Permissions
        id={`called-permissions-${id}-${registration.applicationId}`}
        lines={permissions.map((ref) => sentenceOf(catalogue, ref, 'own', language))}
      />
    </details>
  )
}

async function withdraw(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
): Promise<FastifyReply> {
  const { user, browser, acting } = person
  const fields = checkForm(deps, request, browser, 'apps')
  const [applicationId, tenantId] = [parseGuid(fields.get('application')), parseGuid(fields.get('tenant'))]
  if (applicationId === undefined || tenantId === undefined) return reply.redirect(path, 303)
  if (fields.get('act') === 'take') return takeAway(deps, reply, person, fields, { applicationId, tenantId })
  await withdrawUserConsent(acting, { userId: user.userId, applicationId, tenantId })
  return reply.redirect(`${path}?done=withdrawn`, 303)
}

function keyOf({ registration, tenant }: HeldAccess): string {
  return `${registration.applicationId} ${tenant.tenantId}`
}

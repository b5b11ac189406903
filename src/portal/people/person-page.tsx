// One person of the tenant: their role, a link for a new password, signing them out, and ending their membership or
// account.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import type { Role } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import type { Answer } from '../../management/schemas.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { SecretOnce } from '../copy.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { sendFramed } from '../frame.js'
import { ConfirmEmail } from './confirm-email.js'
import { PersonAccess } from './person-access.js'
import { PersonActivityCards } from './person-activity.js'
import { ProviderLink, ProviderLinkForm } from './provider-link.js'
import { readActivity } from './read-activity.js'
import { nameOf, type Person, readPerson } from './read-person.js'
import { RoleField, roleOf } from './role-field.js'

const list = '/portal/people'
const texts = {
  role: 'The role is changed. What applications held for this person has ended where it went beyond it.',
  mailed: 'A link for a new password is on its way by mail.',
  confirmed: 'The address is confirmed.',
  'session-ended': 'That session has ended.',
  withdrawn: 'What this person allowed the application is withdrawn, and its access for them has ended.',
  'signed-out': 'This person is signed out everywhere.',
  enabled: 'The account works again.',
  disabled: 'The account is disabled: no session, no grant and no token of it works.',
}

/** Registers it. */
export function registerPersonPage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${list}/:userId`,
    routeId: 'portal-person',
    get: getPage(deps, async (request, reply, context) => show(deps, request, reply, context)),
    post: postForm(deps, async (request, reply, context, form) => {
      try {
        return await act(deps, request, reply, context, form)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 404 || error.status >= 500) throw error
        return show(deps, request, reply, context, { message: error.message, status: error.status })
      }
    }),
  })
}

async function act(
  deps: PortalDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  context: PortalContext,
  form: FormFields,
): Promise<FastifyReply> {
  const { userId } = await readPerson(request, context)
  const [user, membership] = [`/users/${userId}`, `/tenants/${context.currentTenant.tenantId}/memberships/${userId}`]
  const here = (word: keyof typeof texts) => reply.redirect(doneLink(context, `${list}/${userId}`, word), 303)
  switch (form.get('do')) {
    case 'role':
      await context.api('PATCH', membership, { role: roleOf(form.get('role')) })
      return here('role')
    case 'reset': {
      const { url } = await context.api<PeopleAnswer<'link'>>('POST', `${user}/passwordReset`)
      return url === undefined ? here('mailed') : show(deps, request, reply, context, { link: url })
    }
    case 'link-provider': {
      const email = form.get('address') ?? ''
      const { url } = await context.api<PeopleAnswer<'link'>>('POST', `${user}/providerLink`, { email })
      return show(deps, request, reply, context, url === undefined ? {} : { providerLink: url })
    }
    case 'confirm-email':
      await context.api('PATCH', user, { email: form.get('email') ?? '', emailVerified: true })
      return here('confirmed')
    case 'end-session':
      await context.api('DELETE', `/sessions/${encodeURIComponent(form.get('session') ?? '')}`)
      return here('session-ended')
    case 'withdraw': {
      const { tenantId } = context.currentTenant
      const applicationId = form.get('application') ?? ''
      await context.api('POST', '/consents/withdraw', { applicationId, tenantId, userId })
      return here('withdrawn')
    }
    case 'sign-out': {
      await context.api('POST', `${user}/signOut`)
      return here('signed-out')
    }
    case 'enable':
    case 'disable': {
      const state = form.get('do') === 'enable' ? 'enabled' : 'disabled'
      await context.api('PATCH', user, { state })
      return here(state)
    }
    default:
      return reply.redirect(context.link(`${list}/${userId}`), 303)
  }
}

async function show(
  deps: PortalDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  context: PortalContext,
  after: { message?: string; status?: number; link?: string; providerLink?: string } = {},
): Promise<FastifyReply> {
  const person = await readPerson(request, context)
  const activity = await readActivity(deps, context, person.userId)
  const tenant = await context.api<Answer<'tenant'>>('GET', `/tenants/${context.currentTenant.tenantId}`)
  const needsFactor = tenant.secondFactorRoles.includes(roleIn(context, person))
  const { message, link, providerLink, status = (link ?? providerLink) === undefined ? 200 : 201 } = after
  return sendFramed(reply, context, {
    title: nameOf(person),
    eyebrow: <a href={context.link(list)}>People</a>,
    activePath: list,
    status,
    children: (
      <>
        <Done context={context} texts={texts} />
        <ProblemNotice problem={message} />
        {link === undefined ? null : <ResetLink url={link} />}
        {providerLink === undefined ? null : <ProviderLink url={providerLink} />}
        <About person={person} needsFactor={needsFactor} />
        <PersonActivityCards context={context} userId={person.userId} activity={activity} />
        {isAtLeast(context.currentTenant.role, roleIn(context, person)) ? (
          <>
            <RoleForm person={person} context={context} />
            <ConfirmEmail person={person} context={context} />
            <ProviderLinkForm person={person} context={context} isOffered={deps.settings.signIn.providers.size > 0} />
            <PersonAccess person={person} context={context} />
          </>
        ) : (
          <Notice id="above">
            <p>Their role is above yours, so only somebody with that role changes anything about this account.</p>
          </Notice>
        )}
      </>
    ),
  })
}

function About({ person, needsFactor }: { person: Person; needsFactor: boolean }): VNode {
  const { userId, email, emailVerified, pendingEmail, idProvider, hasPassword, lastSignInAt, createdAt } = person
  return (
    <section class="card" aria-label="About this person">
      <Facts
        id="person-facts"
        rows={[
          ['E-mail', email === '' ? 'none' : `${displayName(email, 254)}${emailVerified ? '' : ' (not confirmed)'}`],
          ...(pendingEmail === null
            ? []
            : [['Requested', `${displayName(pendingEmail, 254)} (counts when it is confirmed)`] as const]),
          ['State', person.state],
          [
            'Signs in by',
            [hasPassword ? 'password' : '', idProvider === 'local' ? '' : idProvider].filter(Boolean).join(', ') ||
              'nothing yet',
          ],
          ['Second factor', factorText(person, needsFactor)],
          ['Signed in last', lastSignInAt === null ? 'Never' : dateTime(Date.parse(lastSignInAt))],
          ['Account since', dateTime(Date.parse(createdAt))],
          ['User ID', <code key="id">{userId}</code>],
        ]}
      />
    </section>
  )
}

function factorText({ hasSecondFactor, passkeys }: Person, isNeeded: boolean): string {
  const factors = [
    ...(hasSecondFactor ? ['codes of an app'] : []),
    ...(passkeys === 0 ? [] : [passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`]),
  ]
  if (factors.length > 0) return factors.join(', ')
  return isNeeded ? 'none, though one is needed: they are led to set it up' : 'none'
}

function roleIn({ currentTenant }: PortalContext, { memberships }: Person): Role {
  return memberships.find(({ tenantId }) => tenantId === currentTenant.tenantId)?.role ?? 'member'
}

function RoleForm({ person, context }: { person: Person; context: PortalContext }): VNode {
  return (
    <section class="card" aria-labelledby="role-title">
      <h2 id="role-title">Role</h2>
      <Form id="role-form" action={context.address} token={context.token} hidden={{ do: 'role' }}>
        <RoleField chosen={roleIn(context, person)} most={context.currentTenant.role} />
        <Button id="change-role" kind="plain">
          Change the role
        </Button>
      </Form>
    </section>
  )
}

function ResetLink({ url }: { url: string }): VNode {
  return (
    <section class="card once" aria-labelledby="link-title">
      <h2 id="link-title">Share this link</h2>
      <Notice>
        <p>Anybody who has it can choose the password of this account. It works once, for an hour.</p>
      </Notice>
      <SecretOnce id="reset-link" label="Link for a new password" hint="It is shown this once.">
        {url}
      </SecretOnce>
    </section>
  )
}

// Who belongs to the tenant and in which role, who is invited, and inviting somebody.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { PeopleAnswer } from '../../management/people/people-schemas.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { ListItem } from '../../web/pages/list-item.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { SecretOnce } from '../copy.js'
import { span } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { MoreLink, nextToken, pageAfter } from '../lists/next-page.js'
import { MemberList, readMembers } from './member-list.js'
import { RoleField, roleOf } from './role-field.js'

const path = '/portal/people'
const texts = {
  invited: 'The invitation is on its way by mail.',
  ended: 'Invitation revoked.',
  removed: 'Removed from the tenant.',
  deleted: 'The account is deleted.',
}

interface Refused {
  problem: Problem
  status: number
  email: string
  role: string
}

/** Registers it. */
export function registerPeoplePage(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-people',
    get: getPage(deps, async (_request, reply, context) => show(deps, reply, context)),
    post: postForm(deps, async (_request, reply, context, form) => {
      const ending = form.get('invitation')
      if (ending !== undefined) {
        await context.api('DELETE', `/invitations/${encodeURIComponent(ending)}`)
        return reply.redirect(doneLink(context, path, 'ended'), 303)
      }
      const [email, role] = [form.get('email') ?? '', roleOf(form.get('role'))]
      try {
        const link = await context.api<PeopleAnswer<'link'>>('POST', '/invitations', { email, role })
        if (link.url === undefined) return reply.redirect(doneLink(context, path, 'invited'), 303)
        return show(deps, reply, context, { link: { email, url: link.url } })
      } catch (error) {
        return show(deps, reply, context, { refused: { ...formProblem(error), email, role } })
      }
    }),
  })
}

async function show(
  deps: PortalDependencies,
  reply: FastifyReply,
  context: PortalContext,
  after: { refused?: Refused; link?: { email: string; url: string } } = {},
): Promise<FastifyReply> {
  const [found, invitations] = await Promise.all([
    readMembers(context),
    context.api<PeopleAnswer<'invitations'>>('GET', `/invitations?${pageAfter(context.query.get('invited'))}`),
  ])
  const { refused, link } = after
  return sendFramed(reply, context, {
    title: 'People',
    activePath: path,
    intro: `Who belongs to ${displayName(context.currentTenant.name)}.`,
    status: refused?.status,
    ...(link === undefined ? {} : { status: 201 }),
    children: (
      <>
        <Done context={context} texts={texts} />
        {link === undefined ? null : <Invited {...link} />}
        <MemberList context={context} found={found} />
        {invitations.value.length === 0 ? null : (
          <Invitations context={context} nowMs={deps.now()} found={invitations} />
        )}
        <Invite context={context} refused={refused} />
      </>
    ),
  })
}

function Invite({ context, refused }: { context: PortalContext; refused: Refused | undefined }): VNode {
  const { problem } = refused ?? {}
  return (
    <section class="card" aria-labelledby="invite-title">
      <h2 id="invite-title">Invite somebody</h2>
      <ProblemNotice problem={problem} fields={['email']} />
      <Form id="invite-form" action={context.link(path)} token={context.token}>
        <Field
          id="email"
          label="E-mail address"
          type="email"
          value={refused?.email}
          error={problemAt(problem, 'email')}
          hint="A person who has an account with this address joins with it; others make one."
        />
        <RoleField chosen={roleOf(refused?.role)} most={context.currentTenant.role} />
        <Button id="invite">Invite</Button>
      </Form>
    </section>
  )
}

/** Without a mail server the person who invites hands the link over. */
function Invited({ email, url }: { email: string; url: string }): VNode {
  return (
    <section class="card once" aria-labelledby="link-title">
      <h2 id="link-title">Send this link to {displayName(email, 254)}</h2>
      <Notice>
        <p>No mail server is configured here, so nothing was sent. The link works once, for seven days.</p>
      </Notice>
      <SecretOnce id="invitation-link" label="Invitation" hint="It is shown this once.">
        {url}
      </SecretOnce>
    </section>
  )
}

function Invitations({
  context,
  nowMs,
  found,
}: {
  context: PortalContext
  nowMs: number
  found: PeopleAnswer<'invitations'>
}): VNode {
  const next = nextToken(found.nextLink)
  return (
    <section class="card" aria-labelledby="invited-title">
      <h2 id="invited-title">Invited</h2>
      <ul class="list" id="invitations">
        {found.value.map(({ id, email, role, expiresAt }) => (
          <ListItem
            key={id}
            name={displayName(email, 254)}
            about={`as ${role}, for another ${span(Date.parse(expiresAt) - nowMs)}`}
          >
            <Form
              id={`end-${id.slice(0, 12)}`}
              action={context.link(path)}
              token={context.token}
              hidden={{ invitation: id }}
              label={`Take the invitation of ${displayName(email, 254)} back`}
            >
              <Button id={`end-${id.slice(0, 12)}-button`} kind="plain">
                Take back
              </Button>
            </Form>
          </ListItem>
        ))}
      </ul>
      <MoreLink
        context={context}
        path={path}
        query={next === undefined ? undefined : { invited: next }}
        text="More invitations"
        id="more-invited"
      />
    </section>
  )
}

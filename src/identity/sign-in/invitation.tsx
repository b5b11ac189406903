// An invitation to a tenant: a new person chooses a name and a password; somebody who is signed in with the invited
// address just joins. Both go on to the portal, members to their account, for the portal has nothing for them.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writesAs } from '../../directory/actor.js'
import { acceptInvitation } from '../../users/accounts/accept-link.js'
import type { OneTimeLink } from '../../users/accounts/one-time-links.js'
import { findUser, findUserByEmail } from '../../users/accounts/users.js'
import { emailKey } from '../../users/mail/email.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import type { Browser } from '../../web/browser.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { originOf } from '../../web/origin.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { finishSignIn } from './finish.js'
import { InvitationPage, type InvitationView } from './invitation-page.js'
import { requireLink, useOrShow } from './link-pages.js'
import { accountPurpose } from './purpose.js'

/** Registers /invitation/<link>. */
export function registerInvitation(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path: '/invitation/:link',
    routeId: 'invitation',
    get: async (request, reply, browser) => {
      const { secret, link } = await requireLink(deps, request, 'invitation')
      if (link.tenantId !== undefined) await browser.wear?.({ tenantId: link.tenantId })
      return render(deps, reply, browser, await viewOf(deps, browser, secret, link))
    },
    post: async (request, reply, browser) => take(deps, request, reply, browser),
  })
}

type View = Omit<InvitationView, 'token' | 'passwordLength'>

async function take(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  const { secret, link } = await requireLink(deps, request, 'invitation')
  if (link.tenantId !== undefined) await browser.wear?.({ tenantId: link.tenantId })
  const fields = checkForm(deps, request, browser, `invitation:${secret}`)
  const view = await viewOf(deps, browser, secret, link)
  const member = view.who === 'signed-in' ? browser.session : undefined
  const name = fields.get('name') ?? ''
  const actor =
    member === undefined ? ({ kind: 'system' } as const) : ({ kind: 'user', userId: member.userId } as const)
  const acting = writesAs(deps.users, originOf(request, actor))
  const as = member === undefined ? { name, password: fields.get('password') ?? '' } : { userId: member.userId }
  const result = await useOrShow(
    'invitation',
    () => acceptInvitation(acting, secret, as),
    (problem) => render(deps, reply, browser, { ...view, name, problem }),
  )
  if ('shown' in result) return result.shown
  const next = isAtLeast(view.role, 'developer') ? '/portal' : '/account'
  // Somebody who has other tenants too sees the one that they just joined.
  const there = link.tenantId === undefined ? next : `${next}?tenant=${encodeURIComponent(link.tenantId)}`
  if (member !== undefined) return reply.redirect(next === '/portal' ? there : next, 303)
  const { userId } = result.done
  await finishSignIn(deps, request, reply, {
    userId,
    proof: 'password',
    way: 'password',
    purpose: { ...accountPurpose, next },
  })
  return reply
}

/** Whether the person is here, has an account already, or is new: the page says what is to be done. */
async function viewOf(deps: IdentityDependencies, browser: Browser, secret: string, link: OneTimeLink): Promise<View> {
  const email = link.email ?? ''
  const tenant = link.tenantId === undefined ? undefined : await deps.directory.findTenant(link.tenantId)
  const { reader } = deps.store
  const user = browser.session === undefined ? undefined : await findUser(reader, browser.session.userId)
  const isInvited = user !== undefined && emailKey(user.email) === emailKey(email)
  const hasAccount = !isInvited && (await findUserByEmail(reader, email)) !== undefined
  return {
    secret,
    email,
    tenant: tenant?.name ?? '',
    role: link.role ?? 'member',
    who: isInvited ? 'signed-in' : hasAccount ? 'has-account' : 'new',
    name: '',
  }
}

function render(deps: IdentityDependencies, reply: FastifyReply, browser: Browser, view: View): FastifyReply {
  const token = formToken(deps, browser, `invitation:${view.secret}`)
  const page = <InvitationPage {...view} token={token} passwordLength={deps.settings.signIn.passwordLength} />
  return sendPage(reply, view.problem === undefined ? 200 : 400, page, { script: true })
}

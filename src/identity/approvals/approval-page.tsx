// GET and POST /account/approvals/{id}: a person looks at a call that an agent wants to make for them, and allows this one
// or refuses it (decision 157). Only the form of this page decides, sent by that person's browser: no token of a client
// is read here.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { decideApproval } from '../../approvals/decision.js'
import { checkForm, formToken } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { sendPage } from '../../web/pages/send-page.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type Person, shown, taken } from '../sign-in/signed-in.js'
import { readApprovalQuestion, stillMayDecide } from './approval-question.js'
import { ApprovalView, DecidedView } from './approval-views.js'

/** Registers the page. */
export function registerApprovalPage(scope: FastifyInstance, deps: IdentityDependencies): void {
  registerPage(scope, deps, {
    path: '/account/approvals/:approval',
    routeId: 'account-approval',
    get: shown(deps, async (request, reply, person) => show(deps, request, reply, person)),
    post: taken(deps, async (request, reply, person) => decide(deps, request, reply, person)),
  })
}

async function show(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
): Promise<FastifyReply> {
  const at = addressOf(request)
  const question = await readApprovalQuestion(deps, person, at)
  const { approval, asker } = question
  if (approval.state !== 'pending' || approval.call === undefined || asker === undefined) {
    return sendPage(reply, 200, <DecidedView approval={approval} user={person.user} />, { forms: false })
  }
  const token = formToken(deps, person.browser, scopeOf(at.id))
  const { resource, target } = approval.call
  const address = target === undefined ? resource : deps.settings.server.baseUrl + target
  const server = { name: deps.settings.catalogue.resources.get(resource)?.name ?? '', address }
  const page = (
    <ApprovalView
      action={at.path}
      token={token}
      user={person.user}
      asker={asker}
      server={server}
      call={approval.call}
      expiresAt={approval.expiresAt}
    />
  )
  return sendPage(reply, 200, page)
}

async function decide(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
): Promise<FastifyReply> {
  const at = addressOf(request)
  const decision = checkForm(deps, request, person.browser, scopeOf(at.id)).get('decision')
  const question = await readApprovalQuestion(deps, person, at)
  const to = decision === 'allow' ? 'allowed' : decision === 'refuse' ? 'refused' : undefined
  if (to !== undefined && question.approval.state === 'pending') {
    const { userId } = person.user
    const stillMay = (tx: Parameters<typeof stillMayDecide>[1]) => stillMayDecide(deps, tx, question)
    const isDecided = await decideApproval(person.acting, deps, { id: at.id, userId, to, stillMay })
    if (isDecided) deps.metrics.mcpApprovals.inc({ outcome: to })
  }
  // What became of it is read there, also where another tab was faster.
  return reply.redirect(at.path, 303)
}

function addressOf(request: FastifyRequest): { id: string; path: string } {
  const { approval: id } = request.params as { approval: string }
  return { id, path: `/account/approvals/${encodeURIComponent(id)}` }
}

function scopeOf(id: string): string {
  return `approval:${id}`
}

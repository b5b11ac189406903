// /portal/registration-tokens/{id}/end: ends a token, after a question.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import type { ClientAnswer } from '../../management/applications/client-schemas.js'
import { consequenceLines } from '../../management/stopping/consequence-words.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { readConsequences } from '../acts/consequences.js'
import { sendQuestion } from '../acts/question.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import { dateTime } from '../dates.js'
import type { PortalDependencies } from '../dependencies.js'
import { doneLink } from '../done-notice.js'
import { type Token, tokensPath } from './token-table.js'

/** Registers it. */
export function registerEndToken(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${tokensPath}/:tokenId/end`,
    routeId: 'portal-registration-token-end',
    get: getPage(deps, async (request, reply, context) => {
      const { id, label, expiresAt } = await readToken(request, context)
      const hanging = await readConsequences(context, `/registrationTokens/${id}/consequences`)
      return sendQuestion(reply, context, {
        activePath: tokensPath,
        question: `End the token for ${displayName(label)}?`,
        eyebrow: <a href={context.link(tokensPath)}>Registration tokens</a>,
        what: <p>Nothing more can be registered with it. What was registered with it stays and goes on working.</p>,
        counts: [
          ...(hanging === undefined ? [] : consequenceLines(hanging)),
          ['It would end by itself', dateTime(Date.parse(expiresAt))],
        ],
        button: 'End the token',
        path: `${tokensPath}/${id}/end`,
        back: tokensPath,
      })
    }),
    post: postForm(deps, async (request, reply, context) => {
      const { id } = await readToken(request, context)
      await context.api('DELETE', `/registrationTokens/${id}`)
      return reply.redirect(doneLink(context, tokensPath, 'ended'), 303)
    }),
  })
}

async function readToken(request: FastifyRequest, context: PortalContext): Promise<Token> {
  const { tokenId } = request.params as { tokenId: string }
  const { value } = await context.api<ClientAnswer<'registrationTokens'>>('GET', '/registrationTokens')
  const found = value.find(({ id }) => id === tokenId)
  if (found === undefined) throw new ApiError(404, 'TokenNotFound', 'There is no such registration token.')
  return found
}

// Deleting an API of the tenant: what hangs on it in numbers; while something does, what has to go first.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { VNode } from 'preact'
import type { ApiConsequences } from '../../../management/api-catalogue/api-consequences.js'
import type { ApiAnswer } from '../../../management/permissions/apis.js'
import { registerPage } from '../../../web/page-routes.js'
import { displayName } from '../../../web/pages/display-name.js'
import { Button, Facts, Notice } from '../../../web/pages/elements.js'
import { Form } from '../../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../../web/pages/problem.js'
import { CancelLink } from '../../cancel-link.js'
import { getPage, type PortalContext, postForm } from '../../context.js'
import type { PortalDependencies } from '../../dependencies.js'
import { doneLink } from '../../done-notice.js'
import { formProblem } from '../../form-problem.js'
import { sendFramed } from '../../frame.js'
import { cataloguePath, ownApiPath, ownApisPath } from '../paths.js'
import { ownApiOfPage } from './api-page.js'
import { useText } from './permission-table.js'

/** `GET` and `POST /portal/apis/own/{ownApiId}/delete`. */
export function registerDeleteApi(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: `${ownApisPath}/:ownApiId/delete`,
    routeId: 'portal-own-api-delete',
    get: getPage(deps, async (request, reply, context) => show(reply, context, await ownApiOfPage(request, context))),
    post: postForm(deps, async (request, reply, context) => {
      const api = await ownApiOfPage(request, context)
      try {
        await context.api('DELETE', `/apis/${api.apiId}`)
      } catch (error) {
        return show(reply, context, api, formProblem(error))
      }
      return reply.redirect(doneLink(context, ownApisPath, 'deleted'), 303)
    }),
  })
}

async function show(
  reply: FastifyReply,
  context: PortalContext,
  api: ApiAnswer,
  refused?: { problem: Problem; status: number },
): Promise<FastifyReply> {
  const use = await context.api<ApiConsequences>('GET', `/apis/${api.apiId}/consequences`)
  const name = displayName(api.name, 80)
  return sendFramed(reply, context, {
    title: `Delete ${name}?`,
    activePath: cataloguePath,
    eyebrow: <a href={context.link(ownApiPath(api.apiId))}>{name}</a>,
    status: refused?.status,
    children: (
      <section class="card" aria-label="What happens">
        <ProblemNotice problem={refused?.problem.message} />
        <p>
          Its identifier and its permissions go for good, and no token is issued for it any more. Tokens that are out
          are accepted by the service until they end.
        </p>
        <Numbers use={use} />
        {use.mayGo ? (
          <Form id="delete-form" action={context.address} token={context.token}>
            <div class="buttons">
              <Button id="delete" kind="danger">
                Delete for good
              </Button>
              <CancelLink context={context} to={ownApiPath(api.apiId)} />
            </div>
          </Form>
        ) : (
          <Notice id="in-use">
            <p>
              Applications have its permissions. Remove them there first, under API permissions: their tokens then end
              at once, and nobody is surprised here.
            </p>
          </Notice>
        )}
      </section>
    ),
  })
}

function Numbers({ use }: { use: ApiConsequences }): VNode {
  return (
    <Facts
      id="consequences"
      rows={[
        ['Applications', use.applications === 0 ? 'none' : String(use.applications)],
        ...use.permissions.map((one) => [one.id, useText(one)] as const),
      ]}
    />
  )
}

// /portal/tools: which tools of MCP servers agents may call for people of the tenant, and what a call needs besides its
// permission (decision 156). Everybody in it sees that; its administrators change it.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { entityTag } from '../../management/answers/entity-tag.js'
import type { ToolRuleAnswer } from '../../management/tools/tool-rule-schemas.js'
import { isAdministrator } from '../../users/memberships/roles.js'
import type { FormFields } from '../../web/form-token.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice } from '../../web/pages/problem.js'
import { getPage, type PortalContext, postForm } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { Done, doneLink } from '../done-notice.js'
import { EmptyState } from '../empty-state.js'
import { formProblem } from '../form-problem.js'
import { sendFramed } from '../frame.js'
import { ServerRules, toolRuleChoices } from './rules-table.js'

const path = '/portal/tools'
type Rule = ToolRuleAnswer['value'][number]['rule']

/** Registers it. */
export function registerToolRules(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path,
    routeId: 'portal-tools',
    get: getPage(deps, async (_request, reply, context) => show(reply, context, await read(context))),
    post: postForm(deps, async (_request, reply, context, form) => {
      const before = await read(context)
      const changed = changesOf(before, form)
      if (changed.length > 0) {
        try {
          await context.api('PATCH', rulesApi(context), { rules: changed }, { 'if-match': form.get('seen') ?? '' })
        } catch (error) {
          const refused = formProblem(error)
          return show(reply, context, before, refused)
        }
      }
      return reply.redirect(doneLink(context, path, 'changed'), 303)
    }),
  })
}

function rulesApi({ currentTenant }: PortalContext): string {
  return `/tenants/${currentTenant.tenantId}/toolRules`
}

const read = (context: PortalContext) => context.api<ToolRuleAnswer>('GET', rulesApi(context))

/** By the place in the list that was shown: another list has another tag, and then nothing is changed. */
function changesOf({ value }: ToolRuleAnswer, form: FormFields): { route: string; tool: string; rule: Rule }[] {
  return value.flatMap(({ route, tool, rule: before }, at) => {
    const rule = toolRuleChoices.find(([name]) => name === form.get(`rule-${at}`))?.[0]
    return rule === undefined || rule === before ? [] : [{ route, tool, rule }]
  })
}

function show(
  reply: FastifyReply,
  context: PortalContext,
  answer: ToolRuleAnswer,
  refused?: { problem: Problem; status: number },
): FastifyReply {
  const { name, role } = context.currentTenant
  const lines = answer.value.map((line, at) => ({ line, at }))
  const mayChange = isAdministrator(role)
  const servers = [...new Set(answer.value.map(({ route }) => route))].map((route, at) => (
    <ServerRules
      key={route}
      id={`server-${at}`}
      route={route}
      lines={lines.filter(({ line }) => line.route === route)}
      mayChange={mayChange}
    />
  ))
  return sendFramed(reply, context, {
    title: 'Tool rules',
    activePath: path,
    intro: `What agents may call for people of ${displayName(name)}, besides the permission that each tool needs. Changes apply from the next call.`,
    status: refused?.status,
    children: (
      <>
        <Done context={context} texts={{ changed: 'Saved. The rules apply from the next call.' }} />
        <ProblemNotice problem={refused?.problem.message} />
        {servers.length === 0 ? (
          <EmptyState id="no-tools" title="No MCP server stands behind the gate">
            <p>Operators name the tools of a server in the configuration. Then each of them is here.</p>
          </EmptyState>
        ) : mayChange ? (
          <Form id="rules-form" action={context.address} token={context.token} hidden={{ seen: entityTag(answer) }}>
            {servers}
            <Button id="save">Save</Button>
          </Form>
        ) : (
          servers
        )}
      </>
    ),
  })
}

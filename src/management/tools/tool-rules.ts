// What a tenant says of single tools of MCP servers (decision 156): whether its people's agents may call them.

import type { FastifyInstance } from 'fastify'
import type { Settings } from '../../config/settings/settings.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { requireTenant } from '../../directory/tenants/tenants.js'
import { changeToolRules } from '../../directory/tools/tool-rule-changes.js'
import { readToolRules } from '../../directory/tools/tool-rules.js'
import { write } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { readTenant } from '../../storage/sql/registrations/tenants.js'
import type { Statements } from '../../storage/sql/store.js'
import { callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { sendTagged, unlessChanged } from '../answers/entity-tag.js'
import type { ManagementDependencies } from '../dependencies.js'
import { requireOwnTenant } from '../people/tenant-of-path.js'
import { type ToolRuleAnswer, type ToolRuleBody, toolRuleAnswer, toolRuleBody } from './tool-rule-schemas.js'

type WithId = { Params: { id: string } }
type Line = ToolRuleAnswer['value'][number]

/** `GET|PATCH /tenants/{id}/toolRules`. */
export function toolRuleRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const url = '/tenants/:id/toolRules'
  const response = { 200: toolRuleAnswer }
  const answer = (statements: Statements, tenantId: string) => answerOf(deps.settings, statements, tenantId)
  app.get<WithId>(url, { config: requires('Tenant.Read.All'), schema: { response } }, async (request, reply) => {
    const tenantId = requireOwnTenant(callerOf(request), request.params.id)
    return sendTagged(request, reply, await answer(deps.store.reader, tenantId))
  })
  app.patch<WithId & { Body: ToolRuleBody }>(
    url,
    { config: requires('Tenant.ReadWrite.All'), schema: { body: toolRuleBody, response } },
    async (request, reply) => {
      const tenantId = requireOwnTenant(callerOf(request), request.params.id)
      const writes = unlessChanged(writesOf(deps, request), request, (tx) => answer(tx, tenantId))
      const { rules } = request.body
      await write(writes, async (writing) => {
        await requireTenant(writing, tenantId)
        checkNamed(rules, (await answer(writing.tx, tenantId)).value)
        await changeToolRules(writes, tenantId, rules, writing)
      })
      return sendTagged(request, reply, await answer(deps.store.reader, tenantId))
    },
  )
}

/** A rule for a tool that is misspelt would guard nothing; what says nothing can be said of anything. */
function checkNamed(rules: ToolRuleBody['rules'], known: readonly Line[]): void {
  const unknown = rules.find(
    ({ route, tool, rule }) => rule !== 'allowed' && !known.some((one) => one.route === route && one.tool === tool),
  )
  if (unknown === undefined) return
  const message = 'The configuration names no such tool: GET this address for those that it names.'
  throw new ApiError(400, 'UnknownTool', message, { target: 'rules' })
}

async function answerOf(
  { routes }: Pick<Settings, 'routes'>,
  statements: Statements,
  tenantId: string,
): Promise<ToolRuleAnswer> {
  const [tenant, said] = await Promise.all([readTenant(statements, tenantId), readToolRules(statements, tenantId)])
  if (tenant === undefined) throw new DirectoryRefusal('TenantNotFound', 'There is no such tenant.')
  const value = routes.flatMap(({ id: route, mcp, resource }): Line[] =>
    [...(mcp?.tools ?? [])].map(([tool, { needs, rule: floor = 'allowed' }]) => ({
      route,
      tool,
      needs: needs.anyOf.map((all) => [...all]),
      resource,
      rule: said.of(route, tool),
      floor,
    })),
  )
  const named = new Set(value.map(({ route, tool }) => `${route}\n${tool}`))
  const gone = said.all.filter(({ route, tool }) => !named.has(`${route}\n${tool}`))
  const left = gone.map((one): Line => ({ ...one, needs: [], resource: '', floor: 'allowed' }))
  return { tenantId: tenant.id, value: [...value, ...left] }
}

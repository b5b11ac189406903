// Tools behind the gate whose definition changed since it was approved: which there are, what changed, and approving it.

import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { definitionDifference } from '../../mcp/definition-difference.js'
import type { ToolDefinitionRow } from '../../storage/sql/tool-definitions/tool-definitions.js'
import { approveToolChange, listToolChanges, readToolChange } from '../../tool-definitions/tool-changes.js'
import { requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import type { StillGoodDependencies } from '../access/still-good.js'
import { iso } from '../answers/times.js'
import type { ManagementDependencies } from '../dependencies.js'

const strict = { additionalProperties: false }
const facts = {
  id: Type.String(),
  /** The id of the route. */
  route: Type.String(),
  tool: Type.String(),
  /** Whether it is out of use until somebody approves it. */
  held: Type.Boolean(),
  changedAt: Type.String({ format: 'date-time' }),
  /** SHA-256 of the definition that waits, base64url: what is approved. */
  digest: Type.String(),
  approvedDigest: Type.String(),
  approvedAt: Type.String({ format: 'date-time' }),
  /** A person or application by id, or `operator`; null: it was the first one that was seen. */
  approvedBy: Type.Union([Type.String(), Type.Null()]),
}
const change = Type.Object({
  ...facts,
  /** Line by line, in words of the server; null: one of both is too large to be kept. */
  difference: Type.Union([
    Type.Array(Type.Object({ kind: Type.Enum(['same', 'removed', 'added']), text: Type.String() })),
    Type.Null(),
  ]),
})
const changes = Type.Object({ value: Type.Array(Type.Object(facts)) })
const approval = Type.Object({ digest: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) }, strict)
const approved = Type.Object({ route: Type.String(), tool: Type.String(), digest: Type.String() })

export type ToolChangesAnswer = Static<typeof changes>
export type ToolChangeAnswer = Static<typeof change>
export type ToolApprovedAnswer = Static<typeof approved>

type Deps = StillGoodDependencies & Pick<ManagementDependencies, 'store'>
type State = Omit<ToolDefinitionRow, 'approved_text' | 'pending_text'> & { pending_digest: string; pending_at: number }

/** `GET /toolChanges`, `GET /toolChanges/{id}`, `POST /toolChanges/{id}/approve`. */
export function toolChangeRoutes(app: FastifyInstance, deps: Deps): void {
  const { store, settings } = deps
  app.get(
    '/toolChanges',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: changes } } },
    async () => {
      const rows = await listToolChanges(store.reader, (route, tool) => pinsOf(settings, route, tool) !== undefined)
      return { value: rows.map((row) => factsOf(row, settings)) }
    },
  )
  app.get<{ Params: { id: string } }>(
    '/toolChanges/:id',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: change } } },
    async (request) => {
      const row = await readToolChange(store.reader, request.params.id)
      const { approved_text: before, pending_text: after } = row
      const difference = before === null || after === null ? null : definitionDifference(before, after)
      return { ...factsOf(row, settings), difference }
    },
  )
  app.post<{ Params: { id: string }; Body: Static<typeof approval> }>(
    '/toolChanges/:id/approve',
    {
      config: requires('Server.ReadWrite', 'operator'),
      schema: { body: approval, response: { 200: approved } },
    },
    async (request) => {
      const { id } = request.params
      const { digest } = request.body
      const { route, tool } = await approveToolChange(writesOf(deps, request), { id, digest })
      return { route, tool, digest }
    },
  )
}

function factsOf(row: State, settings: Deps['settings']): ToolChangesAnswer['value'][number] {
  const { id, route, tool } = row
  return {
    id,
    route,
    tool,
    held: pinsOf(settings, route, tool) === 'hold',
    changedAt: iso(Number(row.pending_at)),
    digest: row.pending_digest,
    approvedDigest: row.approved_digest,
    approvedAt: iso(Number(row.approved_at)),
    approvedBy: row.approved_by === '' ? null : row.approved_by,
  }
}

/** What the configuration says of changes of a tool; undefined: it does not look at them, or names no such tool. */
function pinsOf({ routes }: Deps['settings'], route: string, tool: string): 'report' | 'hold' | undefined {
  const mcp = routes.find(({ id }) => id === route)?.mcp
  return mcp?.tools.has(tool) === true ? mcp.pins : undefined
}

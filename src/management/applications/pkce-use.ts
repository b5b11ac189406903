// Whether an application's sign-ins come with PKCE: `GET /applications/{id}/pkceUse`. When all of thirty days did, it
// is suggested to require it, which is `PATCH /applications/{id}` like any other change (contract §8, decision 100).

import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import { type PkceUseOfDay, pkceCountedSince, readPkceUsage } from '../../storage/sql/registrations/pkce/pkce-uses.js'
import { callerOf, requires } from '../access/access.js'
import { ownApplicationId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'

const count = Type.Integer()
const pkceUse = Type.Object({
  applicationId: Type.String(),
  /** Requests without PKCE are refused: `requirePkce`. */
  required: Type.Boolean(),
  /** The days that were looked at, in UTC and both included: the last thirty. */
  from: Type.String(),
  to: Type.String(),
  /** Nothing before this was counted. */
  countedSince: Type.String(),
  /** Authorization requests that got a code. */
  withPkce: count,
  withoutPkce: count,
  lastWithoutAt: Type.Union([Type.String(), Type.Null()]),
  /** It is not required, and every request of all these days had it. */
  suggested: Type.Boolean(),
  /** A line for each day with requests. */
  value: Type.Array(Type.Object({ day: Type.String(), withPkce: count, withoutPkce: count })),
})
export type PkceUseAnswer = Static<typeof pkceUse>

const dayMs = 86_400_000
const days = 30

/** Registers it. Callers that may see the application may see this; the figures are of all tenants together. */
export function pkceUseRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Params: { id: string } }>(
    '/applications/:id/pkceUse',
    { config: requires('Application.Read.All'), schema: { response: { 200: pkceUse } } },
    async (request) => {
      const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
      return pkceUseAnswer(deps, applicationId)
    },
  )
}

async function pkceUseAnswer(
  { store, writes }: Pick<ManagementDependencies, 'store' | 'writes'>,
  applicationId: string,
): Promise<PkceUseAnswer> {
  const today = Math.floor(writes.now() / dayMs)
  const from = today - days + 1
  const { record, uses, countedSince } = await store.snapshot(async (tx) => ({
    record: (await readApplications(tx, 'id', applicationId))[0],
    uses: await readPkceUsage(tx, applicationId, from),
    countedSince: await pkceCountedSince(tx),
  }))
  if (record === undefined) throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
  const { type, require_pkce, created_at } = record.application
  const required = type === 'native' || Number(require_pkce) !== 0
  // An application that is younger than the counting was counted from its beginning.
  const isWhole = countedSince <= Math.max(from * dayMs, Number(created_at))
  const { withPkce, withoutPkce, lastWithoutMs } = addedUp(uses)
  return {
    applicationId,
    required,
    from: dayText(from),
    to: dayText(today),
    countedSince: new Date(countedSince).toISOString(),
    withPkce,
    withoutPkce,
    lastWithoutAt: lastWithoutMs === 0 ? null : new Date(lastWithoutMs).toISOString(),
    suggested: !required && isWhole && withPkce > 0 && withoutPkce === 0,
    value: uses.map((use) => ({
      day: dayText(use.day),
      withPkce: use.with_challenge,
      withoutPkce: use.without_challenge,
    })),
  }
}

function addedUp(uses: readonly PkceUseOfDay[]) {
  const sum = (pick: (use: PkceUseOfDay) => number) => uses.reduce((total, use) => total + pick(use), 0)
  return {
    withPkce: sum((use) => use.with_challenge),
    withoutPkce: sum((use) => use.without_challenge),
    lastWithoutMs: Math.max(0, ...uses.map((use) => use.last_without_at)),
  }
}

function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

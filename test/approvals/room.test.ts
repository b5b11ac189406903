// How many calls may wait for approval: one agent that many people use takes no room of other agents in the tenant.

import { randomUUID } from 'node:crypto'
import t from 'tap'
import { createCallApprovals } from '../../src/approvals/call-approvals.js'
import { decideApproval } from '../../src/approvals/decision.js'
import { writesAs } from '../../src/directory/actor.js'
import { findCallApproval, insertCallApproval } from '../../src/storage/sql/grants/call-approvals.js'
import { insertGrant } from '../../src/storage/sql/grants/grants.js'
import { openIdentity } from '../support/rooms/identity.js'

const waitingMs = 10 * 60_000

async function open(t: Parameters<typeof openIdentity>[0]) {
  const app = await openIdentity(t)
  const { deps } = app
  const approvals = createCallApprovals({ ...deps, count: () => {} })
  let made = 0
  /** A call that nobody made before, for a person who has made none. */
  const call = async (of: { applicationId: string; tenantId: string; userId?: string }) => {
    const { userId = randomUUID(), ...whose } = of
    const grantId = randomUUID()
    await deps.store.transaction((tx) =>
      insertGrant(tx, {
        ...{ id: grantId, origin: 'code', user_id: userId, application_id: of.applicationId, tenant_id: of.tenantId },
        ...{ resource: 'r', permissions: '', openid_scopes: '', client_identifier: '', authentication: '{}' },
        ...{ state: 'active', created_at: 0, ended_at: null, refresh_sequence: 0, idle_expires_at: 0, expires_at: 0 },
      }),
    )
    made += 1
    const answer = await approvals.request(
      {
        ...{ ...whose, userId, grantId, resource: 'https://desk.test/mcp', operation: '/desk/mcp tools/call:close' },
        ...{ tool: 'close', arguments: `{"id":${made}}` },
      },
      { requestId: 'r', address: '192.0.2.1' },
    )
    return { kind: answer.kind, id: answer.kind === 'waiting' ? answer.id : '', userId }
  }
  /** So many more calls like one that waits, each of another person. */
  const crowd = (id: string, more: number) =>
    deps.store.transaction(async (tx) => {
      const row = await findCallApproval(tx, { id })
      if (row === undefined) throw new Error('no call waits')
      for (let i = 0; i < more; i += 1) {
        await insertCallApproval(tx, { ...row, id: randomUUID(), call_key: randomUUID(), user_id: randomUUID() })
      }
    })
  const decide = ({ id, userId }: { id: string; userId: string }, to: 'allowed' | 'refused') => {
    const acting = writesAs(deps.writes, { actor: { kind: 'user', userId } })
    return decideApproval(acting, deps, { id, userId, to, stillMay: async () => true })
  }
  return { app, call, crowd, decide }
}

t.test(
  'G9 500 calls of one agent wait in a tenant, and no more; other agents and tenants have their own',
  async (t) => {
    const { app, call, crowd, decide } = await open(t)
    const agent = { applicationId: randomUUID(), tenantId: randomUUID() }
    const waiting = [await call(agent), await call(agent)]
    t.ok(waiting.every(({ kind }) => kind === 'waiting'))
    await crowd(waiting[0]?.id ?? '', 497)
    app.clock.nowMs += waitingMs / 2
    const last = await call(agent)
    t.equal(last.kind, 'waiting', 'the last that fits')
    t.equal((await call(agent)).kind, 'full', 'also for a person for whom nothing waits')

    const other = { ...agent, applicationId: randomUUID() }
    t.equal((await call(other)).kind, 'waiting', 'another agent of the tenant')
    t.equal((await call({ ...agent, tenantId: randomUUID() })).kind, 'waiting', 'the same agent in another tenant')

    for (const to of ['allowed', 'refused'] as const) {
      const [one = last] = waiting.splice(0, 1)
      t.equal(await decide(one, to), true)
      t.equal((await call(agent)).kind, 'waiting', `what was ${to} makes room`)
      t.equal((await call(agent)).kind, 'full', 'for one')
    }

    app.clock.nowMs += waitingMs / 2
    for (let i = 0; i < 10; i += 1) t.equal((await call(agent)).kind, 'waiting', 'what is over makes room')
  },
)

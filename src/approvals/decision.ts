// The person's side of approvals: what waits for them, and their decision, which is made once.

import type { DirectoryWrites } from '../directory/writes.js'
import { write } from '../directory/writes.js'
import { appendAudit } from '../ledger/append-audit.js'
import { type CallApprovalRow, findCallApproval, moveCallApproval } from '../storage/sql/grants/call-approvals.js'
import { readGrant } from '../storage/sql/grants/grants.js'
import type { Statements } from '../storage/sql/store.js'
import { argumentsDigest, type CallText } from './call.js'
import { unsealCall } from './sealed-call.js'

/** A request as its person sees it. */
export interface Approval {
  id: string
  /** `over`: its time has come, or what it rests on was withdrawn. */
  state: 'pending' | 'allowed' | 'refused' | 'used' | 'over'
  tenantId: string
  applicationId: string
  operation: string
  /** Epoch milliseconds: until when it can be decided, or the call be made. */
  expiresAt: number
  /** While it waits. */
  call: CallText | undefined
}

export interface ApprovalReader {
  /** Keys derived from the master keys for one purpose, newest first. */
  derive: (purpose: string) => readonly Uint8Array[]
  /** Epoch milliseconds. */
  now: () => number
}

/** How long the call can be made once it was allowed, and how long a refusal is remembered. */
export const decidedMs = 5 * 60_000

/** The request with this id, if it is for this person; else as if there were none. Throws StoreUnavailable. */
export async function findApproval(
  deps: ApprovalReader,
  statements: Statements,
  { id, userId }: { id: string; userId: string },
): Promise<Approval | undefined> {
  const row = await findCallApproval(statements, { id })
  if (row === undefined || row.user_id !== userId) return undefined
  const call = row.state === 'pending' ? unsealCall(deps.derive('call-approval-text'), id, row.body) : undefined
  return {
    id,
    state: await stateOf(deps, statements, row, call),
    tenantId: row.tenant_id,
    applicationId: row.application_id,
    operation: row.operation,
    expiresAt: Number(row.expires_at),
    call,
  }
}

async function stateOf(
  { now }: ApprovalReader,
  statements: Statements,
  row: CallApprovalRow,
  call: CallText | undefined,
): Promise<Approval['state']> {
  const { state, grant_id, expires_at } = row
  if (state === 'used' || state === 'refused') return state
  const isAlive = Number(expires_at) > now() && (await readGrant(statements, grant_id))?.state === 'active'
  if (!isAlive || (state === 'pending' && call === undefined)) return 'over'
  return state === 'allowed' ? 'allowed' : 'pending'
}

/**
 * Decides it; false: it was decided already, its time is over, or `stillMay` says no in the same transaction. `acting`
 * is the person. Throws StoreUnavailable.
 */
export async function decideApproval(
  acting: DirectoryWrites,
  deps: ApprovalReader,
  decision: {
    id: string
    userId: string
    to: 'allowed' | 'refused'
    stillMay: (tx: Statements) => Promise<boolean>
  },
): Promise<boolean> {
  const { id, userId, to, stillMay } = decision
  return write(acting, async ({ tx, nowMs }) => {
    const approval = await findApproval(deps, tx, { id, userId })
    if (approval?.state !== 'pending' || approval.call === undefined || !(await stillMay(tx))) return false
    if (!(await moveCallApproval(tx, id, { to, nowMs, expiresAt: nowMs + decidedMs }))) return false
    const { tenantId, applicationId, operation, call } = approval
    const details = { approval: id, operation, tool: call.tool, arguments: argumentsDigest(call) }
    await appendAudit(acting, tx, { event: `approval.${to}`, tenantId, applicationId, userId, details })
    return true
  })
}

// The gate's side of approvals: a call that a person has to approve is looked up; one that was allowed is used up, and for
// any other a request waits for the person. Whether it was withdrawn meanwhile is read in the transaction that uses it.

import { randomBytes } from 'node:crypto'
import { writesAs } from '../directory/actor.js'
import { type DirectoryWrites, type Writing, write } from '../directory/writes.js'
import { appendAudit } from '../ledger/append-audit.js'
import {
  type CallApprovalRow,
  countWaitingApprovals,
  findCallApproval,
  insertCallApproval,
  moveCallApproval,
} from '../storage/sql/grants/call-approvals.js'
import { readGrant } from '../storage/sql/grants/grants.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { type ApprovableCall, argumentsDigest, callKey, isReadable } from './call.js'
import { sealCall } from './sealed-call.js'

/**
 * `used`: it may go on, this once. `waiting`: for the person, at the request with this id. `refused`: by them. `full`:
 * too much waits already. `too-long`: nobody could read it.
 */
export type ApprovalAnswer =
  | { kind: 'used' }
  | { kind: 'waiting'; id: string; isNew: boolean }
  | { kind: 'refused' | 'full' | 'too-long' | 'withdrawn' }

/** `again`: while it waits, or after it was refused. */
type Outcome = Exclude<ApprovalAnswer['kind'], 'waiting' | 'refused'> | 'requested' | 'again'

export interface CallApprovals {
  /** Throws StoreUnavailable. */
  request(call: ApprovableCall, from: { requestId: string; address: string }): Promise<ApprovalAnswer>
}

export interface CallApprovalDeps {
  store: Pick<Store, 'reader'>
  writes: DirectoryWrites
  /** Keys derived from the master keys for one purpose, newest first. */
  derive: (purpose: string) => readonly Uint8Array[]
  /** Epoch milliseconds. */
  now: () => number
  /** Counts what became of it. */
  count(outcome: Outcome): void
}

/** How long a person has to decide. */
const waitingMs = 10 * 60_000
/** Requests that wait: nobody, with however many agents, and no agent takes the room of the rest of the tenant. */
const most = { personAndApplication: 20, person: 100, application: 500, tenant: 1_000 } as const

/** Builds it. */
export function createCallApprovals(deps: CallApprovalDeps): CallApprovals {
  return {
    async request(call, from) {
      const answer = await answerTo(deps, call, from)
      deps.count(outcomeOf(answer))
      return answer
    },
  }
}

function outcomeOf(answer: ApprovalAnswer): Outcome {
  if (answer.kind === 'waiting') return answer.isNew ? 'requested' : 'again'
  return answer.kind === 'refused' ? 'again' : answer.kind
}

type From = Parameters<CallApprovals['request']>[1]

async function answerTo(deps: CallApprovalDeps, call: ApprovableCall, from: From): Promise<ApprovalAnswer> {
  if (!isReadable(call)) return { kind: 'too-long' }
  const [key] = deps.derive('call-approval')
  if (key === undefined) throw new Error('there is no key for approvals')
  const theirs = callKey(key, call)
  const found = await findCallApproval(deps.store.reader, { callKey: theirs })
  if (found !== undefined && Number(found.expires_at) > deps.now()) {
    if (found.state === 'refused') return { kind: 'refused' }
    if (found.state === 'pending') return { kind: 'waiting', id: found.id, isNew: false }
    const used = await use(deps, found, call, from)
    if (used !== undefined) return used
  }
  return file(deps, theirs, call, from)
}

/** Undefined: it was used meanwhile, or its time was over. */
async function use(
  deps: CallApprovalDeps,
  { id }: CallApprovalRow,
  call: ApprovableCall,
  from: From,
): Promise<ApprovalAnswer | undefined> {
  const acting = actingFor(deps, call, from)
  return write(acting, async ({ tx, nowMs }) => {
    if (!(await isGranted(tx, call))) return { kind: 'withdrawn' }
    if (!(await moveCallApproval(tx, id, { to: 'used', nowMs }))) return undefined
    await appendAudit(acting, tx, { event: 'approval.used', ...aboutOf(id, call) })
    return { kind: 'used' }
  })
}

async function file(deps: CallApprovalDeps, theirs: string, call: ApprovableCall, from: From): Promise<ApprovalAnswer> {
  // Who calls on and on while nothing more fits takes no turn of those who write.
  if (!(await hasRoom({ tx: deps.store.reader, nowMs: deps.now() }, call))) return { kind: 'full' }
  const acting = actingFor(deps, call, from)
  const answer = await write(acting, async (writing): Promise<ApprovalAnswer | undefined> => {
    const { tx } = writing
    if (!(await isGranted(tx, call))) return { kind: 'withdrawn' }
    if (!(await hasRoom(writing, call))) return { kind: 'full' }
    const id = randomBytes(24).toString('base64url')
    if (!(await insertCallApproval(tx, rowOf(deps, writing, { id, theirs, call })))) return undefined
    await appendAudit(acting, tx, { event: 'approval.requested', ...aboutOf(id, call) })
    return { kind: 'waiting', id, isNew: true }
  })
  if (answer !== undefined) return answer
  // Another instance was faster.
  const found = await findCallApproval(deps.store.reader, { callKey: theirs })
  return found === undefined || found.state === 'refused'
    ? { kind: 'refused' }
    : { kind: 'waiting', id: found.id, isNew: false }
}

function rowOf(
  { derive }: CallApprovalDeps,
  { nowMs }: Writing,
  { id, theirs, call }: { id: string; theirs: string; call: ApprovableCall },
): CallApprovalRow {
  return {
    id,
    call_key: theirs,
    state: 'pending',
    user_id: call.userId,
    tenant_id: call.tenantId,
    application_id: call.applicationId,
    grant_id: call.grantId,
    operation: call.operation,
    body: sealCall(derive('call-approval-text'), id, call),
    created_at: nowMs,
    expires_at: nowMs + waitingMs,
    decided_at: null,
  }
}

async function hasRoom(
  { tx, nowMs }: Pick<Writing, 'tx' | 'nowMs'>,
  { userId, applicationId, tenantId }: ApprovableCall,
): Promise<boolean> {
  return (
    (await countWaitingApprovals(tx, { userId, applicationId }, nowMs)) < most.personAndApplication &&
    (await countWaitingApprovals(tx, { userId }, nowMs)) < most.person &&
    (await countWaitingApprovals(tx, { tenantId, applicationId }, nowMs)) < most.application &&
    (await countWaitingApprovals(tx, { tenantId }, nowMs)) < most.tenant
  )
}

/** A token may be known longer than its grant stands. */
async function isGranted(tx: Statements, { grantId }: ApprovableCall): Promise<boolean> {
  return (await readGrant(tx, grantId))?.state === 'active'
}

function actingFor({ writes }: CallApprovalDeps, { applicationId }: ApprovableCall, from: From): DirectoryWrites {
  const { requestId, address } = from
  return writesAs(writes, { actor: { kind: 'application', applicationId }, requestId, address })
}

function aboutOf(id: string, call: ApprovableCall) {
  const { tenantId, applicationId, userId, operation, tool } = call
  const details = { approval: id, operation, tool, arguments: argumentsDigest(call) }
  return { tenantId, applicationId, userId, details }
}

// What people are shown of exchanges: which application got what for them, and on whose calls. New things are a row and
// a line in the ledger; what goes on is a time, written once a minute at most.

import type { FastifyRequest } from 'fastify'
import { appendAudit } from '../../../ledger/append-audit.js'
import { putTokenExchange, readTokenExchange } from '../../../storage/sql/consents/token-exchanges.js'
import { originOf } from '../../../web/origin.js'
import type { IdentityDependencies } from '../../dependencies.js'
import type { ExchangedPermissions } from './exchanged-permissions.js'
import type { Subject } from './subject.js'

const noteEveryMs = 60_000

/** Records it before it is answered; whether anything about it is new. Throws StoreUnavailable. */
export async function recordExchange(
  deps: Pick<IdentityDependencies, 'ledger' | 'now' | 'store'>,
  exchange: { applicationId: string; subject: Subject; granted: ExchangedPermissions },
  request: FastifyRequest,
): Promise<boolean> {
  const { applicationId, subject, granted } = exchange
  const { userId, tenantId, via } = subject
  const callers = via.map(({ client_id }) => client_id)
  const [caller_id = ''] = callers
  const { resource } = granted
  const key = { user_id: userId, tenant_id: tenantId, application_id: applicationId, caller_id, resource }
  const nowMs = deps.now()
  const before = await readTokenExchange(deps.store.reader, key)
  const newIn = (row: typeof before) => {
    const known = row?.permissions.split(' ') ?? []
    return { known, added: granted.permissions.filter((id) => !known.includes(id)) }
  }
  if (before !== undefined && newIn(before).added.length === 0 && nowMs < Number(before.last_at) + noteEveryMs)
    return false
  const origin = originOf(request, { kind: 'application', applicationId })
  return deps.store.transaction(async (tx) => {
    // As it is now: of two exchanges at once each adds what is new to the other's.
    const { known, added } = newIn(await readTokenExchange(tx, key))
    const permissions = [...known, ...added].join(' ')
    await putTokenExchange(tx, { ...key, permissions, first_at: nowMs, last_at: nowMs })
    if (added.length === 0) return false
    const about = { applicationId, tenantId, userId }
    const details = { resource, permissions: added, callers, grant: subject.grantId }
    await appendAudit({ ledger: deps.ledger, ...origin }, tx, { event: 'token.exchanged', ...about, details })
    return true
  })
}

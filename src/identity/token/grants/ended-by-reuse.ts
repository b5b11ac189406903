// A code or a refresh token that came a second time: somebody else may have it, so everything of its grant ends, in one
// transaction with the line in the ledger (RFC 9700 §4.14.2).

import { writesAs } from '../../../directory/actor.js'
import { appendAudit } from '../../../ledger/append-audit.js'
import { endGrants } from '../../../revocation/end-grants.js'
import { readGrant } from '../../../storage/sql/grants/grants.js'
import { originOf } from '../../../web/origin.js'
import type { IdentityDependencies } from '../../dependencies.js'
import type { TokenRequest } from './grant.js'

/** By grant: what came in fifty requests at once is ended by one of them, and the others wait for it. */
const underWay = new Map<string, Promise<void>>()

/** Ends the grant, once however often the token comes. Resolves when that is durable. Throws StoreUnavailable. */
export async function endReusedGrant(
  deps: IdentityDependencies,
  tokenRequest: TokenRequest,
  grantId: string,
  what: 'code' | 'refresh-token',
): Promise<void> {
  const ending = underWay.get(grantId) ?? end(deps, tokenRequest, grantId, what).finally(() => underWay.delete(grantId))
  underWay.set(grantId, ending)
  return ending
}

async function end(
  deps: IdentityDependencies,
  { client, request }: TokenRequest,
  grantId: string,
  what: 'code' | 'refresh-token',
): Promise<void> {
  const grant = await readGrant(deps.store.reader, grantId)
  if (grant?.state !== 'active') return
  const { applicationId } = client.registration
  const writes = writesAs(deps.writes, originOf(request, { kind: 'application', applicationId }))
  const nowMs = deps.now()
  await deps.feed.commit(async (tx, record) => {
    const ended = await endGrants(writes, { tx, record, nowMs }, { grantId }, `${what}-reused`)
    if (ended === 0) return
    await appendAudit(writes, tx, {
      event: 'grant.reuse-detected',
      applicationId,
      tenantId: grant.tenant_id,
      userId: grant.user_id,
      details: { grant: grantId, what },
    })
  })
}

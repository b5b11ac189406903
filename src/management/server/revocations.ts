// Revoking by token, credential, application or tenant (contract §7.1). 200 says that it is durable and that this
// instance refuses already; when that cannot be had the answer is 503 (V4).

import type { FastifyInstance } from 'fastify'
import { onlyIf } from '../../directory/actor.js'
import { removeFederatedCredential } from '../../directory/credentials/federated-credentials.js'
import { endSecret } from '../../directory/credentials/secrets.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { BearerError } from '../../oauth/errors/errors.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { revoke } from '../../revocation/revoke.js'
import { readSecret } from '../../storage/sql/registrations/application-secrets.js'
import { findFederatedCredential } from '../../storage/sql/registrations/federated-credentials.js'
import { readTenant } from '../../storage/sql/registrations/tenants.js'
import { verifyAccessToken } from '../../tokens/verify.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { installableApplicationId, ownApplicationId, owns } from '../access/ownership.js'
import { checkMayChange } from '../applications/change-request.js'
import type { ManagementDependencies } from '../dependencies.js'
import { checkMayGive } from '../people/people-rules.js'
import { requireOwnTenant } from '../people/tenant-of-path.js'
import { type Answer, answers, type Body, bodies } from '../schemas.js'

/** `POST /revocations`. */
export function revocationRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<{ Body: Body<'revoke'> }>(
    '/revocations',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: bodies.revoke, response: { 200: answers.revoked } },
    },
    async (request) =>
      revokeSubject(deps, { caller: callerOf(request), writes: writesOf(deps, request) }, request.body),
  )
}

/** Who revokes, and the writes in that name. */
interface Revoker {
  caller: Caller
  writes: DirectoryWrites
}

async function revokeSubject(
  deps: ManagementDependencies,
  by: Revoker,
  body: Body<'revoke'>,
): Promise<Answer<'revoked'>> {
  const { what, id, token } = body
  const { caller, writes } = by
  if (what === 'token' && token !== undefined && id === undefined) return revokeToken(deps, by, token)
  if (id === undefined || token !== undefined) {
    const message =
      what === 'token' ? 'Name the token by token or by id (its jti), not both.' : `Name the ${what} by id.`
    throw new ApiError(400, 'InvalidRequest', message, { target: 'id' })
  }
  switch (what) {
    case 'token':
      return revoke(writes, { what, id: requireJti(caller, id) })
    case 'credential':
      return revokeCredential(deps, by, id)
    case 'application': {
      const applicationId = await revocableApplicationId(deps.store, caller, id)
      return revoke(ofOwner(by, applicationId), { what, id: applicationId })
    }
    case 'tenant':
      return revoke(writes, { what, id: await requireTenantId(deps, caller, id) })
  }
}

/** Ending everything of an application is a change to it: what is written throws ApiError 403 for others. */
function ofOwner({ caller, writes }: Revoker, applicationId: string): DirectoryWrites {
  return onlyIf(writes, (tx) => checkMayChange({ tx, caller, applicationId }))
}

/**
 * Of the caller's own; over the local socket also the command line's, for the day on which all of its tokens have to
 * go.
 */
function revocableApplicationId(store: ManagementDependencies['store'], caller: Caller, id: string): Promise<string> {
  return caller.kind === 'local' ? installableApplicationId(store, caller, id) : ownApplicationId(store, caller, id)
}

/** Only a token that would be accepted can be revoked by its text; one that ended needs it no more. */
async function revokeToken(
  { settings, keyring }: ManagementDependencies,
  { caller, writes }: Revoker,
  token: string,
): Promise<Answer<'revoked'>> {
  try {
    const claims = verifyAccessToken(token, {
      keyring,
      issuer: settings.server.baseUrl,
      leewaySeconds: settings.tokens.leewaySeconds,
      nowMs: writes.now(),
    })
    if (!owns(caller, claims.tid)) throw noToken()
    return await revoke(writes, {
      what: 'token',
      id: claims.jti,
      tokenExpiresAt: claims.exp * 1000,
      about: { applicationId: claims.client_id, tenantId: claims.tid },
    })
  } catch (error) {
    if (!(error instanceof BearerError)) throw error
    throw noToken()
  }
}

function noToken(): ApiError {
  return new ApiError(400, 'InvalidToken', 'This is no valid token of ours, or it has ended.', { target: 'token' })
}

/** The secret, or the federated credential, ends too: otherwise its holder would simply get new tokens. */
async function revokeCredential(deps: ManagementDependencies, by: Revoker, keyId: string): Promise<Answer<'revoked'>> {
  if (keyId.startsWith('fed_')) return revokeFederated(deps, by, keyId)
  const { caller } = by
  const secret = await readSecret(deps.store.reader, keyId)
  const application = secret === undefined ? undefined : await deps.directory.findRegistration(secret.application_id)
  if (secret === undefined || application === undefined || !owns(caller, application.tenantId))
    throw new DirectoryRefusal('SecretNotFound', 'There is no such secret.', 'id')
  await endSecret(ofOwner(by, secret.application_id), { applicationId: secret.application_id, keyId })
  return { seq: deps.feed.seq }
}

async function revokeFederated(deps: ManagementDependencies, by: Revoker, id: string): Promise<Answer<'revoked'>> {
  const { caller } = by
  const row = await findFederatedCredential(deps.store.reader, id)
  const application = row === undefined ? undefined : await deps.directory.findRegistration(row.application_id)
  if (row === undefined || application === undefined || !owns(caller, application.tenantId))
    throw new DirectoryRefusal('FederatedCredentialNotFound', 'There is no such federated credential.', 'id')
  await removeFederatedCredential(ofOwner(by, row.application_id), { applicationId: row.application_id, id })
  return { seq: deps.feed.seq }
}

/** A person who revokes everything of a tenant is one of its administrators. */
async function requireTenantId(deps: ManagementDependencies, caller: Caller, id: string): Promise<string> {
  const tenantId = parseGuid(requireOwnTenant(caller, id))
  if (caller.kind === 'member') checkMayGive(caller, 'administrator')
  const row = tenantId === undefined ? undefined : await readTenant(deps.store.reader, tenantId)
  if (row === undefined) throw new DirectoryRefusal('TenantNotFound', 'There is no such tenant.', 'id')
  return row.id
}

/** Whether such a token was ever issued, and for whom, is not known: none is recorded. */
function requireJti(caller: Caller, id: string): string {
  if (caller.kind === 'member') {
    throw new ApiError(403, 'Forbidden', 'Name the token by its text: that shows whose it is.', { target: 'id' })
  }
  const jti = parseGuid(id)
  if (jti === undefined) throw new ApiError(400, 'InvalidRequest', 'A jti of ours is a GUID.', { target: 'id' })
  return jti
}

// Applications that register themselves (RFC 7591) and look after their registration (RFC 7592; decision 0060). The
// rules for what may be registered are those of registration.ts and permissions.ts; here is what a registration by
// standard has besides. Plain tokens leave this file once; what is stored is their hash.

import { appendAudit } from '../../ledger/append-audit.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import {
  insertClientRegistration,
  updateClientRegistration,
} from '../../storage/sql/registrations/client-registrations.js'
import { insertPreparedSecret, type NewSecret, type PreparedSecret } from '../credentials/new-secret.js'
import { configureInTransaction } from '../permissions/permissions.js'
import type { PermissionRef, Registration } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { type DirectoryWrites, requireApplication, type Writing, write } from '../writes.js'
import { changeInTransaction, type RegistrationChanges } from './application-changes.js'
import { type RegistrationInput, registerApplication } from './registration.js'
import { type RegistrationToken, useRegistrationToken } from './registration-token-use.js'

/** What only an application that registered itself says of itself. */
export interface ClientDetails {
  /** Values of `grant_type`; no others are served to it. */
  grantTypes: readonly string[]
  /** As it was said; a secret may be sent by either of two ways. */
  authMethod: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'
  applicationType: 'web' | 'native'
}

/** A registration, and the tokens that came of this write: each is the only copy. */
export interface RegisteredClient {
  registration: Registration
  secret: NewSecret | undefined
  accessToken: string
}

/**
 * Registers an application by an initial access token, of which it takes one use. Throws DirectoryRefusal as
 * registerApplication does, and RegistrationTokenNotFound when that was used up meanwhile.
 */
export async function registerClient(
  deps: DirectoryWrites,
  presented: { token: RegistrationToken; secret: string },
  input: { registration: Omit<RegistrationInput, 'tenantId'>; details: ClientDetails },
): Promise<RegisteredClient> {
  const { token } = presented
  const accessToken = createClientToken()
  const made = await registerApplication(
    deps,
    { ...input.registration, tenantId: token.tenantId },
    {
      also: async (writing, applicationId) => {
        if (!(await useRegistrationToken(writing, presented.secret))) {
          throw new DirectoryRefusal('RegistrationTokenNotFound', 'The registration token has no use left.')
        }
        await insertClientRegistration(writing.tx, {
          application_id: applicationId,
          token_hash: hashOpaqueToken(accessToken),
          previous_hash: null,
          registration_token_id: token.id,
          permissions: JSON.stringify(token.permissions),
          ...detailColumns(input.details, writing.nowMs),
        })
      },
    },
  )
  return { ...made, accessToken }
}

/**
 * Replaces what a client registered by what it says now, in one transaction, with a new registration access token; the
 * presented one works until the new one is used. Throws DirectoryRefusal as changeApplication and configurePermissions
 * do, and RegistrationTokenNotFound when the token was replaced meanwhile.
 */
export async function replaceClient(
  deps: DirectoryWrites,
  client: { applicationId: string; tokenHash: string; presented: string },
  input: {
    changes: RegistrationChanges
    details: ClientDetails
    permissions: readonly PermissionRef[]
    secret: PreparedSecret | undefined
  },
): Promise<RegisteredClient> {
  const { applicationId } = client
  const accessToken = createClientToken()
  return write(deps, async (writing) => {
    const rotated = await updateClientRegistration(
      writing.tx,
      { application_id: applicationId, token_hash: client.tokenHash },
      {
        token_hash: hashOpaqueToken(accessToken),
        previous_hash: hashOpaqueToken(client.presented),
        ...detailColumns(input.details, writing.nowMs),
      },
    )
    if (!rotated) throw new DirectoryRefusal('RegistrationTokenNotFound', 'The registration was changed meanwhile.')
    const changed = await changeInTransaction(deps, writing, applicationId, input.changes)
    if (!isSameList(changed.configured, input.permissions)) {
      await configureInTransaction(deps, writing, applicationId, input.permissions)
    }
    const secret = await addPrepared(deps, writing, applicationId, input.secret)
    return { registration: { ...changed, configured: input.permissions }, secret, accessToken }
  })
}

async function addPrepared(
  deps: DirectoryWrites,
  writing: Writing,
  applicationId: string,
  prepared: PreparedSecret | undefined,
): Promise<NewSecret | undefined> {
  if (prepared === undefined) return undefined
  const { application } = await requireApplication(writing, applicationId)
  const secret = await insertPreparedSecret(writing, application, prepared)
  const { keyId, endsAt } = secret
  const about = { applicationId, tenantId: application.tenant_id }
  await appendAudit(deps, writing.tx, { event: 'secret.created', ...about, details: { keyId, endsAt } })
  return secret
}

function createClientToken(): string {
  return createOpaqueToken('pcl_ra_')
}

function detailColumns({ grantTypes, authMethod, applicationType }: ClientDetails, nowMs: number) {
  return {
    grant_types: JSON.stringify(grantTypes),
    auth_method: authMethod,
    application_type: applicationType,
    updated_at: nowMs,
  }
}

function isSameList(one: readonly PermissionRef[], other: readonly PermissionRef[]): boolean {
  const keys = (list: readonly PermissionRef[]) =>
    list.map(({ kind, resource, id }) => JSON.stringify([kind, resource, id])).sort()
  return JSON.stringify(keys(one)) === JSON.stringify(keys(other))
}

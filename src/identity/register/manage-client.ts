// GET, PUT and DELETE register/{client_id} (RFC 7592 §2): a client that registered itself reads, replaces and ends its
// registration, with the registration access token that came with it.

import type { FastifyRequest } from 'fastify'
import { writesAs } from '../../directory/actor.js'
import { type RegisteredClient, replaceClient } from '../../directory/applications/client-registrations.js'
import { findClientByToken, forgetFormerToken } from '../../directory/applications/client-token.js'
import { deleteApplication } from '../../directory/applications/delete-application.js'
import { type PreparedSecret, prepareSecret } from '../../directory/credentials/new-secret.js'
import type { PermissionRef, Registration } from '../../directory/records.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { requestContext } from '../../http/requests/request-context.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { parseClientSecret } from '../../oauth/secrets/client-secret.js'
import { matchesStoredSecret } from '../../oauth/secrets/secret-comparison.js'
import type { ClientRegistrationRow } from '../../storage/sql/registrations/client-registrations.js'
import { originOf } from '../../web/origin.js'
import type { IdentityDependencies } from '../dependencies.js'
import { endpointPaths } from '../metadata/metadata.js'
import { checkMayIssue } from '../view-freshness.js'
import { presentedToken, refuseToken } from './access.js'
import { type ClientInformation, clientInformation, lastSecretEnd } from './client-information.js'
import { type ClientMetadata, permissionKindsOf, readClientMetadata } from './client-metadata.js'
import { checkExtraGrants } from './extra-grants.js'
import { badMetadata, toRegistrationRefusal } from './refusals.js'
import { checkSignable } from './register-client.js'
import { registeredPermissions } from './registered-permissions.js'

const dayMs = 86_400_000
const secretLifetimeMs = 180 * dayMs
/** A client whose last secret ends sooner gets another one when it puts its registration. */
const renewBeforeMs = 30 * dayMs
/** RFC 7592 §2.2: the client must not send these. */
const ours = ['registration_access_token', 'registration_client_uri', 'client_secret_expires_at', 'client_id_issued_at']

interface Managed {
  registration: Registration
  row: ClientRegistrationRow
  presented: string
  writes: DirectoryWrites
}

/** The body of the answer to GET. Throws OAuthError 401, 403, 429, StoreUnavailable. */
export async function readClient(
  deps: IdentityDependencies,
  clientId: string,
  request: FastifyRequest,
): Promise<ClientInformation> {
  const { registration, row, presented } = await authenticate(deps, clientId, request)
  return answer(deps, row, { registration, accessToken: presented, secret: undefined })
}

/**
 * The body of the answer to PUT: the whole registration as it is now. Throws as readClient, and OAuthError of RFC 7591
 * §3.2.2.
 */
export async function putClient(
  deps: IdentityDependencies,
  clientId: string,
  request: FastifyRequest,
  readMembers: () => Record<string, unknown>,
): Promise<ClientInformation> {
  const managed = await authenticate(deps, clientId, request)
  const { registration, row, presented, writes } = managed
  const members = readMembers()
  checkOwnMembers(deps, registration, members)
  const metadata = readClientMetadata(members)
  checkSignable(deps.settings, metadata)
  if (metadata.type !== registration.type) {
    throw badMetadata('A client that keeps a secret or key and one that cannot are two: register anew.')
  }
  if (registration.authMethod === 'federated') {
    throw badMetadata('The tenant decided that this client proves itself elsewhere: its registration is changed there.')
  }
  const { catalogue } = deps.settings
  const allowed: PermissionRef[] = JSON.parse(row.permissions)
  const grantTypes: string[] = JSON.parse(row.grant_types)
  const update = { metadata, grantTypes, ceiling: allowed }
  const hasMore = await checkExtraGrants(deps, registration, update).catch((error: unknown) => {
    throw toRegistrationRefusal(error)
  })
  // With more than it was registered for, a secret is only for a caller with the one before it: the registration token
  // is none.
  const mayRenew = !hasMore || (members['client_secret'] ?? null) !== null
  const ceiling = [...allowed, ...registration.configured]
  const kinds = permissionKindsOf(metadata.details.grantTypes)
  const permissions = registeredPermissions(metadata.scope, { catalogue, kinds, ceiling })
  const jwks = metadata.registration.jwks ?? null
  const put = await replaceClient(
    writes,
    { applicationId: registration.applicationId, tokenHash: row.token_hash, presented },
    {
      changes: { ...metadata.registration, jwks },
      details: metadata.details,
      permissions,
      secret: mayRenew ? renewedSecret(deps, writes, managed, metadata) : undefined,
    },
  ).catch((error: unknown) => {
    throw toRegistrationRefusal(error)
  })
  const { authMethod, applicationType } = metadata.details
  return answer(deps, { auth_method: authMethod, application_type: applicationType }, put)
}

/** Ends the registration: the application with all that it holds (RFC 7592 §2.3). Throws as readClient. */
export async function deleteClient(
  deps: IdentityDependencies,
  clientId: string,
  request: FastifyRequest,
): Promise<void> {
  const { registration, writes } = await authenticate(deps, clientId, request)
  await deleteApplication(writes, registration.applicationId)
}

async function authenticate(deps: IdentityDependencies, clientId: string, request: FastifyRequest): Promise<Managed> {
  checkMayIssue(deps)
  const identifier = parseClientIdentifier(clientId)
  const registration = identifier === undefined ? undefined : await deps.directory.findRegistration(identifier)
  const countedAs = registration?.applicationId ?? identifier ?? ''
  const presented = presentedToken(deps, request, countedAs)
  const found = await findClientByToken(deps.store.reader, registration?.applicationId, presented)
  if (registration === undefined || found === undefined) {
    const { applicationId, tenantId } = registration ?? {}
    throw refuseToken(deps, request, { countedAs, reason: 'client_token_invalid', applicationId, tenantId })
  }
  const { applicationId, tenantId } = registration
  requestContext(request).entry.applicationId = applicationId
  const tenant = await deps.directory.findTenant(tenantId)
  if (registration.state !== 'enabled' || tenant?.state !== 'enabled') {
    throw new OAuthError('access_denied', 'The application is disabled: its tenant decides about it.', {
      number: errorNumber.registrationToken,
      status: 403,
      cause: 'application_disabled',
    })
  }
  if (!found.isPrevious && found.row.previous_hash !== null) await forgetFormerToken(deps.writes, found.row)
  const writes = writesAs(deps.writes, originOf(request, { kind: 'application', applicationId }))
  return { registration, row: found.row, presented, writes }
}

/** What the client says of itself must be true (RFC 7592 §2.2). Throws OAuthError. */
function checkOwnMembers(
  deps: IdentityDependencies,
  registration: Registration,
  members: Record<string, unknown>,
): void {
  const { client_id: clientId, client_secret: secret } = members
  const identifier = typeof clientId === 'string' ? parseClientIdentifier(clientId) : undefined
  if (identifier !== registration.applicationId && identifier !== registration.publicKey) {
    throw badMetadata('client_id is required, and is that of the client in the address.')
  }
  const extra = ours.find((name) => Object.hasOwn(members, name))
  if (extra !== undefined) throw badMetadata(`${extra} is not for the client to say.`)
  if ((secret ?? null) === null) return
  const keyId = typeof secret === 'string' ? parseClientSecret(secret)?.keyId : undefined
  const stored = registration.secrets.find((each) => each.keyId === keyId && each.endsAt > deps.now())
  if (matchesStoredSecret(String(secret), stored, deps.peppers)) return
  throw badMetadata('client_secret is not the one that the client has: nobody chooses one.')
}

function renewedSecret(
  deps: IdentityDependencies,
  writes: DirectoryWrites,
  { registration }: Managed,
  metadata: ClientMetadata,
): PreparedSecret | undefined {
  if (metadata.type !== 'web' || metadata.registration.authMethod !== 'secret') return undefined
  const endsAt = lastSecretEnd(registration, deps.now()) ?? 0
  const isEnding = endsAt < deps.now() + renewBeforeMs
  return isEnding ? prepareSecret(writes, { label: 'renewed', lifetimeMs: secretLifetimeMs }) : undefined
}

function answer(
  { settings, now }: IdentityDependencies,
  details: Pick<ClientRegistrationRow, 'auth_method' | 'application_type'>,
  { registration, accessToken, secret }: RegisteredClient,
): ClientInformation {
  const { catalogue, server } = settings
  const registrationUri = server.baseUrl + endpointPaths.register
  return clientInformation(registration, { catalogue, registrationUri, details, accessToken, secret, nowMs: now() })
}

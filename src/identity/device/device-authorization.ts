// The device authorization request (RFC 8628 §3.1, §3.2): a client without a browser of its own asks for a code that a
// person types elsewhere. What it may ask for are the rules of the authorization endpoint.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { requestContext } from '../../http/requests/request-context.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { readScopeList } from '../../oauth/requests/scope.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { createUserCode, shownUserCode } from '../../oauth/secrets/user-code.js'
import { insertDeviceCode } from '../../storage/sql/grants/device-codes.js'
import { UniqueViolation } from '../../storage/sql/store.js'
import { requestedPermissions } from '../authorize/requested-permissions.js'
import { readRequestedTenant } from '../authorize/requested-tenant.js'
import { checkGrantAllowed } from '../client/allowed-grant.js'
import { authenticateClient } from '../client/client-authentication.js'
import type { IdentityDependencies } from '../dependencies.js'
import { checkDeviceCodesAllowed } from '../device-codes-allowed.js'
import { chargeClient } from '../limits.js'
import { checkMayIssue } from '../view-freshness.js'
import { asksAdministrator } from './asks-administrator.js'
import { countCode } from './code-allowance.js'
import type { DeviceRequest } from './device-request.js'
import { userCodeHashes } from './user-codes.js'

/** Long enough to fetch a phone and sign in, short enough that a code that was seen by others is soon of no use. */
const lifetimeSeconds = 900
/** RFC 8628 §3.5: what a client waits between two requests unless it is told to wait longer. */
const intervalSeconds = 5
/** A user code that somebody has already is made anew; twice in a row is a mistake elsewhere. */
const mostCollisions = 3

/** RFC 8628 §3.2. Times in seconds. `message` is for people, as clients of other services know it. */
export const DeviceAuthorization = Type.Object({
  device_code: Type.String(),
  user_code: Type.String(),
  verification_uri: Type.String(),
  /** Absent where an administrator has to type it. */
  verification_uri_complete: Type.Optional(Type.String()),
  expires_in: Type.Integer(),
  interval: Type.Integer(),
  message: Type.String(),
})

/**
 * Answers a device authorization request. Throws OAuthError (`invalid_client`, `invalid_scope`, `invalid_target`,
 * `invalid_request`, `unauthorized_client`), StoreUnavailable.
 */
export async function answerDeviceAuthorization(
  deps: IdentityDependencies,
  parameters: RequestParameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Static<typeof DeviceAuthorization>> {
  checkMayIssue(deps)
  const client = await authenticateClient(deps, parameters, request)
  const { registration } = client
  await chargeClient(deps, client, { request, reply }, 'itself')
  checkGrantAllowed(registration, 'urn:ietf:params:oauth:grant-type:device_code')
  checkDeviceCodesAllowed(deps, registration, undefined)
  const { catalogue, server } = deps.settings
  const scope = readScopeList(parameters.get('scope'), parameters.get('requested_scopes'))
  const requested = requestedPermissions(catalogue, registration, { scope, resources: parameters.resources })
  const tenantId = await readRequestedTenant(deps.directory, registration, parameters)
  const tenant = tenantId === undefined ? undefined : await deps.directory.findTenant(tenantId)
  checkDeviceCodesAllowed(deps, registration, tenant)
  const { address } = requestContext(request)
  const body: DeviceRequest = { ...requested, address, ...(tenantId === undefined ? {} : { tenantId }) }
  const { applicationId } = registration
  await countCode(deps, { isProved: client.type === 'web', applicationId }, address)
  const { deviceCode, userCode } = await insertCodes(deps, applicationId, body)
  const page = `${server.baseUrl}/device`
  const shown = shownUserCode(userCode)
  return {
    device_code: deviceCode,
    user_code: shown,
    verification_uri: page,
    ...(asksAdministrator(catalogue, requested) ? {} : { verification_uri_complete: `${page}?user_code=${shown}` }),
    expires_in: lifetimeSeconds,
    interval: intervalSeconds,
    message: `To sign in, open ${page} in a browser and type the code ${shown}.`,
  }
}

async function insertCodes(
  deps: IdentityDependencies,
  applicationId: string,
  body: DeviceRequest,
): Promise<{ deviceCode: string; userCode: string }> {
  for (let collisions = 0; ; collisions += 1) {
    const deviceCode = createOpaqueToken('pcl_dc_')
    const userCode = createUserCode()
    const now = deps.now()
    try {
      await deps.store.transaction((tx) =>
        insertDeviceCode(tx, {
          device_hash: hashOpaqueToken(deviceCode),
          user_code_hash: userCodeHashes(deps.derive, userCode)[0],
          application_id: applicationId,
          body: JSON.stringify(body),
          state: 'pending',
          user_id: null,
          grant_id: null,
          interval_seconds: intervalSeconds,
          last_polled_at: 0,
          created_at: now,
          expires_at: now + lifetimeSeconds * 1000,
        }),
      )
      return { deviceCode, userCode }
    } catch (error) {
      if (!(error instanceof UniqueViolation) || collisions >= mostCollisions) throw error
    }
  }
}

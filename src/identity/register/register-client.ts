// POST register (RFC 7591 §3): the holder of an initial access token registers an application in its tenant. Nobody
// does without one, and nobody consents to anything by it.

import type { FastifyRequest } from 'fastify'
import type { Settings } from '../../config/settings/settings.js'
import { writesAs } from '../../directory/actor.js'
import { registerClient } from '../../directory/applications/client-registrations.js'
import { findRegistrationToken } from '../../directory/applications/registration-token-use.js'
import { requestContext } from '../../http/requests/request-context.js'
import { originOf } from '../../web/origin.js'
import type { IdentityDependencies } from '../dependencies.js'
import { endpointPaths } from '../metadata/metadata.js'
import { checkMayIssue } from '../view-freshness.js'
import { presentedToken, refuseToken } from './access.js'
import { type ClientInformation, clientInformation } from './client-information.js'
import { type ClientMetadata, permissionKindsOf, readClientMetadata } from './client-metadata.js'
import { badMetadata, toRegistrationRefusal } from './refusals.js'
import { registeredPermissions } from './registered-permissions.js'

/** Under which the failures of an address are counted. */
const countedAs = 'registration'

/**
 * The body of the 201 answer; `readMembers` reads what the client says of itself, once it may say something. Throws
 * OAuthError (RFC 7591 §3.2.2; 401, 429), StoreUnavailable.
 */
export async function answerRegistration(
  deps: IdentityDependencies,
  request: FastifyRequest,
  readMembers: () => Record<string, unknown>,
): Promise<ClientInformation> {
  checkMayIssue(deps)
  const secret = presentedToken(deps, request, countedAs)
  const token = await findRegistrationToken(deps.store.reader, secret, deps.now())
  if (token === undefined) throw refuseToken(deps, request, { countedAs, reason: 'registration_token_invalid' })
  const { catalogue, server } = deps.settings
  const metadata = readClientMetadata(readMembers())
  checkSignable(deps.settings, metadata)
  const kinds = permissionKindsOf(metadata.details.grantTypes)
  const permissions = registeredPermissions(metadata.scope, { catalogue, kinds, ceiling: token.permissions })
  const actor = { kind: 'registration-token', registrationTokenId: token.id } as const
  const made = await registerClient(
    writesAs(deps.writes, originOf(request, actor)),
    { token, secret },
    { registration: { ...metadata.registration, type: metadata.type, permissions }, details: metadata.details },
  ).catch((error: unknown) => {
    throw toRegistrationRefusal(error)
  })
  requestContext(request).entry.applicationId = made.registration.applicationId
  const { authMethod, applicationType } = metadata.details
  return clientInformation(made.registration, {
    catalogue,
    registrationUri: server.baseUrl + endpointPaths.register,
    details: { auth_method: authMethod, application_type: applicationType },
    accessToken: made.accessToken,
    secret: made.secret,
    nowMs: deps.now(),
  })
}

/** There is a key for EdDSA only where the configuration asks for one. Throws OAuthError. */
export function checkSignable({ tokens }: Pick<Settings, 'tokens'>, { registration }: ClientMetadata): void {
  if (registration.idTokenAlg !== 'EdDSA' || tokens.algorithm === 'EdDSA') return
  throw badMetadata('id_token_signed_response_alg is one of RS256, ES256.')
}

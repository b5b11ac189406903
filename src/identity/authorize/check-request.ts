// Everything about a request that can be decided without a person, in the order of the contract (§4). From here on
// there is a verified redirect URI, so whatever is wrong is told to the client.

import { OAuthError } from '../../oauth/errors/errors.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import type { VerifiedRedirectUri } from '../../oauth/requests/redirect-uri.js'
import { readScopeList } from '../../oauth/requests/scope.js'
import { checkGrantAllowed } from '../client/allowed-grant.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'
import { readClaimsParameter } from './claims-parameter.js'
import type { NamedClient } from './client.js'
import { readCodeChallenge } from './code-challenge.js'
import { readHints } from './hints.js'
import { isSilent, readAcrValues, readMaxAge, readPrompt } from './prompt.js'
import { rememberError } from './refusal.js'
import { requestedPermissions } from './requested-permissions.js'
import { readRequestedTenant } from './requested-tenant.js'
import { readResponseMode } from './response-mode.js'
import { checkResponseType, refuseRequestObjects } from './response-type.js'

type Deps = Pick<IdentityDependencies, 'directory' | 'keyring' | 'now' | 'settings'>

/**
 * The request as it waits for a person; with its `error` when something is wrong with it. Throws StoreUnavailable.
 */
export async function checkRequest(
  deps: Deps,
  client: NamedClient,
  redirectUri: VerifiedRedirectUri,
  parameters: RequestParameters,
): Promise<AuthorizeRequest> {
  const answered = startOf(client, redirectUri, parameters)
  try {
    answered.responseMode = readResponseMode(parameters.get('response_mode'), redirectUri)
    return { ...answered, ...(await checkRest(deps, client, parameters)) }
  } catch (error) {
    if (!(error instanceof OAuthError) || error.status !== 400) throw error
    return { ...answered, error: rememberError(error) }
  }
}

/** What any answer needs, also to a request that is wrong. */
function startOf(
  { registration, clientIdentifier }: NamedClient,
  redirectUri: VerifiedRedirectUri,
  parameters: RequestParameters,
): AuthorizeRequest {
  const state = parameters.get('state')
  return {
    applicationId: registration.applicationId,
    clientIdentifier,
    redirectUri,
    responseMode: 'query',
    ...(state === undefined ? {} : { state }),
    prompt: isSilent(parameters.get('prompt')) ? ['none'] : [],
    resource: '',
    permissions: [],
    scopeRequest: '',
    openidScopes: [],
  }
}

async function checkRest(
  deps: Deps,
  { registration }: NamedClient,
  parameters: RequestParameters,
): Promise<Partial<AuthorizeRequest>> {
  const { catalogue } = deps.settings
  refuseRequestObjects(parameters)
  checkGrantAllowed(registration, 'authorization_code')
  const scope = readScopeList(parameters.get('scope'), parameters.get('requested_scopes'))
  checkResponseType(parameters.get('response_type'), scope)
  const codeChallenge = readCodeChallenge(registration, parameters)
  const prompt = readPrompt(parameters.get('prompt'))
  const maxAgeSeconds = readMaxAge(parameters.get('max_age'))
  const acrValues = readAcrValues(parameters.get('acr_values'))
  const claims = readClaimsParameter(parameters.get('claims'))
  const hints = readHints(deps, parameters)
  const requested = requestedPermissions(catalogue, registration, { scope, resources: parameters.resources })
  const tenantId = await readRequestedTenant(deps.directory, registration, parameters)
  const nonce = parameters.get('nonce')
  return {
    ...requested,
    ...hints,
    prompt,
    scopeRequest: scope.join(' '),
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
    ...(maxAgeSeconds === undefined ? {} : { maxAgeSeconds }),
    ...(acrValues.length === 0 ? {} : { acrValues }),
    ...(claims === undefined ? {} : { claims }),
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(nonce === undefined ? {} : { nonce }),
  }
}

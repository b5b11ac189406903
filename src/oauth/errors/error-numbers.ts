// The numbers of our OAuth errors: `error_codes[0]`, and the page under /errors/<number>. They are the ones that
// developers already know from elsewhere, so that a search finds something. One table: a number that is sent has its
// page.

import { authorizeExplanations, authorizeNumber } from './authorize-explanations.js'
import { deviceExplanations, deviceNumber } from './device-explanations.js'
import { exchangeExplanations, exchangeNumber } from './exchange-explanations.js'
import { grantExplanations, grantNumber } from './grant-explanations.js'
import { registrationExplanations, registrationNumber } from './registration-explanations.js'

/** Every number that an answer or a log line can carry, by what it means. */
export const errorNumber = {
  ...authorizeNumber,
  ...deviceNumber,
  ...exchangeNumber,
  ...grantNumber,
  ...registrationNumber,
  serverError: 50000,
  unknownResource: 50001,
  noConsent: 65001,
  invalidClient: 70002,
  unsupportedGrantType: 70003,
  invalidScope: 70011,
  unavailable: 90033,
  throttled: 90055,
  adminConsentRequired: 90094,
  invalidParameter: 90100,
  notInTenant: 700016,
  severalResources: 700022,
  nativeWithSecret: 700025,
  malformedTenant: 900023,
  missingParameter: 900144,
  wrongMethod: 900561,
  wrongSecret: 7000215,
  clientCannotAuthenticate: 7000218,
  expiredSecret: 7000222,
  malformedRequest: 9002313,
} as const

export interface ErrorExplanation {
  number: number
  title: string
  /** What happened. */
  meaning: string
  /** What to do about it. */
  remedy: string
}

/**
 * What a number means and how to fix it, in sentences for the developer who met it; undefined for a number of nobody.
 */
export function explainError(number: number): ErrorExplanation | undefined {
  const [title, meaning, remedy] = explanations.get(number) ?? []
  return title === undefined || meaning === undefined || remedy === undefined
    ? undefined
    : { number, title, meaning, remedy }
}

/** The numbers that have an explanation, ascending. */
export function explainedNumbers(): number[] {
  return [...explanations.keys()].sort((a, b) => a - b)
}

const n = errorNumber
const explanations: ReadonlyMap<number, readonly [title: string, meaning: string, remedy: string]> = new Map<
  number,
  readonly [string, string, string]
>([
  ...authorizeExplanations,
  ...deviceExplanations,
  ...exchangeExplanations,
  ...grantExplanations,
  ...registrationExplanations,
  [
    n.serverError,
    [
      'Something went wrong',
      'The service met a condition that it did not expect. The request itself may have been correct.',
      'Try again later. If it stays, tell the operator the trace_id of the answer: it finds the line in the log.',
    ],
  ],
  [
    n.unknownResource,
    [
      'Unknown resource',
      'The resource that the token should be for is not the identifier of an API that is known here, or several different ones were named. A token is for exactly one.',
      'Send the identifier URI of one API, character by character as it is registered, or leave resource out and name permissions only.',
    ],
  ],
  [
    n.noConsent,
    [
      'Permission without consent',
      'The permission is configured for the application, but no administrator of the tenant has consented to it.',
      'Let an administrator of the tenant open the consent_uri of the answer and consent, then ask for a token again.',
    ],
  ],
  [
    n.invalidClient,
    [
      'The client could not be authenticated',
      'The client identifier is missing or unknown, the secret is missing, wrong or expired, or the application is disabled. The answer is the same for all of these, so that nobody can find out which.',
      'Compare client_id and client_secret with the registration. The owner of the application sees there which secrets are live and when they end. Send the secret in the body or with HTTP Basic, not both.',
    ],
  ],
  [
    n.unsupportedGrantType,
    [
      'Unsupported grant type',
      'The value of grant_type is not one that this token endpoint serves.',
      'For an application that acts as itself, send grant_type=client_credentials. The metadata of the service lists what it serves.',
    ],
  ],
  [
    n.invalidScope,
    [
      'Invalid scope',
      'A permission in scope is unknown, is not configured for the application, exists only for another kind of access, or a default was mixed with single permissions. Nothing is left out silently, so the whole request is refused.',
      'Ask only for permissions on the API permissions page of the application, or for default alone, which means all that are configured and consented.',
    ],
  ],
  [
    n.unavailable,
    [
      'Temporarily unavailable',
      'The service cannot answer safely at this moment, because it cannot reach its records or is not certain that it has seen the newest of them.',
      'Try again after the number of seconds in the Retry-After header.',
    ],
  ],
  [
    n.throttled,
    [
      'Too many requests',
      'More requests, or more failed authentications, came from this address or application than are allowed in that time.',
      'Wait for the number of seconds in the Retry-After header. Keep a token until it expires instead of asking for a new one for each call.',
    ],
  ],
  [
    n.adminConsentRequired,
    [
      'Administrator consent required',
      'The application requested its default permissions, but none of them has been consented to in the tenant. A token without permissions is never given.',
      'Configure the permissions that the application needs, then let an administrator of the tenant open the consent_uri of the answer and consent.',
    ],
  ],
  [
    n.invalidParameter,
    [
      'Invalid parameter',
      'A parameter was sent twice, contradicts another one, or was sent in the URL where it does not belong. Secrets, codes and tokens in a URL end up in logs and histories.',
      'Send each parameter once, in the form-encoded body. A secret that was sent in a URL should be replaced.',
    ],
  ],
  [
    n.notInTenant,
    [
      'Application not found in the tenant',
      'The application is not installed in the tenant that the token was requested for, or there is no such tenant, or the tenant is not in use.',
      'Compare requested_enrollment with the identifier of the tenant. An administrator of that tenant has to install the application first. Leave it out to use the home tenant of the application.',
    ],
  ],
  [
    n.severalResources,
    [
      'Permissions of more than one resource',
      'The permissions in scope do not all belong to one API, or do not belong to the named resource. A token is for exactly one API.',
      'Ask for one token for each API. Where two APIs have a permission of the same name, write the identifier URI of the API, a slash and the permission.',
    ],
  ],
  [
    n.nativeWithSecret,
    [
      'A native application has no secret',
      'The application is registered as native, so it cannot keep a secret, but the request contained one.',
      'Leave client_secret out. If the application runs on a server and acts as itself, register it as a web application.',
    ],
  ],
  [
    n.malformedTenant,
    [
      'The tenant is not a GUID',
      'requested_enrollment (or tenant) has to be the identifier of a tenant, which is a GUID.',
      'Send the identifier as the portal shows it, or leave it out to use the home tenant of the application.',
    ],
  ],
  [
    n.missingParameter,
    [
      'A parameter is missing',
      'A parameter that the request needs is absent or empty.',
      'Send the parameter that the description names, with a value, in the form-encoded body.',
    ],
  ],
  [
    n.wrongMethod,
    [
      'Wrong HTTP method',
      'The endpoint does not accept the method of the request.',
      'Use one of the methods in the Allow header of the answer; the token endpoint accepts POST only.',
    ],
  ],
  [
    n.wrongSecret,
    [
      'Wrong client secret',
      'The presented secret is not one of the application. Only the owner of the application sees this number; a caller sees 70002.',
      'Make sure that the value of the secret was sent, not its key identifier, and that it belongs to this application.',
    ],
  ],
  [
    n.clientCannotAuthenticate,
    [
      'This kind of client cannot do that',
      'The request needs a client that authenticates with a secret, but the application is registered as native and has none.',
      'Register a web application for what runs on a server and acts as itself. A native application acts only for a signed-in user.',
    ],
  ],
  [
    n.expiredSecret,
    [
      'Expired client secret',
      'The presented secret has reached its end. Only the owner of the application sees this number; a caller sees 70002.',
      'Create a new secret for the application and use it. Several secrets can be live at once, so that a change needs no pause.',
    ],
  ],
  [
    n.malformedRequest,
    [
      'Malformed request',
      'The body could not be read: it is not form-encoded, is too large, has too many parameters, or its encoding is broken.',
      'Send Content-Type application/x-www-form-urlencoded and a body of at most 16 KiB with percent-encoded UTF-8 values.',
    ],
  ],
])

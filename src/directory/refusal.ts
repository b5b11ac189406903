// Why a registration may not be read or written as requested. The management API turns it into a status; nothing in it
// is secret.

import { Refusal } from '../oauth/errors/refusal.js'

/** What kind of refusal each code is: it decides the HTTP status at the edge. */
const refusalKinds = {
  ApplicationNotFound: 'not_found',
  TenantNotFound: 'not_found',
  ApiNotFound: 'not_found',
  SecretNotFound: 'not_found',
  ConsentRequestNotFound: 'not_found',
  FederatedCredentialNotFound: 'not_found',
  OwnerNotFound: 'not_found',
  RegistrationTokenNotFound: 'not_found',
  PlanRequestNotFound: 'not_found',
  OperatorRequired: 'forbidden',
  PlanNeedsApproval: 'forbidden',
  RoleRequired: 'forbidden',
  NotTheRequester: 'forbidden',
  ConsentNotAllowed: 'invalid',
  InvalidName: 'invalid',
  NameReserved: 'invalid',
  InvalidPermission: 'invalid',
  InvalidColour: 'invalid',
  LowContrast: 'invalid',
  InvalidLink: 'invalid',
  InvalidLogo: 'invalid',
  InvalidLifetime: 'invalid',
  InvalidRedirectUri: 'invalid',
  InvalidKeys: 'invalid',
  InvalidFederation: 'invalid',
  InvalidUses: 'invalid',
  KeysInstead: 'invalid',
  UnknownPermission: 'invalid',
  PermissionNotConfigured: 'invalid',
  UnknownPlan: 'invalid',
  InvalidOverride: 'invalid',
  NativeApplication: 'invalid',
  NotInstallable: 'invalid',
  NotEligible: 'invalid',
  AmbiguousName: 'conflict',
  NameTaken: 'conflict',
  PermissionInUse: 'conflict',
  ApiExists: 'conflict',
  TooManyApis: 'conflict',
  PlanNotRequestable: 'conflict',
  ConsentOfTenant: 'conflict',
  ConsentRequestDecided: 'conflict',
  TooManyConsentRequests: 'conflict',
  TooManySecrets: 'conflict',
  TooManyApplications: 'conflict',
  TooManyOwners: 'conflict',
  TooManyFederatedCredentials: 'conflict',
  FederatedCredentialExists: 'conflict',
  DescribedByDocument: 'conflict',
  TooManyRegistrationTokens: 'conflict',
} as const

export type RefusalCode = keyof typeof refusalKinds

/** A refused directory operation. `message` is safe to send; `target` names the field it is about. */
export class DirectoryRefusal extends Refusal<RefusalCode> {
  constructor(code: RefusalCode, message: string, target?: string) {
    super(refusalKinds, { code, message, target })
  }
}

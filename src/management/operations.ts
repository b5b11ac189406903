// What the routes of the management API are for, as the document of the API says it (decision 0063): a line for each,
// in the chapters of the reference. What they take and answer is in their schemas, who may call them in their `config`.

import type { OperationGroup } from '../http/described-operations.js'
import { apiOperations, ownSchema } from './api-catalogue/operations.js'
import { usageExportOperations } from './billing/usage-export-operations.js'
import { applicationBrandOperations, tenantBrandOperations } from './brands/brand-operations.js'
import { chapter, decided, ofOne, tagged } from './operation-chapter.js'
import { planOperations } from './plans/plan-operations.js'
import { toolChangeOperations } from './server/tool-change-operations.js'
import { toolRuleOperations } from './tools/tool-operations.js'

const applications = chapter('Applications', 'Registrations: who may call, and with what.', {
  'GET /api/v2/applications': ['listApplications', 'Lists the applications of a tenant'],
  'POST /api/v2/applications': ['createApplication', 'Registers an application; its secret is shown once'],
  'GET /api/v2/applications/{id}': ['readApplication', 'Reads an application', tagged],
  'PATCH /api/v2/applications/{id}': ['changeApplication', 'Changes an application', tagged],
  'DELETE /api/v2/applications/{id}': ['deleteApplication', 'Deletes an application; its tokens end at once', tagged],
  ...applicationBrandOperations,
  'GET /api/v2/deletedApplications': ['listDeletedApplications', 'Lists the deleted applications that can be restored'],
  'GET /api/v2/deletedApplications/{id}': ['readDeletedApplication', 'Reads one, with what could come back'],
  'POST /api/v2/deletedApplications/{id}/restore': [
    'restoreApplication',
    'Restores a deleted application; none of its tokens comes back',
    decided,
  ],
  'DELETE /api/v2/deletedApplications/{id}': ['purgeApplication', 'Deletes a deleted application for good'],
  'POST /api/v2/applications/{id}/secrets': ['addSecret', 'Adds a secret, or rotates; it is shown once'],
  'DELETE /api/v2/applications/{id}/secrets/{keyId}': ['endSecret', 'Ends a secret'],
  'POST /api/v2/applications/{id}/token': ['tryToken', 'Issues a short token of the application, to try it'],
  'GET /api/v2/applications/{id}/federatedCredentials': [
    'listFederatedCredentials',
    'Lists the issuers that an application trusts',
  ],
  'POST /api/v2/applications/{id}/federatedCredentials': [
    'addFederatedCredential',
    'Lets an application trust an outside issuer',
  ],
  'DELETE /api/v2/applications/{id}/federatedCredentials/{credentialId}': [
    'removeFederatedCredential',
    'Ends that trust',
  ],
  'GET /api/v2/applications/{id}/owners': ['listOwners', 'Lists who owns an application and may change it'],
  'POST /api/v2/applications/{id}/owners': ['addOwner', 'Adds an owner'],
  'PUT /api/v2/applications/{id}/owners': ['replaceOwners', 'Says who owns an application, and nobody else', tagged],
  'DELETE /api/v2/applications/{id}/owners/{ownerId}': ['removeOwner', 'Removes an owner'],
  'GET /api/v2/applications/{id}/newRedirectOrigins': [
    'listNewRedirectOriginsOfApplication',
    'Lists the redirect origins of an application that no administrator has looked at yet',
  ],
  'DELETE /api/v2/applications/{id}/newRedirectOrigins': [
    'dismissNewRedirectOrigins',
    'Says that an administrator has looked at them',
  ],
  'GET /api/v2/tenants/{id}/possibleOwners': [
    'findPossibleOwner',
    'Says who in a tenant a name of an owner means',
    ofOne,
  ],
  'GET /api/v2/tenants/{id}/newRedirectOrigins': [
    'listNewRedirectOrigins',
    'Lists those of all applications of a tenant',
    ofOne,
  ],
  'GET /api/v2/registrationTokens': ['listRegistrationTokens', 'Lists the tokens for registration by standard', ofOne],
  'POST /api/v2/registrationTokens': ['createRegistrationToken', 'Makes a registration token; it is shown once'],
  'DELETE /api/v2/registrationTokens/{id}': ['endRegistrationToken', 'Ends a registration token'],
  'POST /api/v2/imports/plan': [
    'planImport',
    'Says what an import of another product’s export would do, application by application',
    { refusals: [404, 409] },
  ],
  'POST /api/v2/imports': [
    'importApplications',
    'Imports what another product exported; new secrets are shown once',
    { refusals: [404, 409] },
  ],
})

const plans = chapter('Plans', 'What applications may use: rates, quotas and requests at once.', planOperations)

const permissions = chapter('Permissions and consent', 'What applications ask for, and what tenants allow them.', {
  'GET /api/v2/permissions': ['listPermissions', 'Lists the permissions that there are'],
  'PUT /api/v2/applications/{id}/permissions': [
    'configurePermissions',
    'Says which permissions an application asks for',
    tagged,
  ],
  'POST /api/v2/applications/{id}/consents': ['grantConsent', 'Consents to the permissions of an application', tagged],
  'GET /api/v2/applications/{id}/consentRequests': [
    'listApplicationConsentRequests',
    'Lists what was requested from administrators for an application',
  ],
  'POST /api/v2/applications/{id}/consentRequests': [
    'requestAccess',
    'Adds permissions to an application and requests the consent of administrators to them',
  ],
  'DELETE /api/v2/applications/{id}/consentRequests/{requestId}': [
    'withdrawConsentRequest',
    'Takes back a request of one’s own that nobody has decided',
  ],
  'DELETE /api/v2/applications/{id}/consents/{tenantId}': ['revokeConsent', 'Withdraws every consent of a tenant'],
  'GET /api/v2/consents': ['listConsents', 'Lists the consents of a tenant', ofOne],
  'POST /api/v2/consents': ['consent', 'Consents for a tenant, or for a person of it'],
  'POST /api/v2/consents/withdraw': ['withdrawConsent', 'Withdraws a consent'],
  'GET /api/v2/consentRequests': ['listConsentRequests', 'Lists what people requested of administrators', ofOne],
  'GET /api/v2/consentRequests/own': ['listOwnConsentRequests', 'Lists what the caller requested from administrators'],
  'DELETE /api/v2/consentRequests/{id}': ['takeBackConsentRequest', 'Takes back a request of the caller’s own'],
  'POST /api/v2/consentRequests/{id}/approve': ['approveConsentRequest', 'Approves such a request', decided],
  'POST /api/v2/consentRequests/{id}/decline': ['declineConsentRequest', 'Declines such a request', decided],
})

const people = chapter('Tenants and people', 'Who belongs where, as what.', {
  'GET /api/v2/tenants': ['listTenants', 'Lists the tenants of the caller'],
  'POST /api/v2/tenants': ['createTenant', 'Makes a tenant'],
  'GET /api/v2/tenants/{id}': ['readTenant', 'Reads a tenant', tagged],
  'PATCH /api/v2/tenants/{id}': ['changeTenant', 'Changes a tenant', tagged],
  ...tenantBrandOperations,
  ...toolRuleOperations,
  'GET /api/v2/tenants/{id}/memberships': ['listMemberships', 'Lists the people of a tenant with their roles'],
  'POST /api/v2/tenants/{id}/memberships': ['addMembership', 'Makes somebody a member of a tenant'],
  'PATCH /api/v2/tenants/{id}/memberships/{userId}': ['changeMembership', 'Changes the role of a member'],
  'DELETE /api/v2/tenants/{id}/memberships/{userId}': ['endMembership', 'Ends a membership', decided],
  'GET /api/v2/users': ['listUsers', 'Lists people', ofOne],
  'POST /api/v2/users': ['createUser', 'Makes an account'],
  'GET /api/v2/users/{id}': ['readUser', 'Reads an account'],
  'PATCH /api/v2/users/{id}': ['changeUser', 'Changes an account'],
  'DELETE /api/v2/users/{id}': ['deleteUser', 'Deletes an account', decided],
  'POST /api/v2/users/{id}/passwordReset': ['resetPassword', 'Makes a link for a new password', decided],
  'POST /api/v2/users/{id}/providerLink': ['linkProvider', 'Makes a link to come in through a provider', decided],
  'POST /api/v2/users/{id}/signOut': ['signUserOut', 'Ends every session and token of a person'],
  'GET /api/v2/operators': ['listOperators', 'Lists who looks after the installation'],
  'GET /api/v2/invitations': ['listInvitations', 'Lists open invitations', ofOne],
  'POST /api/v2/invitations': ['invite', 'Invites somebody to a tenant'],
  'DELETE /api/v2/invitations/{id}': ['endInvitation', 'Takes an invitation back'],
  'GET /api/v2/sessions': ['listSessions', 'Lists the sessions of a person', ofOne],
  'DELETE /api/v2/sessions/{id}': ['endSession', 'Ends a session'],
  'POST /api/v2/setUpLinks': ['createSetUpLink', 'Makes the link for the first owner', decided],
  'POST /api/v2/recoveryLinks': ['createRecoveryLink', 'Makes a link for an owner who cannot get in'],
})

const insight = chapter('Insight', 'What happened, what is in use, and why a call is refused.', {
  'GET /api/v2/auditEvents': ['listAuditEvents', 'Lists the audit ledger of a tenant and its people'],
  'GET /api/v2/auditEvents/server': ['listServerAuditEvents', 'Lists the audit ledger of the whole server'],
  'GET /api/v2/activity/server': ['listServerActivity', 'Lists what was tried anywhere on the server'],
  'GET /api/v2/auditEvents/verification': ['verifyAuditEvents', 'Says whether the ledger is whole'],
  'GET /api/v2/auditEvents/server/verification': [
    'verifyServerAuditEvents',
    'Says to operators whether the ledger is whole, and where not',
  ],
  'POST /api/v2/auditEvents/verification': [
    'verifyAuditEventsAgainst',
    'Says whether the ledger is whole, by checkpoints that were kept',
  ],
  'GET /api/v2/auditEvents/checkpoint': ['signAuditCheckpoint', 'Signs how far the ledger has come'],
  'GET /api/v2/auditEvents/pruning': ['readPrunableAuditEvents', 'Says which rows of the ledger are older than a time'],
  'POST /api/v2/auditEvents/pruning': ['pruneAuditEvents', 'Takes away the beginning of the ledger', decided],
  'GET /api/v2/activity': ['listActivity', 'Lists what was tried: sign-ins, refused clients'],
  'GET /api/v2/applications/{id}/activity': [
    'listApplicationActivity',
    'Lists the last token requests and refused calls of an application',
  ],
  'GET /api/v2/usage': ['readUsage', 'Counts calls by day or route', ofOne],
  ...usageExportOperations,
  'GET /api/v2/usage/limits': ['readOwnLimits', 'Says what is left of the limits of the caller', ofOne],
  'GET /api/v2/applications/{id}/permissionUse': [
    'readPermissionUse',
    'Says which permissions of an application are in use',
  ],
  'GET /api/v2/applications/{id}/pkceUse': ['readPkceUse', 'Counts sign-ins of an application with and without PKCE'],
  'POST /api/v2/applications/{id}/removeUnused': ['removeUnusedPermissions', 'Removes permissions that nobody uses'],
  'POST /api/v2/explain': ['explain', 'Says how a call would be decided, and why'],
  'GET /api/v2/explain/{requestId}': ['explainRequest', 'Says how a refused call was decided'],
})

const overview = chapter('Overview', 'What waits for somebody, and how the server did lately.', {
  'GET /api/v2/overview/applications': [
    'readApplicationOverview',
    'Counts applications, secrets that end within thirty days and permissions that wait for consent',
    ofOne,
  ],
  'GET /api/v2/overview/applications/lines': ['listApplicationLines', 'Lists applications with how each is', ofOne],
  'GET /api/v2/overview/unusedPermissions': [
    'readUnusedOverview',
    'Counts permissions that were granted and are not used, by application',
    ofOne,
  ],
  'GET /api/v2/overview/people': ['readPeopleOverview', 'Counts people, and those without a second factor', ofOne],
  'GET /api/v2/overview/signIns': ['readSignInOverview', 'Counts sign-ins that failed lately', ofOne],
  'GET /api/v2/overview/server': ['readServerOverview', 'Counts requests, errors, latencies, limits and what waits'],
})

const stopping = chapter('Before stopping something', 'What hangs on it at this moment: numbers to decide by.', {
  'GET /api/v2/applications/{id}/consequences': [
    'readApplicationConsequences',
    'Counts what stops with an application: people, sign-ins, tokens, calls',
  ],
  'GET /api/v2/users/{id}/consequences': [
    'readUserConsequences',
    'Counts what ends with the access of a person',
    ofOne,
  ],
  'GET /api/v2/tenants/{id}/consequences': [
    'readTenantConsequences',
    'Counts what stops when a tenant is switched off',
    ofOne,
  ],
  'GET /api/v2/credentials/{id}/consequences': [
    'readCredentialConsequences',
    'Counts what hangs on the application that a credential is of',
  ],
  'GET /api/v2/registrationTokens/{id}/consequences': [
    'readRegistrationTokenConsequences',
    'Counts what was registered with a token, and what is left of it',
  ],
  'GET /api/v2/recoveryLinks/consequences': [
    'readRecoveryConsequences',
    'Counts what the account of an address would lose to a link for recovery',
  ],
  'GET /api/v2/keys/consequences': ['readKeyConsequences', 'Counts what is signed by the keys that would be replaced'],
})

const events = chapter('Events', 'What happens in a tenant, sent to other services as it happens.', {
  'GET /api/v2/webhooks': ['listWebhooks', 'Lists where the events of a tenant are sent', { refusals: [404] }],
  'POST /api/v2/webhooks': ['createWebhook', 'Has events sent to an address; the signing secret is shown once'],
  'GET /api/v2/webhooks/{id}': ['readWebhook', 'Reads a webhook', tagged],
  'PATCH /api/v2/webhooks/{id}': ['changeWebhook', 'Changes, disables or enables a webhook', tagged],
  'DELETE /api/v2/webhooks/{id}': ['deleteWebhook', 'Deletes a webhook with what is on its way to it'],
  'GET /api/v2/webhookEvents': [
    'listWebhookEvents',
    'Lists the events that a webhook may ask for, with what each says',
  ],
  'POST /api/v2/webhooks/{id}/secret': [
    'rotateWebhookSecret',
    'Gives a webhook another signing secret, which is shown once',
  ],
  'GET /api/v2/webhooks/{id}/backlog': ['readWebhookBacklog', 'Counts what waits for a webhook, and its dead letters'],
  'GET /api/v2/webhooks/{id}/deliveries/{deliveryId}': [
    'readDelivery',
    'Reads a delivery with the event as it is sent',
  ],
  'POST /api/v2/webhooks/{id}/replay': [
    'replayDeadLetters',
    'Sends the dead letters of a webhook again, a thousand at a time',
    { refusals: [409] },
  ],
  'POST /api/v2/webhooks/{id}/test': ['testWebhook', 'Sends a test event now, and says what the receiver answered'],
  'GET /api/v2/webhooks/{id}/deliveries': [
    'listDeliveries',
    'Lists the last events of a webhook; dead letters have the state dead',
  ],
  'POST /api/v2/webhooks/{id}/deliveries/{deliveryId}/redeliver': [
    'redeliverEvent',
    'Sends an event once more; it keeps its id',
    { refusals: [409] },
  ],
})

const server = chapter('This server', 'For those who run it.', {
  'GET /api/v2/status': ['readStatus', 'Says how this instance is'],
  'GET /api/v2/routes': ['listRoutes', 'Lists the routes of the gate'],
  ...toolChangeOperations,
  'GET /api/v2/configuration/rules': ['readRules', 'Tells the active configuration, to compare others with'],
  'GET /api/v2/configuration/grants': ['listAccessGrants', 'Lists who could get a token with what'],
  'POST /api/v2/configuration/reload': [
    'reloadConfiguration',
    'Reads the configuration again, whole or not at all',
    { refusals: [409, 422] },
  ],
  'GET /api/v2/keys': ['listKeys', 'Lists the signing keys'],
  'POST /api/v2/keys/rotate': ['rotateKeys', 'Brings in a new signing key'],
  'DELETE /api/v2/keys/{kid}': ['removeKey', 'Removes a signing key; what it signed ends'],
  'GET /api/v2/providers': ['listProviders', 'Lists the providers through which people may sign in'],
  'GET /api/v2/providers/{name}': ['readProvider', 'Reads a provider as it is configured'],
  'POST /api/v2/providers/{name}/check': [
    'checkProvider',
    'Tries whether people can sign in at a provider, step by step',
  ],
  'POST /api/v2/revocations': ['revoke', 'Ends a token, a credential, or all tokens of an application or tenant'],
})

/** Every chapter, in the order of the reference. */
export const managementOperations: readonly OperationGroup[] = [
  applications,
  plans,
  permissions,
  apiOperations,
  people,
  insight,
  overview,
  stopping,
  events,
  server,
  {
    ...chapter('Discovery', '', { 'GET /api/v2/openapi.json': ['openapi', 'This document', ownSchema] }),
    family: 'document',
  },
]

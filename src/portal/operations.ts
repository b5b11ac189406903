// What the pages of the portal are for, as the document of the API says it (decision 0063): one title for each address.

import type { OperationGroup } from '../http/described-operations.js'

const exported = {
  200: { description: 'The events.', type: 'application/x-ndjson' },
  303: { description: 'Goes on to the sign-in page.' },
}

/** The chapter of the portal. */
export const portalOperations: OperationGroup = {
  tag: 'Portal',
  description: 'The developer portal: pages for people who are signed in.',
  family: 'page',
  security: [{ session: [] }],
  operations: {
    'GET /portal/audit/export': ['exportAudit', 'Takes events along, one JSON object a line', { answers: exported }],
    'GET /portal/server/audit/export': [
      'exportServerAudit',
      'Takes events of the whole server along, one JSON object a line',
      { answers: exported },
    ],
  },
  pages: {
    '/portal': 'Where to begin',
    '/portal/applications': 'Applications',
    '/portal/applications/new': 'Register an application',
    '/portal/applications/{id}': 'An application',
    '/portal/applications/{id}/credentials': 'Its credentials',
    '/portal/applications/{id}/secrets/{keyId}/end': 'End a secret',
    '/portal/applications/{id}/proof': 'How it proves itself',
    '/portal/applications/{id}/federation': 'The outside issuers that it trusts',
    '/portal/applications/{id}/federation/{credentialId}/remove': 'End such a trust',
    '/portal/applications/{id}/redirect-uris': 'Its redirect URIs',
    '/portal/applications/{id}/owners': 'Its owners',
    '/portal/applications/{id}/sign-out-everywhere': 'End all its tokens',
    '/portal/applications/{id}/delete': 'Delete it',
    '/portal/applications/{id}/permissions': 'Its API permissions',
    '/portal/applications/{id}/permissions/add': 'Add a permission',
    '/portal/applications/{id}/permissions/remove': 'Remove permissions',
    '/portal/applications/{id}/permissions/consent': 'Grant admin consent',
    '/portal/applications/{id}/try-it': 'Try it',
    '/portal/applications/{id}/activity': 'Its last token requests and refused calls',
    '/portal/applications/{id}/usage': 'Its usage',
    '/portal/redirect-origins': 'New redirect origins of all applications',
    '/portal/confirm': 'Confirm a change after signing in again',
    '/portal/explain': 'Why a call is allowed or refused',
    '/portal/reference': 'The API reference',
    '/portal/usage': 'Usage of the tenant',
    '/portal/consents': 'Consents of the tenant, and requests for them',
    '/portal/consents/apps': 'Applications with consents in the tenant',
    '/portal/consents/apps/{applicationId}': 'What one of them may do',
    '/portal/people': 'Members and invitations',
    '/portal/people/{userId}': 'A member',
    '/portal/people/{userId}/remove': 'Remove a member',
    '/portal/people/{userId}/delete': 'Delete an account',
    '/portal/audit': 'The audit ledger',
    '/portal/audit/attempts': 'What was tried',
    '/portal/audit/export': 'The audit ledger as JSON lines',
    '/portal/tenant': 'The tenant',
    '/portal/server/tenants': 'Tenants of this server',
    '/portal/server/keys': 'Signing keys of this server',
    '/portal/server/routes': 'Routes of the gate',
    '/portal/server/status': 'State of this server',
    '/portal/server/audit': 'The audit ledger of this server',
    '/portal/server/audit/attempts': 'What was tried anywhere on it',
    '/portal/server/audit/export': 'The audit ledger of this server as JSON lines',
  },
}

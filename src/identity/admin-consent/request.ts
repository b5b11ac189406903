// A request for an administrator's consent, as it waits in the Store for the person.

import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Registration } from '../../directory/records.js'
import { findRedirectUri, type VerifiedRedirectUri } from '../../oauth/requests/redirect-uri.js'
import type { PendingRequest } from '../pending/pending-request.js'

const Text = Type.String()

export const AdminConsentRequest = Type.Object({
  applicationId: Text,
  /** One of the admin consent redirect URIs; absent: the result is a page. */
  redirectUri: Type.Optional(Text),
  state: Type.Optional(Text),
  /** As the client wrote it. */
  scope: Type.Optional(Text),
  tenant: Type.Optional(Text),
  /** Which tenant the person chose, where the request names none, and who chose. */
  chosen: Type.Optional(Type.Object({ tenantId: Text, by: Text })),
})
export type AdminConsentRequest = Static<typeof AdminConsentRequest>

const validator = Compile(AdminConsentRequest)

/** The request that a pending request is; undefined for one of another kind. */
export function readAdminConsentRequest(
  pending: Pick<PendingRequest, 'kind' | 'body'>,
): AdminConsentRequest | undefined {
  return pending.kind === 'admin-consent' && validator.Check(pending.body) ? pending.body : undefined
}

/** Exact, of this list alone, for every type of client (C8): nobody but an administrator is ever sent there. */
export function findAdminConsentUri(registration: Registration, presented: string): VerifiedRedirectUri | undefined {
  return findRedirectUri(registration.adminConsentRedirectUris, presented, 'web')
}

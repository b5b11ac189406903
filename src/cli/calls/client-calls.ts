// The part of the management API that is about outside issuers and registration by standard, as the commands use it.

import type { ClientAnswer, ClientBody } from '../../management/applications/client-schemas.js'
import type { LocalClient } from './local-client.js'

type Owner = ClientAnswer<'owner'>
type NewOrigin = ClientAnswer<'newOrigins'>['value'][number]
type Credential = ClientAnswer<'federatedCredential'>

/** The calls. `applicationId` is an identifier, not a name. */
export interface ClientCalls {
  addFederated(applicationId: string, body: ClientBody<'addFederatedCredential'>): Promise<Credential>
  listFederated(applicationId: string): Promise<Credential[]>
  removeFederated(applicationId: string, id: string): Promise<unknown>
  addOwner(applicationId: string, body: ClientBody<'addOwner'>): Promise<Owner>
  listOwners(applicationId: string): Promise<Owner[]>
  removeOwner(applicationId: string, ownerId: string): Promise<unknown>
  listNewOrigins(of: { applicationId: string } | { tenantId: string }): Promise<NewOrigin[]>
  /** `until`: when the newest one that was looked at was added. */
  dismissNewOrigins(applicationId: string, until: string): Promise<unknown>
  createToken(body: ClientBody<'createRegistrationToken'>): Promise<ClientAnswer<'createdRegistrationToken'>>
  listTokens(tenantId: string | undefined): Promise<ClientAnswer<'registrationTokens'>['value']>
  revokeToken(id: string): Promise<unknown>
}

/** The calls over `client`. */
export function clientCalls(client: LocalClient): ClientCalls {
  const call = async <T>(method: string, path: string, body?: unknown) => (await client.call(method, path, body)) as T
  const list = async <T>(path: string) => (await call<{ value: T[] }>('GET', path)).value
  const federated = (applicationId: string) => `/applications/${applicationId}/federatedCredentials`
  const owners = (applicationId: string) => `/applications/${applicationId}/owners`
  return {
    addFederated: (applicationId, body) => call('POST', federated(applicationId), body),
    listFederated: (applicationId) => list(federated(applicationId)),
    removeFederated: (applicationId, id) => call('DELETE', `${federated(applicationId)}/${encodeURIComponent(id)}`),
    addOwner: (applicationId, body) => call('POST', owners(applicationId), body),
    listOwners: (applicationId) => list(owners(applicationId)),
    removeOwner: (applicationId, ownerId) => call('DELETE', `${owners(applicationId)}/${encodeURIComponent(ownerId)}`),
    listNewOrigins: (of) =>
      list(`${'tenantId' in of ? `/tenants/${of.tenantId}` : `/applications/${of.applicationId}`}/newRedirectOrigins`),
    dismissNewOrigins: (applicationId, until) =>
      call('DELETE', `/applications/${applicationId}/newRedirectOrigins?${new URLSearchParams({ until })}`),
    createToken: (body) => call('POST', '/registrationTokens', body),
    listTokens: (tenantId) =>
      list(`/registrationTokens${tenantId === undefined ? '' : `?${new URLSearchParams({ tenantId })}`}`),
    revokeToken: (id) => call('DELETE', `/registrationTokens/${encodeURIComponent(id)}`),
  }
}

// A client that nobody registered as an application in a tenant, before anybody there has allowed it: what the rest of
// this server reads is a registration, so it is one that no table has yet.

import type { Catalogue, Resource } from '../../config/settings/settings.js'
import { documentApplicationId } from '../../oauth/secrets/document-application-id.js'
import type { DocumentFacts, PermissionRef, Registration } from '../records.js'
import { type ClientDocument, documentDigest, documentLabel } from './client-document.js'

/** A registration that a document describes. */
export type DocumentRegistration = Registration & { document: DocumentFacts }

/** By the resources of the configuration, which are others after each reload. */
const remembered = new WeakMap<ReadonlyMap<string, Resource>, readonly PermissionRef[]>()

/** The most that such a client may ask people for: what the configuration names with each resource (`documents`). */
export function documentPermissions({
  resources,
  find,
}: Pick<Catalogue, 'resources' | 'find'>): readonly PermissionRef[] {
  const known = remembered.get(resources)
  if (known !== undefined) return known
  const all = [...resources.values()].flatMap(({ id: resource, documents = [] }) =>
    documents.map((id) => ({ kind: 'delegated' as const, resource, id })),
  )
  const permissions = all.filter(({ kind, resource, id }) => find(kind, resource, id) !== undefined)
  remembered.set(resources, permissions)
  return permissions
}

/**
 * The application that people of the tenant would allow. Its identifier is the one that it will have; without a tenant,
 * while nobody knows which one it is for, it has none (an empty text).
 */
export function documentRegistration(
  document: ClientDocument,
  { tenantId = '', configured }: { tenantId?: string | undefined; configured: readonly PermissionRef[] },
): DocumentRegistration {
  const { url, clientName, type, redirectUris, jwks, grantTypes, fetchedAt } = document
  return {
    applicationId: tenantId === '' ? '' : documentApplicationId(url, tenantId),
    publicKey: '',
    tenantId,
    name: documentLabel(url),
    type,
    state: 'enabled',
    audience: 'home',
    requirePkce: true,
    authMethod: type === 'web' ? 'private_key_jwt' : 'secret',
    jwks,
    idTokenAlg: 'RS256',
    publisher: '',
    verified: false,
    deviceCodes: 'off',
    createdBy: '',
    createdAt: fetchedAt,
    updatedAt: fetchedAt,
    secrets: [],
    redirectUris,
    redirectEpochs: { current: 0, of: new Map() },
    adminConsentRedirectUris: [],
    logoutRedirectUris: [],
    configured,
    federated: [],
    grantTypes,
    document: { url, clientName, digest: documentDigest(document), fetchedAt, isStored: false },
  }
}

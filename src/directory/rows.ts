// From the Store's rows to the records that the rooms work with. Numbers are made explicit, because PostgreSQL
// hands out bigint as text.

import type { ApplicationRecord } from '../storage/sql/registrations/applications.js'
import type { InstallationRecord } from '../storage/sql/registrations/installations.js'
import type { TenantRow } from '../storage/sql/registrations/tenants.js'
import { readRedirectEpochs } from './applications/redirect-epochs.js'
import type { FederatedCredential, Installation, PermissionRef, Registration, Secret, Tenant } from './records.js'

/** A registration from its rows. */
export function toRegistration(record: ApplicationRecord): Registration {
  const { application, secrets, redirectUris, configured, federated, document } = record
  const urisFor = (purpose: string) => redirectUris.filter((row) => row.purpose === purpose).map((row) => row.uri)
  return {
    applicationId: application.id,
    publicKey: application.public_key,
    tenantId: application.tenant_id,
    name: application.name,
    type: application.type === 'web' ? 'web' : 'native',
    state: stateOf(application.state),
    audience: application.audience === 'any' ? 'any' : 'home',
    requirePkce: Number(application.require_pkce) === 1,
    authMethod: authMethodOf(application),
    jwks: application.jwks === null ? undefined : JSON.parse(application.jwks),
    idTokenAlg: idTokenAlgOf(application.id_token_alg),
    publisher: application.publisher,
    verified: Number(application.verified) === 1,
    deviceCodes: application.device_codes === 'allowed' ? 'allowed' : 'off',
    createdBy: application.created_by,
    createdAt: Number(application.created_at),
    updatedAt: Number(application.updated_at),
    secrets: secrets.map(toSecret),
    redirectUris: urisFor('redirect'),
    redirectEpochs: readRedirectEpochs(application.redirect_epochs),
    adminConsentRedirectUris: urisFor('admin-consent'),
    logoutRedirectUris: urisFor('logout'),
    configured: configured.map(toPermission),
    federated: federated.map(toFederatedCredential),
    grantTypes: grantTypesOf(record),
    ...(document === undefined ? {} : { document: toDocument(document) }),
  }
}

function grantTypesOf({ client, document }: ApplicationRecord): readonly string[] | undefined {
  const list = client?.grant_types ?? document?.grant_types
  return list === undefined ? undefined : JSON.parse(list)
}

function toDocument(row: NonNullable<ApplicationRecord['document']>): Registration['document'] {
  const { url, client_name: clientName, digest } = row
  return { url, clientName, digest, fetchedAt: Number(row.fetched_at), isStored: true }
}

/** A federated credential from its row. */
export function toFederatedCredential(row: ApplicationRecord['federated'][number]): FederatedCredential {
  const { id, name, issuer, subject, audience, jwks } = row
  return {
    id,
    name,
    issuer,
    subject,
    audience,
    jwks: jwks === null ? undefined : JSON.parse(jwks),
    createdAt: Number(row.created_at),
    lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
  }
}

/** An installation with its consents, from its rows. */
export function toInstallation(record: InstallationRecord): Installation {
  return {
    applicationId: record.installation.application_id,
    tenantId: record.installation.tenant_id,
    redirectEpoch: Number(record.installation.redirect_epoch),
    granted: record.grants.map((row) => ({
      ...toPermission(row),
      grantedAt: Number(row.granted_at),
      grantedBy: row.granted_by,
    })),
  }
}

/** A tenant from its row. */
export function toTenant(row: TenantRow): Tenant {
  return {
    tenantId: row.id,
    name: row.name,
    state: stateOf(row.state),
    userConsent: userConsentOf(row),
    deviceCodes: row.device_codes === 'allowed' ? 'allowed' : 'off',
    administrators: row.administrators === 'any' ? 'any' : 'secondFactor',
    secondFactor: factorRoles.find((role) => role === row.second_factor) ?? 'member',
    ownSignIn: row.own_sign_in === 'allowed' ? 'allowed' : 'owners',
    signInProviders: row.sign_in_providers === null ? null : JSON.parse(row.sign_in_providers),
    clientHosts: row.client_hosts === null ? null : JSON.parse(row.client_hosts),
    createdAt: Number(row.created_at),
  }
}

/** Whatever is none of these is the strictest. */
const factorRoles = ['none', 'owner', 'administrator', 'developer'] as const

/** Whatever is not plainly less strict is the strictest. */
function userConsentOf({ user_consent: people, foreign_consent: foreign }: TenantRow): Tenant['userConsent'] {
  if (people !== 'allowed') return 'administrators'
  return foreign === 'allowed' ? 'allowed' : 'verified'
}

function toSecret(row: ApplicationRecord['secrets'][number]): Secret {
  return {
    keyId: row.key_id,
    label: row.label,
    hint: row.hint,
    hash: row.hash,
    pepperId: row.pepper_id,
    startsAt: Number(row.starts_at),
    endsAt: Number(row.ends_at),
    lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
    createdAt: Number(row.created_at),
  }
}

function toPermission(row: { kind: string; resource: string; permission_id: string }): PermissionRef {
  const kind = row.kind === 'application' ? 'application' : 'delegated'
  return { kind, resource: row.resource, id: row.permission_id }
}

/** Whatever is not plainly enabled is disabled. */
function stateOf(state: string): 'enabled' | 'disabled' {
  return state === 'enabled' ? 'enabled' : 'disabled'
}

/** No secret, and no keys of its own either: `federated`, which instances of an older version refuse altogether. */
function authMethodOf({ auth_method, jwks }: ApplicationRecord['application']): Registration['authMethod'] {
  if (auth_method !== 'private_key_jwt') return 'secret'
  return jwks === null ? 'federated' : 'private_key_jwt'
}

function idTokenAlgOf(alg: string): Registration['idTokenAlg'] {
  return alg === 'ES256' || alg === 'EdDSA' ? alg : 'RS256'
}

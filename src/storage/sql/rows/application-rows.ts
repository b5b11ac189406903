// The tables of applications as they are registered, and of what they may do in which tenant. Text ids, epoch
// milliseconds, as in tables.ts, which takes these in.

interface ApplicationsTable {
  /** The application identifier (GUID). */
  id: string
  /** The second, equal client identifier `pcl_pk_…`; unique. */
  public_key: string
  /** Home tenant. */
  tenant_id: string
  name: string
  /** web | native */
  type: string
  /** enabled | disabled */
  state: string
  /** home | any: which tenants may install it. */
  audience: string
  created_at: number
  updated_at: number
  /** 1: a web application too must send a PKCE challenge. */
  require_pkce: number
  /** secret | private_key_jwt: the one way in which a web application proves who it is. */
  auth_method: string
  /** JSON Web Key Set of its public keys, for private_key_jwt. */
  jwks: string | null
  /** RS256 | ES256 | EdDSA */
  id_token_alg: string
  /** Who publishes it, for the consent page; empty: nobody said. */
  publisher: string
  /** 1: an operator has verified the publisher. */
  verified: number
  /** The id of the person or application that registered it; empty: the local socket, or nobody knows. */
  created_by: string
  /** allowed | off: whether it may ask for device codes. */
  device_codes: string
  /** JSON of directory/applications/redirect-epochs.ts; empty: no origin came later than the registration. */
  redirect_epochs: string
  /** Its name as lists find and sort it (overview/name-keys.ts). */
  name_key: string
}

interface ApplicationSecretsTable {
  key_id: string
  application_id: string
  label: string
  /** First three characters of the random part, to recognise it by. */
  hint: string
  /** Hex HMAC-SHA-256 of the whole secret under the pepper `pepper_id`. */
  hash: string
  pepper_id: string
  starts_at: number
  ends_at: number
  last_used_at: number | null
  created_at: number
}

interface RedirectUrisTable {
  application_id: string
  /** redirect | admin-consent | logout */
  purpose: string
  uri: string
}

interface ConfiguredPermissionsTable {
  application_id: string
  /** application | delegated */
  kind: string
  resource: string
  permission_id: string
}

interface InstallationsTable {
  application_id: string
  tenant_id: string
  created_at: number
  /** Up to which epoch of its redirect URIs an administrator there was prompted. */
  redirect_epoch: number
}

/** Administrator consent: what an installed application may do in a tenant. */
interface PermissionGrantsTable {
  application_id: string
  tenant_id: string
  kind: string
  resource: string
  permission_id: string
  granted_at: number
  granted_by: string
}

/** Their part of the tables. */
export interface ApplicationTables {
  applications: ApplicationsTable
  application_secrets: ApplicationSecretsTable
  redirect_uris: RedirectUrisTable
  configured_permissions: ConfiguredPermissionsTable
  installations: InstallationsTable
  permission_grants: PermissionGrantsTable
}

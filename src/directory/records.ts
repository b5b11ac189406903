// The registrations as the other rooms see them. Types only; the rows are in storage/sql/rows/tables.ts.

import type { Role } from '../config/settings/settings.js'
import type { RedirectEpochs } from './applications/redirect-epochs.js'
import type { Found } from './guarded-cache.js'
import type { TenantToolRules } from './tools/tool-rules.js'

export type PermissionKind = 'application' | 'delegated'

/** A permission is compared as this triple, never by id alone. */
export interface PermissionRef {
  kind: PermissionKind
  /** Identifier URI of the API, exactly. */
  resource: string
  id: string
}

export interface Secret {
  keyId: string
  label: string
  hint: string
  /** Hex keyed hash; see oauth/secrets/client-secret.ts. */
  hash: string
  pepperId: string
  startsAt: number
  endsAt: number
  lastUsedAt: number | null
  createdAt: number
}

/** Whose tokens prove that somebody is the application (decision 0061): each of the three exactly. */
export interface FederatedCredential {
  /** `fed_…`; tokens that were got with it name it in `cid`. */
  id: string
  name: string
  /** https URL. */
  issuer: string
  subject: string
  audience: string
  /** The issuer's public keys; undefined: they are fetched from the issuer. */
  jwks: { keys: readonly Record<string, unknown>[] } | undefined
  createdAt: number
  lastUsedAt: number | null
}

export interface Registration {
  applicationId: string
  publicKey: string
  /** Home tenant. */
  tenantId: string
  name: string
  type: 'web' | 'native'
  state: 'enabled' | 'disabled'
  audience: 'home' | 'any'
  /** A web application that must send a PKCE challenge too; native ones always must. */
  requirePkce: boolean
  /**
   * The one way of its own in which a web application proves who it is; `federated`: it has none. Federated credentials
   * stand beside each of them.
   */
  authMethod: 'secret' | 'private_key_jwt' | 'federated'
  /** Its public keys, for private_key_jwt. */
  jwks: { keys: readonly Record<string, unknown>[] } | undefined
  idTokenAlg: 'RS256' | 'ES256' | 'EdDSA'
  /** For the consent page; empty: nobody said. */
  publisher: string
  /** An operator has verified the publisher. */
  verified: boolean
  /** Whether it may ask for device codes. */
  deviceCodes: 'allowed' | 'off'
  /** The id of the person or application that registered it; empty: the local socket. */
  createdBy: string
  createdAt: number
  updatedAt: number
  secrets: readonly Secret[]
  redirectUris: readonly string[]
  redirectEpochs: RedirectEpochs
  adminConsentRedirectUris: readonly string[]
  logoutRedirectUris: readonly string[]
  /** What the developer requested on the API permissions page. */
  configured: readonly PermissionRef[]
  federated: readonly FederatedCredential[]
  /** Values of `grant_type`, of an application that registered itself; undefined: all that its type may use. */
  grantTypes: readonly string[] | undefined
  /** Of a client that nobody registered: what it says of itself describes it (decisions 152, 158). */
  document?: DocumentFacts | undefined
}

/** What is known of a client by its document, as the people of the tenant allowed it. */
export interface DocumentFacts {
  /** Its `client_id`: the URL of its document, or what open registration gave it (decision 158). */
  url: string
  /** What it calls itself; empty: nothing. Nobody vouches for it. */
  clientName: string
  /** What it called itself when it was last allowed, where that is another name. */
  formerName?: string | undefined
  /** See documents/client-document.ts. */
  digest: string
  /** When the document was fetched, epoch ms. */
  fetchedAt: number
  /** Somebody in the tenant has allowed it, so that there is an application. */
  isStored: boolean
}

export interface GrantedPermission extends PermissionRef {
  grantedAt: number
  grantedBy: string
}

/** An application in a tenant, with what that tenant's administrators consented to. */
export interface Installation {
  applicationId: string
  tenantId: string
  granted: readonly GrantedPermission[]
  /** Up to which epoch of the application's redirect URIs an administrator there was prompted; absent: 0. */
  redirectEpoch?: number
}

export interface Tenant {
  tenantId: string
  name: string
  state: 'enabled' | 'disabled'
  /**
   * Who may consent to delegated permissions that need no administrator by themselves. `verified`: people themselves,
   * for the tenant's own applications and those of verified publishers; for others administrators.
   */
  userConsent: 'allowed' | 'verified' | 'administrators'
  /** Whether people of the tenant may allow devices. */
  deviceCodes: 'allowed' | 'off'
  /** What changes of weight ask of its administrators; `signIn.administrators` may ask the same of all tenants. */
  administrators: 'any' | 'secondFactor'
  /** The least role of those who need a second factor to do anything; the server may demand it of more (decision 119). */
  secondFactor: 'none' | Role
  /** Who signs in with a password or a passkey of this server to use it; owners always may (decision 130). */
  ownSignIn: 'allowed' | 'owners'
  /** Names of the providers through which its people sign in; null: all that the server has. */
  signInProviders: readonly string[] | null
  /** Hosts whose clients people may use though nobody registered them; null: all that the server takes (decision 152). */
  clientHosts: readonly string[] | null
  createdAt: number
}

/** Cached reads: at once what is known, never a promise for that. Every answer is at least as new as the Feed's `seq` was at the time of the call. */
export interface Directory {
  /** By application identifier or public key. Throws StoreUnavailable. */
  findRegistration(clientIdentifier: string): Found<Registration>
  findInstallation(applicationId: string, tenantId: string): Found<Installation>
  findTenant(tenantId: string): Found<Tenant>
  /** What a tenant says of tools; of one that there is not, nothing. */
  findToolRules(tenantId: string): Found<TenantToolRules>
  /** Whether some enabled application has an https redirect URI of this web origin. */
  isBrowserOrigin(origin: string): Promise<boolean>
  /** Remembers when a secret was last used; written in batches, coarse to a minute. */
  noteSecretUse(keyId: string, atMs: number): void
  /** Writes what noteSecretUse gathered. */
  flush(): Promise<void>
}

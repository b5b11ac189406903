// The configuration as the other rooms see it: resolved, checked, in base units (bytes, milliseconds, seconds
// where the name says so), frozen. The file's own shape is schema.ts; load.ts turns one into the other.

import type { Language } from '../../languages/language.js'
import type { Translations } from '../../languages/translations.js'
import type { BrandSettings } from '../brand/brand-settings.js'
import type { PlanRules } from '../plans/plan-settings.js'
import type { SecretValue } from '../read/secret-value.js'
import type { Problem } from '../report/problem.js'
import type { CallTest } from '../routes/call-test.js'
import type { ExchangeSettings } from './exchange-settings.js'
import type { ForwardAuthSettings } from './forward-auth-settings.js'
import type { IssuerSettings } from './issuer-settings.js'
import type { LimitPolicy } from './limit-settings.js'
import type { RouteSettings } from './route-settings.js'
import type { RedisSettings, StoreSettings } from './storage-settings.js'
import type { UpstreamSettings } from './upstream-settings.js'

export interface Resource {
  /** Identifier URI, an exact string; the `aud` of its tokens. */
  id: string
  name: string
  /** True for `{base_url}/api/v2`, which owns every route that names no other. */
  own: boolean
  /** Whose own it is; absent: it is of the configuration, for everybody. */
  tenantId?: string
  /** Which applications serve it and may exchange tokens for it; absent: none may. */
  exchange?: ExchangeSettings
  /** Ids of its delegated permissions that clients which nobody registered may ask people for; absent: none. */
  documents?: readonly string[]
}

export interface PermissionDefinition {
  id: string
  resource: string
  kinds: readonly ('application' | 'delegated')[]
  /** In the language of the server, unless `descriptions` has it in that of the reader. */
  describe: string
  descriptions?: Translations
  /** Whether a delegated grant of it needs an administrator too; application permissions always do. */
  adminConsent: boolean
  /** The least role that a user must have in the tenant to use it; delegated only. */
  role: Role
  /** Ids of the same resource that this one includes. */
  covers: readonly string[]
  /** Whose API it is of; absent: of the configuration, for everybody. */
  tenantId?: string
}

/** What a person is in a tenant, each one including those before it. */
export type Role = 'member' | 'developer' | 'administrator' | 'owner'

/** An OpenID provider through which people may sign in. */
export interface ProviderSettings {
  name: string
  label: string
  issuer: string
  clientId: string
  /** Undefined: a public client there. */
  clientSecret: SecretValue | undefined
  scope: string
  /** Whether unknown people get an account, in this tenant. */
  createUsers: boolean
  tenantId: string | undefined
  role: Role
  /** By the values of a claim. */
  roles: { claim: string; values: ReadonlyMap<string, Role> } | undefined
  ca: string | undefined
}

export interface Catalogue {
  own: Resource
  /** The language that descriptions of permissions are taken to be written in: the one of the server. */
  language: Language
  /** By identifier URI, the own one first. */
  resources: ReadonlyMap<string, Resource>
  permissions: readonly PermissionDefinition[]
  find(kind: 'application' | 'delegated', resource: string, id: string): PermissionDefinition | undefined
  /** Resources of the configuration that define this id, in the order of the file. */
  resourcesOf(id: string): readonly string[]
  /** Ids that satisfy a requirement for `id` of that kind: itself and every permission that covers it. */
  satisfying(kind: 'application' | 'delegated', resource: string, id: string): readonly string[]
}

export interface Settings {
  mode: 'development' | 'production'
  /** The file that was read, for messages. */
  file: string
  /** What was loaded although somebody should look at it, such as a secret in a file that everybody may read. */
  warnings: readonly Problem[]
  /** Whether a change of the file is looked for. */
  watch: boolean
  server: {
    /** The issuer: an https origin without path or trailing slash. */
    baseUrl: string
    /** Further host names, in lower case, which answer for routes only. */
    apiHosts: readonly string[]
    host: string
    port: number
    tls: { kind: 'development' } | { kind: 'files'; cert: string; key: string } | { kind: 'off' }
    /** Further certificates, chosen by the name that a client asks for. */
    certificates: readonly { cert: string; key: string }[]
    /** File of the authorities of which every client must have a certificate. */
    clientCertificates: string | undefined
    /** Trusted proxies pass connections on unread, and announce whose they are. */
    proxyProtocol: boolean
    /** The status of certificates is fetched from their responders. */
    ocspStapling: boolean
    hstsIncludeSubDomains: boolean
    /** CIDR blocks whose X-Forwarded-* are believed; none by default. */
    trustedProxies: readonly string[]
    operator: { host: string; port: number }
    /** Undefined: nobody asks for decisions. */
    forwardAuth: ForwardAuthSettings | undefined
    urlBytes: number
    headerBytes: number
    headerCount: number
    bodyBytes: number
    tokenBodyBytes: number
    headersTimeoutMs: number
    bodyIdleMs: number
    keepAliveMs: number
    requestsPerConnection: number
    /** How long requests may wait for the event loop before the least urgent are refused; 0: however long. */
    longestWaitMs: number
    /** At once, to one process. */
    connections: { all: number; perAddress: number; perNetwork: number }
    /** All request bodies that are held in memory at once. */
    heldBodyBytes: number
    /** Requests that one caller may have under way over all upstreams. */
    perCaller: number
    /** How long readiness is false before connections are closed, then how long requests may still finish. */
    drainReadyMs: number
    drainMs: number
  }
  data: { folder: string }
  /** What pages look like where no tenant's brand stands. */
  brand: BrandSettings
  store: StoreSettings
  /** Undefined: this instance counts for itself and hears of changes by polling. */
  redis: RedisSettings | undefined
  /**
   * 32 bytes each in base64url; the first one is used for new things, all are tried for old ones. Empty: the data
   * folder's own.
   */
  masterKeys: readonly SecretValue[]
  tokens: {
    lifetimeSeconds: number
    leewaySeconds: number
    algorithm: 'ES256' | 'RS256' | 'EdDSA'
    /** How long a key is published before it signs. */
    publishBeforeMs: number
    rotateEveryMs: number
    cacheEntries: number
    codeLifetimeMs: number
    refreshIdleMs: number
    refreshMs: number
    refreshGraceMs: number
  }
  /** How long a deleted application can be restored; 0: not at all. */
  applications: { restorableMs: number }
  /** How much one tenant may have; `grants`: one person. */
  quotas: { applications: number; deletedApplications: number; people: number; subscriptions: number; grants: number }
  revocation: {
    staleAfterMs: number
    pollMs: number
    /**
     * How many revocations of single tokens and grants may be alive: of an application in a tenant, of a person there.
     */
    bounds: { perApplication: number; perUser: number; credentials: number }
  }
  signIn: {
    sessionIdleMs: number
    /** The longest a session lives. */
    sessionMs: number
    /** How old a sign-in may be for changes of weight. */
    recentMs: number
    /** Whether changes of weight ask administrators, owners and operators for a second factor. */
    administrators: 'any' | 'secondFactor'
    secondFactor: {
      /** Who needs a second factor to do anything. */
      required: ReadonlySet<Role | 'operator'>
      /** For how long people may go on without one, once they know. */
      graceMs: number
    }
    /** Characters. */
    passwordLength: number
    /** File of SHA-1 hashes of passwords that have leaked, absolute; empty: none. */
    breachedPasswords: string
    /** Failed attempts. */
    perAccount: { limit: number; periodMs: number }
    perAddress: { limit: number; periodMs: number }
    /** Attempts of everybody. */
    overall: { limit: number; periodMs: number }
    /** Who may use device codes; `all`: the command line's own application too. */
    deviceCodes: 'off' | 'applications' | 'all'
    /** Of pages and mails for people who wish none that there is. */
    language: Language
    providers: ReadonlyMap<string, ProviderSettings>
  }
  /** Undefined: no mail is sent. */
  mail:
    | {
        url: SecretValue
        from: string
        /** How much goes at most: for a tenant, to one address, by one person or application, and at all. */
        perTenant: { limit: number; periodMs: number }
        perRecipient: { limit: number; periodMs: number }
        perSender: { limit: number; periodMs: number }
        overall: { limit: number; periodMs: number }
      }
    | undefined
  ledger: {
    checkpoints: string
    checkpointEveryMs: number
    activityEntries: number
    /** Undefined: rows stay for ever. */
    retentionMs: number | undefined
    /** The folder for rows that leave; undefined: none is kept. */
    archive: string | undefined
  }
  usage: {
    flushEveryMs: number
    keepMs: number
    /** How long nobody must have used a permission until it counts as unused. */
    unusedAfterMs: number
  }
  /** Whether applications may register by standard, with a registration token. */
  registration: {
    standard: boolean
    /** Clients that register without one. */
    open: {
      enabled: boolean
      /** Of https redirect URIs, in lower case. */
      hosts: readonly string[]
      perAddress: { limit: number; periodMs: number }
      overall: { limit: number; periodMs: number }
    }
    /** Clients whose client_id is the URL of a document about them. */
    documents: {
      /** Whose are taken; a list is of hosts, in lower case. */
      trust: 'off' | 'any' | readonly string[]
      /** Names and addresses, in lower case, that may be called although they are not public. */
      allow: readonly string[]
      ca: string | undefined
    }
  }
  federation: {
    /** Whether keys are fetched from outside issuers. */
    fetch: boolean
    /** Names and addresses, in lower case, that may be called although they are not public. */
    allow: readonly string[]
    /** Issuers whose tokens may come more than once. */
    reuse: readonly string[]
    ca: string | undefined
  }
  /** Where webhooks may lead besides public addresses, and whose certificates they may have. */
  events: { allow: readonly string[]; ca: string | undefined }
  log: { level: string; format: 'auto' | 'json' | 'pretty'; access: boolean }
  catalogue: Catalogue
  upstreams: ReadonlyMap<string, UpstreamSettings>
  routes: readonly RouteSettings[]
  limits: ReadonlyMap<string, LimitPolicy>
  /** What applications may use, by name. */
  plans: PlanRules['plans']
  /** That of an application of which nobody said another one. */
  defaultPlan: PlanRules['defaultPlan']
  /** Issuers outside whose tokens some routes take, by name. */
  issuers: ReadonlyMap<string, IssuerSettings>
  /** What these rules must decide; a configuration of which one fails is not loaded. */
  tests: readonly CallTest[]
  /** Policies for the token, revocation and introspection endpoints. */
  tokenLimits: readonly string[]
  /** Requests per period that one address may send, before anything else is looked at. */
  addressGuard: { limit: number; periodMs: number }
  /** Failed client authentications per (address, client). */
  failedAuthentications: { limit: number; periodMs: number }
}

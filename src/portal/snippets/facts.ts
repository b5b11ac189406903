// What the programs of an application are made of: who it is, what it asks for, where people come back to, and the
// first call that its permissions open.

import type { Settings } from '../../config/settings/settings.js'
import { isOpenidWord } from '../../directory/consents/consent-rules.js'
import type { PermissionRef } from '../../directory/records.js'
import type { Download } from '../../downloads/downloads.js'
import type { DevelopmentAuthority } from '../../http/tls/development-ca.js'
import type { Application } from '../application-page.js'
import { type KindId, kindOf } from '../applications/kinds.js'
import { type FirstCall, firstCalls, guessedCall, userinfoPath } from './first-call.js'

export interface SnippetFacts {
  baseUrl: string
  applicationId: string
  kind: KindId
  /** The value of `requested_scopes`. */
  scope: string
  /** The address of the first call. */
  call: string
  /** For programs that people come back to. */
  redirect: Redirect
  /** For a page in a browser; undefined where the application has no address of one. */
  page: BrowserPage | undefined
  authority: DevelopmentAuthority | undefined
  client: Download | undefined
}

/** Where people come back to. */
export interface Redirect {
  uri: string
  /** Where a program listens for it; undefined: on this machine nobody can. */
  loopback: { host: string; port: number | undefined; path: string } | undefined
  /** Whether the application has it. */
  isRegistered: boolean
}

export interface BrowserPage {
  uri: string
  origin: string
  /** Where a server of files has it: `callback/index.html`. */
  file: string
  scope: string
  call: string
  /** A route that it could call if the configuration let its origin: `GET /api/v2/me`. */
  closed: string | undefined
}

interface Surroundings {
  settings: Settings
  tenantId: string
  authority: DevelopmentAuthority | undefined
  client: Download | undefined
}

const loopbackPattern = /^http:\/\/(127\.0\.0\.1|localhost)(?::(\d+))?(\/[^?]*)?$/
const pagePattern = /^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d)/
/** RFC 8252 §7.3: at whatever port. */
const proposedUri = 'http://127.0.0.1/callback'

/** All of it, for an application in a tenant. */
export function snippetFacts(
  application: Application,
  { settings, tenantId, authority, client }: Surroundings,
): SnippetFacts {
  const { baseUrl } = settings.server
  const { kind, held } = heldBy(application, tenantId)
  const [first = guessedCall(settings, held)] = firstCalls(settings, held, application.applicationId)
  const asPerson = kind !== 'server' && held.length === 0
  return {
    baseUrl,
    applicationId: application.applicationId,
    kind,
    scope: asPerson ? 'openid profile' : scopeOf(first, settings),
    call: baseUrl + (asPerson ? userinfoPath : first.path),
    redirect: redirectOf(application),
    page: kind === 'native' ? pageOf(application, settings, held) : undefined,
    authority,
    client,
  }
}

/**
 * What the programs act with: of application permissions those that were consented, before any was all that are
 * configured; of delegated ones those that are configured, since people consent when they sign in.
 */
export function heldBy(application: Application, tenantId: string): { kind: KindId; held: readonly PermissionRef[] } {
  const { permissions, consents } = application
  const own = permissions.filter((ref) => ref.kind === 'application')
  const delegated = permissions.filter((ref) => ref.kind === 'delegated' && !isOpenidWord(ref))
  const kind = kindOf(application)
  if (kind === 'native' || (kind === 'web' && (delegated.length > 0 || own.length === 0))) {
    return { kind, held: delegated }
  }
  const here = consents.filter((consent) => consent.tenantId === tenantId)
  const granted = here.flatMap((consent) => consent.permissions).filter((ref) => ref.kind === 'application')
  return { kind: 'server', held: granted.length > 0 ? granted : own }
}

/** A token is for one API. */
function scopeOf({ resource }: FirstCall, { catalogue }: Settings): string {
  return resource === catalogue.own.id ? 'default' : `${resource}/.default`
}

function redirectOf({ redirectUris, type }: Application): Redirect {
  const byHost = redirectUris.toSorted((a, b) => rank(a) - rank(b))
  const uri = byHost[0]
  if (uri !== undefined && (type === 'web' || loopbackPattern.test(uri))) {
    return { uri, loopback: loopbackOf(uri), isRegistered: true }
  }
  return { uri: proposedUri, loopback: loopbackOf(proposedUri), isRegistered: false }
}

/** Programs listen best on 127.0.0.1: `localhost` may be another address for the browser. */
function rank(uri: string): number {
  if (!loopbackPattern.test(uri)) return 2
  return uri.startsWith('http://127.') ? 0 : 1
}

function loopbackOf(uri: string): Redirect['loopback'] {
  const [matched, host = '', port, path = ''] = loopbackPattern.exec(uri) ?? []
  if (matched === undefined) return undefined
  return { host, port: port === undefined ? undefined : Number(port), path }
}

function pageOf(application: Application, settings: Settings, held: readonly PermissionRef[]): BrowserPage | undefined {
  const { baseUrl } = settings.server
  const uri = application.redirectUris.find((each) => pagePattern.test(each))
  if (uri === undefined) return undefined
  const { origin, pathname } = new URL(uri)
  const name = pathname.slice(1)
  const file = /(?:^|\/)[^/]*\.html?$/.test(name)
    ? name
    : `${name}${name === '' || name.endsWith('/') ? '' : '/'}index.html`
  const calls = firstCalls(settings, held, application.applicationId)
  const open = calls.find(({ origins }) => origins.includes('*') || origins.includes(origin))
  const about = { uri, origin, file }
  if (open !== undefined)
    return { ...about, scope: scopeOf(open, settings), call: baseUrl + open.path, closed: undefined }
  const closed = calls[0] === undefined ? undefined : `GET ${calls[0].path}`
  return { ...about, scope: 'openid profile', call: baseUrl + userinfoPath, closed }
}

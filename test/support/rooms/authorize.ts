// The authorization endpoint with somebody in front of it: an application, people of its tenant, and browsers that are
// signed in without a page.

import type { LightMyRequestResponse } from 'fastify'
import type { Role } from '../../../src/config/settings/settings.js'
import type { RegistrationInput } from '../../../src/directory/applications/registration.js'
import type { PermissionRef, Registration } from '../../../src/directory/records.js'
import type { Session, User } from '../../../src/users/records.js'
import { createSession } from '../../../src/users/sessions/sessions.js'
import { createScriptedBrowser, type ScriptedBrowser } from '../browser/scripted-browser.js'
import { allOpenidScopes, consentTo, makePerson, pkcePair } from './delegation.js'
import { baseUrl, ownResource } from './directory.js'
import { type IdentityApp, type IdentityOptions, openIdentity } from './identity.js'

export const authorizePath = '/api/v2/oauth2/v2.0/authorize'
export const callback = 'https://app.test/callback'
export const pair = pkcePair()

export interface AuthorizeApp extends IdentityApp {
  registration: Registration
  secret: string
  tenantId: string
  user: User
  browser(): ScriptedBrowser
  /** A browser in which the person is signed in. */
  signedIn(userId?: string, more?: { acr?: string }): Promise<ScriptedBrowser>
  signIn(browser: ScriptedBrowser, userId: string, more?: { acr?: string }): Promise<Session>
  person(more?: { role?: Role; tenantId?: string }): Promise<User>
  /** Remembers that the person allowed everything that the application may ask for. */
  consent(who?: { userId?: string; tenantId?: string; registration?: Registration }): Promise<void>
  /** The address of a request, of the application unless `more` says otherwise; an undefined value leaves it out. */
  address(more?: Record<string, string | undefined>): string
  register(more: Partial<RegistrationInput>): Promise<{ registration: Registration; secret: string; tenantId: string }>
}

interface Test {
  testdir(): string
  teardown(work: () => unknown): void
}

export const delegated = (id: string): PermissionRef => ({ kind: 'delegated', resource: ownResource, id })

/**
 * Opens an application with a web application that may ask for User.Read and assets_read, neither of which needs an
 * administrator, and a member of its tenant, who has allowed both unless `consented` says otherwise.
 */
export async function openAuthorize(
  t: Test,
  options: IdentityOptions & { registration?: Partial<RegistrationInput>; consented?: boolean } = {},
): Promise<AuthorizeApp> {
  const testApp = await openIdentity(t, options)
  const register: AuthorizeApp['register'] = (more) =>
    testApp.registerDemo({
      permissions: ['User.Read', 'assets_read'].map(delegated),
      redirectUris: [callback],
      // No administrator has consented for everybody.
      consentBy: undefined,
      ...more,
    })
  Object.assign(testApp.catalogue.find('delegated', ownResource, 'assets_read') ?? {}, { adminConsent: false })
  const { registration, secret, tenantId } = await register(options.registration ?? {})
  const person: AuthorizeApp['person'] = ({ role, tenantId: where = tenantId } = {}) =>
    makePerson(testApp.deps, where, role === undefined ? {} : { role })
  const user = await person()
  const browser = () => createScriptedBrowser(baseUrl, (request) => send(testApp, request))
  const signIn: AuthorizeApp['signIn'] = async (where, userId, { acr = '1' } = {}) => {
    const { session, cookie } = await createSession(testApp.deps.users, {
      ...{ userId, acr, amr: ['pwd'], userAgent: 'test', address: '127.0.0.1' },
    })
    where.cookies.set('__Host-portcullis-session', cookie)
    return session
  }
  const consent: AuthorizeApp['consent'] = (who = {}) => {
    const { userId = user.userId, tenantId: where = tenantId, registration: whose = registration } = who
    const permissions = [...whose.configured.map(({ id }) => id), ...allOpenidScopes]
    return consentTo(testApp.deps, { userId, tenantId: where, applicationId: whose.applicationId, permissions })
  }
  if (options.consented !== false) await consent()
  return {
    ...testApp,
    ...{ registration, secret, tenantId, user, register, person, browser, signIn, consent },
    async signedIn(userId = user.userId, more = {}) {
      const made = browser()
      await signIn(made, userId, more)
      return made
    },
    address(more = {}) {
      const fields = { client_id: registration.applicationId, redirect_uri: callback, response_type: 'code', ...more }
      const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return `${authorizePath}?${new URLSearchParams(present)}`
    },
  }
}

/** The query of a redirect, by name. */
export function answerOf({ location }: { location: string | undefined }): Record<string, string> {
  const query = location?.split('?').slice(1).join('?') ?? ''
  return Object.fromEntries(new URLSearchParams(query))
}

/** A request of a scripted browser. */
export async function send(
  testApp: IdentityApp,
  request: { method: 'GET' | 'POST'; path: string; headers: Record<string, string>; body: string | undefined },
) {
  const { method, path, headers, body } = request
  const answer: LightMyRequestResponse = await testApp.ask({
    ...{ method, url: path, headers },
    ...(body === undefined ? {} : { payload: body }),
  })
  return { status: answer.statusCode, headers: answer.headers as Record<string, string | string[]>, body: answer.body }
}

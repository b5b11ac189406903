// The sign-in pages with people in front of them: accounts that exist, browsers without a screen, and short ways
// through.

import type { Role } from '../../../src/config/settings/settings.js'
import { createTenant } from '../../../src/directory/tenants/tenants.js'
import type { Attempt } from '../../../src/ledger/ledger.js'
import type { User } from '../../../src/users/records.js'
import { createScriptedBrowser, type ScriptedBrowser, type Shown } from '../browser/scripted-browser.js'
import { baseUrl } from '../rooms/directory.js'
import { type IdentityApp, type IdentityOptions, openIdentity } from '../rooms/identity.js'
import { createKnownUser } from './known-password.js'

export const password = 'nine quiet purple lanterns'
export const sessionCookie = '__Host-portcullis-session'
export const browserCookie = '__Host-portcullis-browser'

export interface SignInApp extends IdentityApp {
  tenantId: string
  /** What was noted of failed attempts. */
  noted: Attempt[]
  browser(address?: string): ScriptedBrowser
  person(name: string, role?: Role): Promise<User>
  /** A browser in which this person has signed in with the password. */
  signedIn(user: User): Promise<ScriptedBrowser>
  /** The events of the ledger about a person, oldest first. */
  events(userId: string): Promise<string[]>
}

/** Opens everything; it is torn down with the test. */
export async function openSignIn(
  t: { testdir(): string; teardown(work: () => unknown): void },
  options: IdentityOptions = {},
): Promise<SignInApp> {
  const noted: SignInApp['noted'] = []
  const activity = { note: (event: Attempt) => void noted.push(event), flush: async () => {} }
  const testApp = await openIdentity(t, {
    ...options,
    replace: (deps) => ({ activity, users: { ...deps.users, activity }, ...options.replace?.(deps) }),
  })
  const { tenantId } = await createTenant(testApp.writes, { name: 'Contoso' })
  const browser: SignInApp['browser'] = (address = '192.0.2.1') =>
    createScriptedBrowser(baseUrl, async ({ method, path, headers, body }) => {
      const answer = await testApp.ask({
        method,
        url: path,
        headers: { ...headers, 'x-forwarded-for': address },
        ...(body === undefined ? {} : { payload: body }),
      })
      return { status: answer.statusCode, headers: answer.headers as Shown['headers'], body: answer.body }
    })
  return {
    ...testApp,
    ...{ tenantId, noted, browser },
    person: (name, role = 'member') =>
      createKnownUser(testApp.deps.users, {
        ...{ email: `${name.toLowerCase()}@example.test`, name: `${name} Example`, password },
        membership: { tenantId, role },
      }),
    async signedIn(user) {
      const made = browser()
      const after = await signInWith(made, user.email, password)
      if (after.path !== '/account') throw new Error(`not signed in: ${after.status} ${after.path}`)
      return made
    },
    async events(userId) {
      const rows = await testApp.store.reader
        .selectFrom('ledger')
        .select('event')
        .where('user_id', '=', userId)
        .orderBy('position')
        .execute()
      return rows.map(({ event }) => event)
    },
  }
}

/** Fills in the form at `path` and goes where it leads. */
export async function signInWith(
  browser: ScriptedBrowser,
  email: string,
  secret: string,
  path = '/sign-in',
): Promise<Shown> {
  return browser.submit(await browser.open(path), 'sign-in-form', { email, password: secret })
}

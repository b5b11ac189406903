// A person and a client for a story: signed in with a password, allowed by an administrator, and a source of codes.

import type { FormBrowser } from '../../support/browser/form-browser.js'
import type { Instance } from '../../support/cluster/cluster-instance.js'
import { browseAt } from '../../support/people/people-secrets.js'
import { type MadeCode, pkcePair, redirectUri, type Tokens } from '../../support/rooms/delegation.js'
import { askEndpoint } from '../../support/secrets/client-secrets.js'
import { managed } from './provision.js'

export interface Person {
  userId: string
  /** A new tab of the browser in which they are signed in, in front of this instance. */
  at(instance: Instance): FormBrowser
}

export interface Client {
  applicationId: string
  /** Its authentication, for a form. */
  form: { client_id: string; client_secret: string }
}

/** A member of the tenant, signed in. */
export async function newPerson(instance: Instance, tenantId: string, name: string): Promise<Person> {
  const [email, password] = [`${name}@contoso.test`, 'seven unrelated green words']
  const { userId } = await managed(instance, 'POST', '/users', { email, name, password, tenantId, role: 'member' })
  const first = browseAt(instance)
  await first.open('/sign-in')
  const page = await first.submit({ email, password, passkey: '' }, { form: 'sign-in-form' })
  if (page.url !== '/account') throw new Error(`not signed in: ${page.status} ${page.url}`)
  return {
    userId: String(userId),
    at(where) {
      const browser = browseAt(where)
      for (const [cookie, value] of first.cookies) browser.cookies.set(cookie, value)
      return browser
    },
  }
}

/**
 * A web application that may ask for User.Read; an administrator has consented for everybody unless `consent` is false.
 */
export async function newClient(instance: Instance, tenantId: string, consent = true): Promise<Client> {
  const made = await managed(instance, 'POST', '/applications', {
    ...{ name: 'Client', type: 'web', tenantId, redirectUris: [redirectUri], consent },
    permissions: [{ kind: 'delegated', id: 'User.Read' }],
  })
  const applicationId = String(made['applicationId'])
  return { applicationId, form: { client_id: applicationId, client_secret: String(made['clientSecret']) } }
}

/**
 * The person goes through the authorization endpoint and accepts where there is a prompt; undefined when no code came
 * of it.
 */
export async function newCode(browser: FormBrowser, { applicationId }: Client): Promise<MadeCode | undefined> {
  const { verifier, challenge } = pkcePair()
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: applicationId, redirect_uri: redirectUri },
    ...{ scope: 'User.Read offline_access', code_challenge: challenge, code_challenge_method: 'S256' },
  })
  await browser.open(`/api/v2/oauth2/v2.0/authorize?${query}`)
  if (browser.page.body.includes('id="accept"')) await browser.submit({}, { form: 'consent', button: 'accept' })
  const { left } = browser.page
  const code = left === undefined ? null : new URL(left).searchParams.get('code')
  return code === null ? undefined : { code, verifier, redirectUri }
}

/** A form to the token endpoint; status 0 when the connection broke. */
export async function askForTokens(
  { port }: Instance,
  form: Record<string, string>,
): Promise<{ status: number; json: Tokens }> {
  try {
    return await askEndpoint(port, form)
  } catch {
    return { status: 0, json: {} as Tokens }
  }
}

// What people are given or choose: links, passwords, seeds, recovery codes, cookies, passkeys. Made over the wire, as
// people make them, and kept so that a test can look for each of them afterwards.

import { Secret, TOTP } from 'otpauth'
import { createFormBrowser, type FormBrowser } from '../browser/form-browser.js'
import { textOf } from '../browser/scripted-browser.js'
import { call } from '../cluster/checking-client.js'
import { clusterHost } from '../cluster/cluster-configuration.js'
import type { Instance } from '../cluster/cluster-instance.js'
import type { MailServer } from './mail-server.js'
import { createSoftAuthenticator } from './webauthn.js'

export interface SecretsApp {
  instance: Instance
  mails: MailServer
  /** Every secret that was given out, by what it is. */
  known: Map<string, string>
}

export interface PeopleSecrets {
  tenantId: string
  /** The owner, signed in with a password. */
  ada: FormBrowser
  /** A member, signed in with two factors. */
  bob: FormBrowser
  bobs: { email: string; password: string; seed: string; recoveryCode: string }
  /** Nobody has used these. */
  links: { invitation: string; 'password-reset': string }
}

export const browserCookie = '__Host-portcullis-browser'
export const sessionCookie = '__Host-portcullis-session'
const linkPattern = /https:\/\/[^/]+(\/\S+\/(pcl_o[lm]_[0-9A-Za-z]{43}))/

/** A new browser in front of that instance. */
export function browseAt({ port }: Instance): FormBrowser {
  return createFormBrowser(`https://${clusterHost}`, ({ url, payload, ...request }) =>
    call(port, { ...request, path: url, ...(payload === undefined ? {} : { body: payload }) }),
  )
}

/** A management call; its JSON. Throws when it is refused. */
export async function managedBy(instance: Instance, method: string, path: string, body?: unknown) {
  const answer = await instance.manage(method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
  return answer.body === '' ? {} : JSON.parse(answer.body)
}

/** Sets up an owner, invites and enrols a member, and leaves links, sessions and codes that work. */
export async function makePeopleSecrets(testApp: SecretsApp): Promise<PeopleSecrets> {
  const { instance, mails } = testApp
  const keep = (name: string, value: string) => {
    if (value === '') throw new Error(`no ${name}`)
    testApp.known.set(name, value)
    return value
  }
  const linkOf = (text: string, name: string): string => {
    const [, path = '', secret = ''] = linkPattern.exec(text) ?? []
    keep(name, secret)
    return path
  }
  const keepCookies = (name: string, browser: FormBrowser) => {
    keep(`${name}: browser cookie`, browser.cookies.get(browserCookie) ?? '')
    keep(`${name}: session cookie`, browser.cookies.get(sessionCookie) ?? '')
  }

  const ada = browseAt(instance)
  const setUp = linkOf((await managedBy(instance, 'POST', '/setUpLinks')).url, 'set-up link')
  await ada.open(setUp)
  const adas = { email: 'ada@contoso.test', password: keep('password of Ada', 'eleven patient copper kettles') }
  await ada.submit({ name: 'Ada Lovelace', tenantName: 'Contoso', ...adas }, { form: 'set-up-form' })
  expect(ada, '/portal')
  keepCookies('Ada', ada)
  const [tenant] = (await managedBy(instance, 'GET', '/tenants')).value
  const { tenantId } = tenant

  const email = 'bob@contoso.test'
  const invite = async (to: string, role = 'member') => {
    await managedBy(instance, 'POST', '/invitations', { tenantId, email: to, role })
    return linkOf(await mails.mailTo(to, '/invitation/'), `invitation of ${to}`)
  }
  const first = browseAt(instance)
  await first.open(await invite(email))
  const former = keep('former password of Bob', 'thirteen humble silver ladders')
  await first.submit({ name: 'Bob', password: former }, { form: 'invitation-form' })
  expect(first, '/account')

  await first.open('/reset-password')
  await first.submit({ email }, { form: 'reset-form' })
  await first.open(linkOf(await mails.mailTo(email, '/reset-password/'), 'link for a new password'))
  const password = keep('password of Bob', 'fifteen gentle marble bridges')
  await first.submit({ password }, { form: 'new-password-form' })

  const bob = browseAt(instance)
  const signIn = async (browser: FormBrowser, secret = password) => {
    await browser.open('/sign-in')
    return browser.submit({ email, password: secret, passkey: '' }, { form: 'sign-in-form' })
  }
  await signIn(bob, keep('a password typed wrongly', 'fifteen gentle marble bridgse'))
  await signIn(bob)
  expect(bob, '/account')
  keepCookies('Bob with a password', bob)

  await bob.open('/account/passkeys')
  const authenticator = await createSoftAuthenticator(`https://${clusterHost}`)
  const options = /data-passkey-create="([^"]*)"/.exec(bob.page.body)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const { challenge } = JSON.parse(options)
  keep('challenge for a passkey', challenge)
  const passkey = authenticator.create({ challenge })
  await bob.submit({ passkey, name: 'Phone' }, { form: 'passkey-form' })
  expect(bob, '/account/passkeys?done=passkey')

  await bob.open('/account/second-factor')
  const seed = keep('seed of Bob', textOf(bob.page, 'seed').replaceAll(' ', ''))
  const totp = new TOTP({ secret: Secret.fromBase32(seed) })
  await bob.submit({ code: totp.generate() }, { form: 'second-factor-form' })
  const codes = [...bob.page.body.matchAll(/<li>([a-z2-7-]{19})<\/li>/g)].map(([, code = '']) => code)
  for (const [at, code] of codes.entries()) keep(`recovery code ${at}`, code)
  const [used = '', recoveryCode = ''] = codes
  keepCookies('Bob after turning the second step on', bob)

  const lost = browseAt(instance)
  await signIn(lost)
  keep('step of a sign-in', new URLSearchParams(lost.page.url.split('?')[1]).get('step') ?? '')
  await lost.submit({ recovery_code: used }, { form: 'recovery-form' })
  expect(lost, '/account')
  keepCookies('Bob with a recovery code', lost)
  const second = browseAt(instance)
  await signIn(second)
  // The step of now was used up by turning it on.
  await second.submit({ code: totp.generate({ timestamp: Date.now() + 30_000 }) }, { form: 'code-form' })
  expect(second, '/account')
  keepCookies('Bob with a code', second)

  await first.open('/reset-password')
  await first.submit({ email }, { form: 'reset-form' })
  const before = testApp.known.get('link for a new password') ?? ''
  const reset = await newerMail(mails, email, before)
  const links = {
    invitation: await invite('cem@contoso.test'),
    'password-reset': linkOf(reset, 'another link for a new password'),
  }
  mails.refuse()
  await first.open('/reset-password')
  await first.submit({ email: adas.email }, { form: 'reset-form' })
  linkOf(await mails.mailTo(adas.email, '/reset-password/'), 'link in a mail that was not taken')
  return { tenantId, ada, bob: second, bobs: { email, password, seed, recoveryCode }, links }
}

async function newerMail(mails: MailServer, to: string, before: string): Promise<string> {
  for (;;) {
    const text = await mails.mailTo(to, '/reset-password/')
    if (!text.includes(before)) return text
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function expect({ page }: FormBrowser, url: string): void {
  if (page.url !== url || page.status !== 200)
    throw new Error(`${page.url}: ${page.status} ${page.body.slice(0, 3000)}`)
}

// Tries a string as a credential of every kind that there is, with everything else at hand that goes with it: the
// verifier of the code, the password before the second factor, the cookies beside a form. So a find is worth trying at
// all.

import { Secret, TOTP } from 'otpauth'
import { call, keptAlive } from '../cluster/checking-client.js'
import type { Instance } from '../cluster/cluster-instance.js'
import { browseAt, browserCookie, type PeopleSecrets, sessionCookie } from '../people/people-secrets.js'
import { redirectUri } from '../rooms/delegation.js'
import { askEndpoint, type ClientSecrets } from './client-secrets.js'

export interface Trial {
  name: string
  /** The string of this kind that works; undefined when there can be none any more. */
  right: string | undefined
  /** Whether it works. */
  works(text: string): Promise<boolean>
  /** Costs a password hash, or a sign-in for every few: only so many strings are tried. */
  isCostly?: true
  /** Only strings of which this is true are tried; the server takes no other. */
  fits?(text: string): boolean
}

/** The trials, in an order in which the right ones may be tried at the end: none takes away what a later one needs. */
export function secretTrials(instance: Instance, people: PeopleSecrets, { clientId, live }: ClientSecrets): Trial[] {
  const { port } = instance
  const { bobs, links } = people
  const agent = keptAlive(4)
  const client = { client_id: clientId, client_secret: live.clientSecret }
  const get = (path: string, headers: Record<string, string> = {}) => call(port, { path, headers, agent })
  const shows = async (path: string, headers?: Record<string, string>) => (await get(path, headers)).status === 200
  const gives = async (form: Record<string, string>) => (await askEndpoint(port, form)).status === 200
  const cookies = (browser: string, session = '') => ({
    cookie: `${browserCookie}=${browser}${session === '' ? '' : `; ${sessionCookie}=${session}`}`,
  })
  const link = (purpose: string, secret: string | undefined): Trial => ({
    ...{ name: `link: ${purpose}`, right: secret },
    works: (text) => shows(`/${purpose}/${encodeURIComponent(text)}`),
  })
  const grant = (kind: string, more: (text: string) => Record<string, string>) => (text: string) =>
    gives({ ...client, grant_type: kind, ...more(text) })
  return [
    {
      ...{ name: 'bearer token', right: live.token },
      works: (text) => shows('/api/v2/me', { authorization: `Bearer ${text}` }),
    },
    {
      ...{ name: 'session cookie', right: live.session },
      works: (text) => shows('/account', cookies(live.browser, text)),
    },
    {
      ...{ name: 'browser cookie', right: live.browser },
      works: (text) => shows(`/sign-in?request=${live.pending}`, cookies(text)),
    },
    {
      ...{ name: 'id of a request', right: live.pending },
      works: (text) => shows(`/sign-in?request=${encodeURIComponent(text)}`, cookies(live.browser)),
    },
    // There is an owner, so there is no link for the first one.
    link('set-up', undefined),
    link('invitation', secretOf(links.invitation)),
    link('reset-password', secretOf(links['password-reset'])),
    {
      ...{ name: 'client secret', right: live.clientSecret },
      works: (text) =>
        gives({ grant_type: 'client_credentials', scope: 'default', client_id: clientId, client_secret: text }),
    },
    {
      ...{ name: 'authorization code', right: live.code.code },
      works: grant('authorization_code', (code) => ({
        ...{ code, code_verifier: live.code.verifier, redirect_uri: redirectUri },
      })),
    },
    {
      ...{ name: 'refresh token', right: live.refreshToken },
      works: grant('refresh_token', (text) => ({ refresh_token: text })),
    },
    {
      ...{ name: 'device code', right: live.deviceCode },
      works: grant('urn:ietf:params:oauth:grant-type:device_code', (text) => ({ device_code: text })),
    },
    { name: 'seed', right: bobs.seed, works: async (text) => seedsIn(text).some((seed) => isSeedOf(bobs.seed, seed)) },
    {
      ...{ name: 'password', right: bobs.password, isCostly: true },
      works: async (text) => (await signIn(instance, bobs.email, text)) !== undefined,
    },
    {
      ...{ name: 'recovery code', right: bobs.recoveryCode, isCostly: true, works: recoveryCodes(instance, bobs) },
      fits: (text) => text.toLowerCase().replace(/[^a-z2-7]/g, '').length === 16,
    },
    {
      ...{ name: 'form token', right: live.formToken },
      async works(text) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded', ...cookies(live.browser, live.session) }
        const body = new URLSearchParams({ form_token: text }).toString()
        return (await call(port, { path: '/sign-out', method: 'POST', headers, body, agent })).status === 303
      },
    },
  ]
}

/** Tries each string as each kind, a few at once. What works, and how many strings were tried as what. */
export async function tryAll(
  trials: readonly Trial[],
  candidates: readonly string[],
  most: { cheap: number; costly: number },
): Promise<{ working: string[]; tried: Record<string, number> }> {
  const working: string[] = []
  const tried: Record<string, number> = {}
  const work = trials.flatMap((trial) => {
    const fitting = trial.fits === undefined ? candidates : candidates.filter(trial.fits)
    const chosen = fitting.slice(0, trial.isCostly ? most.costly : most.cheap)
    tried[trial.name] = chosen.length
    return chosen.map((text) => async () => {
      if (await trial.works(text)) working.push(`${trial.name}: ${text.slice(0, 12)}…`)
    })
  })
  const worker = async () => {
    for (let next = work.pop(); next !== undefined; next = work.pop()) await next()
  }
  await Promise.all(Array.from({ length: 4 }, worker))
  return { working, tried }
}

/** Resolves with the page of the second step, undefined when nobody is known by these. */
async function signIn(instance: Instance, email: string, password: string) {
  const browser = browseAt(instance)
  await browser.open('/sign-in')
  await browser.submit({ email, password, passkey: '' }, { form: 'sign-in-form' })
  return browser.page.url.startsWith('/sign-in/second-factor') ? browser : undefined
}

/** A sign-in is good for a few wrong codes; then there is a new one. */
function recoveryCodes(instance: Instance, { email, password }: PeopleSecrets['bobs']): Trial['works'] {
  let waiting = Promise.resolve<Awaited<ReturnType<typeof signIn>>>(undefined)
  return (text) => {
    const done = waiting.then(async (known) => {
      const browser = known ?? (await signIn(instance, email, password))
      if (browser === undefined) throw new Error('the right password does not sign in')
      const page = await browser.submit({ recovery_code: text }, { form: 'recovery-form' })
      return { isIn: page.url === '/account', browser: page.body.includes('id="recovery-form"') ? browser : undefined }
    })
    waiting = done.then(({ browser }) => browser)
    return done.then(({ isIn }) => isIn)
  }
}

/** What a string could be a seed as: base32, hex, base64, or as it stands. */
function seedsIn(text: string): Secret[] {
  const seeds = [Secret.fromUTF8(text), new Secret({ buffer: bytesOf(Buffer.from(text, 'base64')) })]
  if (/^[A-Za-z2-7]+$/.test(text)) seeds.push(Secret.fromBase32(text.toUpperCase()))
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) seeds.push(new Secret({ buffer: bytesOf(Buffer.from(text, 'hex')) }))
  return seeds.filter(({ bytes }) => bytes.byteLength > 0)
}

function bytesOf(buffer: Buffer): ArrayBuffer {
  return new Uint8Array(buffer).buffer
}

/** Whether it makes the person's codes: three of them, because a single one is guessed once in a million. */
function isSeedOf(right: string, secret: Secret): boolean {
  const known = new TOTP({ secret: Secret.fromBase32(right) })
  const tried = new TOTP({ secret })
  const at = Date.now()
  return [0, 30_000, 60_000].every((later) => {
    const timestamp = at + later
    return known.generate({ timestamp }) === tried.generate({ timestamp })
  })
}

function secretOf(path: string): string {
  return path.split('/').at(-1) ?? ''
}

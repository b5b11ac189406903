// The honest caller: everything that an application and its people do in a day, within all limits, over and over. What
// is not answered as it should be is kept, and how long the calls of the service took.

import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { type Answered, type Caller, createCaller } from './asking.js'
import type { Honest, World } from './world.js'

const tokenPath = '/api/v2/oauth2/v2.0/token'
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export interface Round {
  /** Of the calls through the gate, milliseconds, sorted. */
  callsMs: number[]
  /** Of everything else. */
  othersMs: number[]
  /** `what: status and beginning of the body`, and how often. */
  wrong: Map<string, number>
}

export interface HonestCaller {
  /** Goes on for so long, or until `signal`. */
  round(forMs: number): Promise<Round>
  end(): void
}

/** A call through the gate every so often; the default limit of an application is 100 a second. */
const callEveryMs = 12
/** A token, a page or the like every so often; the limit of an application at the token endpoint is 10 a second. */
const otherEveryMs = 110

/** Signed in and ready. */
export function createHonestCaller(world: World): HonestCaller {
  const { honest, program } = world
  const at = { port: Number(new URL(program.baseUrl).port), ca: program.ca() }
  const caller = createCaller(at, '127.0.0.1', 8)
  const others = deeds(caller, honest, program.baseUrl)
  let next = 0
  return {
    async round(forMs) {
      const round: Round = { callsMs: [], othersMs: [], wrong: new Map() }
      const end = performance.now() + forMs
      const paths = ['/t/ok', '/api/v2/me']
      let calls = 0
      const call = () => ({
        what: 'a call',
        wanted: 200,
        send: () => caller.ask({ path: paths[calls++ % paths.length] ?? '', token: honest.token }),
      })
      const other = () => others[next++ % others.length] ?? call()
      await Promise.all([
        paced(end, callEveryMs, () => judged(call(), round, round.callsMs)),
        paced(end, otherEveryMs, () => judged(other(), round, round.othersMs)),
      ])
      await judged(signingIn(world), round, round.othersMs)
      round.callsMs.sort((a, b) => a - b)
      round.othersMs.sort((a, b) => a - b)
      return round
    },
    end: () => caller.end(),
  }
}

/** The value that so many of the sorted ones do not exceed; NaN of none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

interface Deed {
  what: string
  wanted: number
  send(): Promise<Answered>
}

function deeds(caller: Caller, { web, signer, page }: Honest, baseUrl: string): Deed[] {
  const scope = 'assets_read'
  let refreshToken = page.refreshToken
  return [
    {
      what: 'a token by secret',
      wanted: 200,
      send: () =>
        caller.ask({
          path: tokenPath,
          body: {
            grant_type: 'client_credentials',
            scope,
            client_id: web.clientId,
            client_secret: web.clientSecret,
          },
        }),
    },
    {
      what: 'a token by key',
      wanted: 200,
      send: async () =>
        caller.ask({
          path: tokenPath,
          body: {
            grant_type: 'client_credentials',
            scope,
            client_assertion_type: assertionType,
            client_assertion: await assertion(signer, baseUrl),
          },
        }),
    },
    {
      what: 'a refreshed token',
      wanted: 200,
      async send() {
        const answer = await caller.ask({
          path: tokenPath,
          body: { grant_type: 'refresh_token', client_id: page.clientId, refresh_token: refreshToken },
        })
        if (answer.status === 200) refreshToken = JSON.parse(answer.body).refresh_token
        return answer
      },
    },
    { what: 'the sign-in page', wanted: 200, send: () => caller.ask({ path: '/sign-in' }) },
    { what: 'the device page', wanted: 200, send: () => caller.ask({ path: '/device' }) },
    {
      what: 'a device code',
      wanted: 200,
      send: () =>
        caller.ask({
          path: '/api/v2/oauth2/v2.0/devicecode',
          body: { client_id: page.clientId, scope: 'User.Read' },
        }),
    },
    {
      what: 'an authorization request',
      wanted: 303,
      send: () => caller.ask({ path: authorizePath(page) }),
    },
    { what: 'the metadata', wanted: 200, send: () => caller.ask({ path: '/.well-known/openid-configuration' }) },
  ]
}

/** The person signs in once more, in the browser that they always use. */
function signingIn({ honest: { page, browser, person } }: World): Deed {
  return {
    what: 'a sign-in',
    wanted: 302,
    async send() {
      const shown = await browser.open(`${authorizePath(page)}&prompt=login`)
      if (!shown.body.includes('id="sign-in-form"')) return shown
      const after = await browser.submit(person, { form: 'sign-in-form' })
      return { ...after, body: after.body.slice(after.body.indexOf('<main')) }
    },
  }
}

/** Where a browser begins to sign in to the page. */
function authorizePath({ clientId, redirectUri }: Honest['page']): string {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'User.Read',
    code_challenge: 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA',
    code_challenge_method: 'S256',
    state: 's',
  })
  return `/api/v2/oauth2/v2.0/authorize?${query}`
}

function assertion({ clientId, key }: Honest['signer'], audience: string): Promise<string> {
  return new SignJWT({ iss: clientId, sub: clientId, aud: audience, jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuedAt()
    .setExpirationTime('1min')
    .sign(key)
}

async function judged(deed: Deed, { wrong }: Round, tookMs: number[]): Promise<void> {
  const startedAt = performance.now()
  const problem = await deed.send().then(
    ({ status, body }) => (status === deed.wanted ? undefined : `${status} ${reasonIn(body)}`),
    (error: Error) => error.message,
  )
  tookMs.push(performance.now() - startedAt)
  if (problem === undefined) return
  const what = `${deed.what}: ${problem}`
  wrong.set(what, (wrong.get(what) ?? 0) + 1)
}

/** What an answer says, without what is another each time. */
function reasonIn(body: string): string {
  const { error, error_description: description } = parsed(body)
  if (typeof error === 'string') return `${error} ${description ?? ''}`
  return error === undefined ? body.slice(0, 80) : `${error.code} ${error.message}`
}

function parsed(body: string): { error?: string | { code: string; message: string }; error_description?: string } {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

/**
 * Begins one every so often, and waits for the last; one that takes long does not keep the others back, but eight do.
 */
async function paced(end: number, everyMs: number, work: () => Promise<void>): Promise<void> {
  const underWay = new Set<Promise<void>>()
  while (performance.now() < end) {
    const startedAt = performance.now()
    const one: Promise<void> = work().finally(() => underWay.delete(one))
    underWay.add(one)
    if (underWay.size >= 8) await Promise.race(underWay)
    const restMs = startedAt + everyMs - performance.now()
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, restMs)))
  }
  await Promise.all(underWay)
}

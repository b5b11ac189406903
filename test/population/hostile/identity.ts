// Stories of untrusted parties who would like that nobody can sign in or get tokens (findings of the identity half's
// review, and their kind).

import { randomBytes, randomUUID } from 'node:crypto'
import { type Answered, createCaller, type Question } from '../asking.js'
import { many, rest } from './connections.js'
import type { Act, Hostile, HostileWorld } from './world.js'

const base = '/api/v2/oauth2/v2.0'

/** So many requests a second, in turn from these addresses. */
async function rate(
  world: HostileWorld,
  act: Act,
  { perSecond, addresses, next }: { perSecond: number; addresses: readonly string[]; next(n: number): Question },
): Promise<void> {
  const callers = addresses.map((address) => createCaller(world, address, 8))
  act.signal.addEventListener('abort', () => callers.map((caller) => caller.end()), { once: true })
  let underWay = 0
  for (let n = 0; !act.signal.aborted; n += 1) {
    // More would measure this side's own memory.
    if (underWay < 200) {
      underWay += 1
      void callers[n % callers.length]
        ?.ask(next(n))
        .then(
          ({ status }) => act.count(status),
          () => act.count('failed'),
        )
        .finally(() => {
          underWay -= 1
        })
    }
    await rest(act, 1_000 / (perSecond * act.force))
  }
}

const range = (network: string, count: number) => Array.from({ length: count }, (_, n) => `${network}.${n + 1}`)
const garbage = () => randomBytes(32).toString('base64url')

export const identityStories: readonly Hostile[] = [
  {
    name: 'identity M1 refresh',
    does: '15 false refresh tokens a second in the name of a public client',
    run: (world, act) =>
      rate(world, act, {
        perSecond: 15,
        addresses: ['127.0.1.1'],
        next: () => ({
          path: `${base}/token`,
          body: { grant_type: 'refresh_token', refresh_token: garbage(), client_id: world.publicClientId },
        }),
      }),
  },
  {
    name: 'identity M1 codes, devices, revocations',
    does: '60 a second from 20 addresses in the name of a public client',
    run: (world, act) =>
      rate(world, act, {
        perSecond: 60,
        addresses: range('127.0.2', 20),
        next: (n) =>
          [
            { path: `${base}/devicecode`, body: { client_id: world.publicClientId, scope: 'User.Read' } },
            {
              path: `${base}/token`,
              body: {
                grant_type: 'authorization_code',
                code: `pcl_ac_${garbage()}`,
                redirect_uri: world.redirectUri,
                code_verifier: 'a'.repeat(43),
                client_id: world.publicClientId,
              },
            },
            { path: `${base}/revoke`, body: { token: garbage(), client_id: world.publicClientId } },
          ][n % 3] ?? { path: '/' },
      }),
  },
  {
    name: 'identity M5',
    does: '150 wrong device codes a second from 52 addresses',
    async run(world, act) {
      const addresses = range('127.0.3', 52)
      const forms = await Promise.all(addresses.map((address) => openForm(world, address, '/device')))
      await rate(world, act, {
        perSecond: 150,
        addresses,
        next: (n) => {
          const { cookie, fields } = forms[n % forms.length] ?? { cookie: '', fields: {} }
          return {
            path: '/device',
            headers: { cookie, origin: `https://localhost:${world.port}` },
            body: { ...fields, user_code: `BCDF-GHJ${'KLMNPQRSTV'[n % 10]}` },
          }
        },
      })
    },
  },
  {
    name: 'identity M6',
    does: 'assertions of nobody and challenges that are burnt, 60 a second',
    run: (world, act) =>
      rate(world, act, {
        perSecond: 60,
        addresses: range('127.0.4', 10),
        next: (n) =>
          n % 2 === 0
            ? { path: '/sign-in' }
            : {
                path: `${base}/token`,
                body: {
                  grant_type: 'client_credentials',
                  scope: 'assets_read',
                  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
                  client_assertion: falseAssertion(world),
                },
              },
      }),
  },
  {
    name: 'identity M7',
    does: '100 authorization requests a second from one address, 7 KB each',
    run: (world, act) =>
      rate(world, act, {
        perSecond: 100,
        addresses: ['127.0.5.1'],
        next: () => ({ path: `${base}/authorize?${authorizeQuery(world, 1_000)}` }),
      }),
  },
  {
    name: 'identity M4',
    does: 'guesses of one password from 50 addresses',
    async run(world, act) {
      const callers = range('127.0.6', 50).map((address) => createCaller(world, address, 2))
      act.signal.addEventListener('abort', () => callers.map((caller) => caller.end()), { once: true })
      await many(Math.round(4 * act.force), act, async () => {
        const caller = callers[Math.floor(Math.random() * callers.length)]
        const page = await caller?.ask({ path: '/sign-in' }).catch(() => undefined)
        if (page === undefined || page.status !== 200) return act.count(`page ${page?.status}`)
        const { cookie, fields } = formIn(page)
        const answer = await caller
          ?.ask({
            path: '/sign-in',
            headers: { cookie, origin: `https://localhost:${world.port}` },
            body: { ...fields, email: world.email, password: garbage() },
          })
          .catch(() => undefined)
        act.count(`guess ${answer?.status}`)
      })
    },
  },
  {
    name: 'forged tokens',
    does: '100 tokens a second that nobody signed, from 20 addresses',
    run: (world, act) =>
      rate(world, act, {
        perSecond: 100,
        addresses: range('127.0.7', 20),
        next: () => {
          const [front = '', claims = ''] = world.token.split('.')
          return { path: '/t/ok', token: `${front}.${claims}.${randomBytes(64).toString('base64url')}` }
        },
      }),
  },
  {
    name: 'wrong secrets',
    does: '50 wrong secrets a second of known and unknown clients, from 10 addresses',
    run: (world, act) =>
      rate(world, act, {
        perSecond: 50,
        addresses: range('127.0.8', 10),
        next: (n) => ({
          path: `${base}/token`,
          body: {
            grant_type: 'client_credentials',
            scope: 'assets_read',
            client_id: n % 2 === 0 ? world.publicClientId : randomUUID(),
            client_secret: garbage(),
          },
        }),
      }),
  },
]

interface Form {
  cookie: string
  fields: Record<string, string>
}

/** The only form of a page, with the cookies that came with it. */
function formIn({ headers, body }: Answered): Form {
  const cookie = [headers['set-cookie'] ?? []].flat().map((one) => one.split(';')[0])
  const hidden = [...body.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => tag)
  const attribute = (tag: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
  const fields = Object.fromEntries(hidden.map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')]))
  return { cookie: cookie.join('; '), fields }
}

async function openForm(world: HostileWorld, address: string, path: string): Promise<Form> {
  const caller = createCaller(world, address, 1)
  const page = await caller.ask({ path }).catch(() => undefined)
  caller.end()
  return page === undefined ? { cookie: '', fields: {} } : formIn(page)
}

function falseAssertion({ clientId, port }: HostileWorld): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: clientId, sub: clientId, aud: `https://localhost:${port}`, jti: randomUUID(), exp: now + 60 }
  return `${part({ alg: 'ES256', kid: 'one' })}.${part(claims)}.${randomBytes(64).toString('base64url')}`
}

function authorizeQuery({ publicClientId, redirectUri }: HostileWorld, bytes: number): URLSearchParams {
  return new URLSearchParams({
    client_id: publicClientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'User.Read openid',
    code_challenge: 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA',
    code_challenge_method: 'S256',
    state: 's'.repeat(bytes),
    nonce: 'n'.repeat(bytes),
    login_hint: 'l'.repeat(200),
  })
}

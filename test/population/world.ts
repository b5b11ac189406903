// The product as it ships, with its default limits, a service behind it, and everybody who calls: one honest
// application with its people, and untrusted parties and customers who mean harm.

import { generateKeyPair, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createLocalClient } from '../../src/cli/calls/local-client.js'
import { type ManagementCalls, managementCalls } from '../../src/cli/calls/management-calls.js'
import type { FormBrowser } from '../support/browser/form-browser.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { startRedis } from '../support/databases/redis.js'
import { browseProgram } from '../support/programs/people-program.js'
import { type Program, programWords, startProgram } from '../support/programs/program.js'
import { createCaller } from './asking.js'
import { defaultConfigText } from './configuration.js'
import type { HostileWorld } from './hostile/world.js'
import { withSilentNames } from './silent-names.js'
import type { Test } from './test.js'
import { startService } from './upstream.js'

/** `embedded`: SQLite and this process. `shared`: PostgreSQL and Redis. */
export type StorageKind = 'embedded' | 'shared'

export interface Honest {
  /** May call the service and the own API. */
  token: string
  web: { clientId: string; clientSecret: string }
  /** Proves itself by a key. */
  signer: { clientId: string; key: KeyObject }
  person: { email: string; password: string }
  /** The person's, in which they are signed in. */
  browser: FormBrowser
  /** A public client, with what it holds for a person. */
  page: { clientId: string; redirectUri: string; refreshToken: string }
}

export interface World {
  program: Program
  honest: Honest
  hostile: HostileWorld
}

const person = { name: 'Ada Lovelace', email: 'ada@contoso.test', password: 'seven unrelated green words' }
const redirectUri = 'https://page.test/signed-in'
/** Who may call the own API and the service, of the honest and of the others. */
const needed = ['assets_read', 'User.Read.All', 'Subscription.ReadWrite.All'].map((id) => ({
  kind: 'application' as const,
  id,
}))

/** Starts all of it; it ends with the test. */
export async function openWorld(t: Test, storage: StorageKind): Promise<World> {
  const cwd = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, defaultConfigText(await startService(t), cwd))
  const program = await startProgram({
    cwd,
    config,
    env: await storageOf(t, storage),
    command: await withSilentNames(t, cwd, [...programWords(), 'serve', '--config', config]),
  })
  t.teardown(() => program.stop())
  const client = createLocalClient(join(program.folder, 'admin.sock'))
  const manage = managementCalls(client)
  await firstOwner(program, client)
  const honest = await enrolHonest(program, manage)
  return { program, honest, hostile: await enrolHostile(program, manage, honest) }
}

async function storageOf(t: Test, storage: StorageKind): Promise<NodeJS.ProcessEnv> {
  if (storage === 'embedded') return {}
  const [postgres, redis] = await Promise.all([startPostgres(t), startRedis(t)])
  return { PORTCULLIS_STORE: postgres.url, PORTCULLIS_REDIS: redis.url }
}

async function firstOwner(program: Program, client: ReturnType<typeof createLocalClient>): Promise<void> {
  const { url } = (await client.call('POST', '/setUpLinks')) as { url: string }
  const browser = browseProgram(program)
  await browser.open(new URL(url).pathname)
  const { status, body } = await browser.submit(person, { form: 'set-up-form' })
  if (status !== 200) throw new Error(body)
}

async function enrolHonest(program: Program, manage: ManagementCalls): Promise<Honest> {
  const web = await manage.createApplication({ name: 'Books', type: 'web', permissions: needed, consent: true })
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const signer = await manage.createApplication({
    name: 'Ledger',
    type: 'web',
    permissions: needed,
    consent: true,
    authMethod: 'private_key_jwt',
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }] },
  })
  const page = await manage.createApplication({
    name: 'Reader',
    type: 'native',
    redirectUris: [redirectUri],
    permissions: [{ kind: 'delegated', id: 'User.Read' }],
  })
  const { access_token: token } = await manage.issueToken(web.applicationId, {})
  const browser = browseProgram(program)
  const refreshToken = await signIn(program, browser, page.applicationId)
  return {
    token,
    person: { email: person.email, password: person.password },
    browser,
    web: { clientId: web.applicationId, clientSecret: web.clientSecret ?? '' },
    signer: { clientId: signer.applicationId, key: privateKey },
    page: { clientId: page.applicationId, redirectUri, refreshToken },
  }
}

/** Ada signs in and consents; what the page holds for her then. */
async function signIn(program: Program, browser: FormBrowser, clientId: string): Promise<string> {
  const verifier = 'a'.repeat(43)
  const challenge = 'ZtNPunH49FD35FWYhT5Tv8I7vRKQJ8uxMaL0_9eHjNA'
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'User.Read openid offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 's',
  })
  await browser.open(`/api/v2/oauth2/v2.0/authorize?${query}`)
  await browser.submit({ email: person.email, password: person.password }, { form: 'sign-in-form' })
  if (browser.page.body.includes('id="accept"')) await browser.submit({}, { form: 'consent', button: 'accept' })
  if (browser.page.left === undefined) throw new Error(browser.page.body)
  const code = new URL(browser.page.left).searchParams.get('code') ?? ''
  const caller = createCaller({ port: Number(new URL(program.baseUrl).port), ca: program.ca() }, '127.0.0.1')
  const answer = await caller.ask({
    path: '/api/v2/oauth2/v2.0/token',
    body: {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    },
  })
  caller.end()
  return JSON.parse(answer.body).refresh_token
}

async function enrolHostile(program: Program, manage: ManagementCalls, honest: Honest): Promise<HostileWorld> {
  const { tenantId } = await manage.createTenant({ name: 'Rogues' })
  const rogue = await manage.createApplication({
    name: 'Rogue',
    type: 'web',
    tenantId,
    permissions: [...needed, { kind: 'application', id: 'Event.ReadWrite.All' }],
    consent: true,
  })
  const { access_token: token } = await manage.issueToken(rogue.applicationId, {})
  return {
    port: Number(new URL(program.baseUrl).port),
    ca: program.ca(),
    token,
    clientId: rogue.applicationId,
    clientSecret: rogue.clientSecret ?? '',
    publicClientId: honest.page.clientId,
    redirectUri,
    email: person.email,
  }
}

// Several instances in this process on one database, as a test needs them: each with a data folder, ports and a log of
// its own, called over real sockets, managed over its local socket.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createLocalClient, type LocalClient } from '../../../src/cli/calls/local-client.js'
import { type ManagementCalls, managementCalls } from '../../../src/cli/calls/management-calls.js'
import { loadSettings } from '../../../src/config/read/load.js'
import { defaultConfigFile } from '../../../src/config/read/package-root.js'
import type { Settings } from '../../../src/config/settings/settings.js'
import { type App, createApp } from '../../../src/instance/app.js'
import { freePort } from '../programs/program.js'

interface Test {
  teardown(work: () => unknown): void
}

export interface InstanceOptions {
  store: string
  redis?: string
  masterKeys?: readonly Uint8Array[]
  change?: (settings: Settings) => Settings
}

export interface InstanceAnswer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: string
}

export interface TestInstance {
  app: App
  settings: Settings
  /** Lines of its log, parsed. */
  logged: { level: number; msg: string; instance?: string }[]
  manage: ManagementCalls
  get(path: string, token?: string): Promise<InstanceAnswer>
  /** A client_credentials request. */
  token(clientId: string, clientSecret: string): Promise<InstanceAnswer>
  /** Any request to its public listener. */
  ask(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<InstanceAnswer>
  /** Over its local socket, what `manage` has no function for. */
  local: LocalClient
  /** What its operator listener answers. */
  operator(path: string): Promise<{ status: number; body: string }>
  stop(): Promise<void>
}

/**
 * Bounds that a machine which stands still for some seconds does not reach. So long is a Store waited for that is away.
 */
const patient = {
  store: { connectMs: 20_000, statementMs: 20_000, waitMs: 6_000 },
  redis: { commandMs: 10_000, connectMs: 10_000 },
}

/** One key for instances that belong together. */
export const sharedMasterKey = randomBytes(32)

/** Builds and starts one; it is stopped with the test. */
export async function openInstance(t: Test, options: InstanceOptions): Promise<TestInstance> {
  const instance = await buildInstance(t, options)
  await instance.app.start()
  return instance
}

/** Builds one that does not listen yet. Throws what createApp throws. */
export async function buildInstance(t: Test, options: InstanceOptions): Promise<TestInstance> {
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const loaded = await settingsOf(folder, options)
  const settings = options.change?.(loaded) ?? loaded
  const logged: TestInstance['logged'] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const masterKeys = options.masterKeys ?? [sharedMasterKey]
  const app = await createApp({ settings, masterKeys, version: '0', log })
  const agent = new Agent({ keepAlive: true })
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    agent.destroy()
    stopped ??= app.stop()
    return stopped
  }
  t.teardown(stop)
  const ask = asking(settings, agent)
  const local = createLocalClient(join(folder, 'admin.sock'))
  return {
    ...{ app, settings, logged, stop, local },
    manage: managementCalls(local),
    ask: (method, path, headers = {}, body) => ask(method, path, headers, body),
    get: (path, token) => ask('GET', path, token === undefined ? {} : { authorization: `Bearer ${token}` }),
    token: (id, secret) => {
      const form = { grant_type: 'client_credentials', scope: 'default', client_id: id, client_secret: secret }
      const body = new URLSearchParams(form).toString()
      return ask('POST', '/api/v2/oauth2/v2.0/token', { 'content-type': 'application/x-www-form-urlencoded' }, body)
    },
    async operator(path) {
      const answer = await app.operator.inject({ url: path, headers: { host: 'localhost' } })
      return { status: answer.statusCode, body: answer.body }
    },
  }
}

async function settingsOf(folder: string, { store, redis }: InstanceOptions): Promise<Settings> {
  const env = {
    PORTCULLIS_DATA: folder,
    PORTCULLIS_BASE_URL: 'https://portcullis.test',
    PORTCULLIS_LISTEN: `127.0.0.1:${await freePort()}`,
    PORTCULLIS_OPERATOR: '127.0.0.1:0',
    PORTCULLIS_TLS: 'off',
    PORTCULLIS_TRUSTED_PROXIES: '127.0.0.1/32',
    PORTCULLIS_STORE: store,
    PORTCULLIS_REDIS: redis ?? '',
  }
  const settings = loadSettings({ file: defaultConfigFile(), env })
  return {
    ...settings,
    store: { ...settings.store, ...patient.store },
    redis: settings.redis && { ...settings.redis, ...patient.redis },
    server: { ...settings.server, drainMs: 500 },
  }
}

function asking({ server }: Settings, agent: Agent) {
  return (method: string, path: string, headers: Record<string, string>, body?: string) =>
    new Promise<InstanceAnswer>((resolve, reject) => {
      const fields = { host: 'portcullis.test', 'x-forwarded-proto': 'https', ...headers }
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const outgoing = request(
        { host: '127.0.0.1', port: server.port, method, path, agent, headers: { ...fields, ...length } },
        (incoming) => {
          const chunks: Buffer[] = []
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
          incoming.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text })
          })
          incoming.on('error', reject)
        },
      )
      outgoing.once('error', reject)
      outgoing.end(body)
    })
}

/** The access token of an answer. */
export function accessToken({ status, body }: InstanceAnswer): string {
  if (status !== 200) throw new Error(`no token: ${status} ${body}`)
  return (JSON.parse(body) as { access_token: string }).access_token
}

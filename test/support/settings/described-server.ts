// A whole instance with the shipped configuration, called in process: its document of the API, and every route that its
// public listener was given.

import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { loadSettings } from '../../../src/config/read/load.js'
import { packageRoot } from '../../../src/config/read/package-root.js'
import type { Settings } from '../../../src/config/settings/settings.js'
import { createApp } from '../../../src/instance/app.js'
import type { ApiDocument } from '../../../src/management/openapi/document-types.js'

export interface RouteOfFastify {
  methods: string[]
  url: string
}

export interface DescribedServer {
  settings: Settings
  /** The answer with the document. */
  answer: LightMyRequestResponse
  document: ApiDocument
  routes: readonly RouteOfFastify[]
  ask(
    method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST',
    headers?: Record<string, string>,
    url?: string,
  ): Promise<LightMyRequestResponse>
  stop(): Promise<void>
}

const path = '/api/v2/openapi.json'
const silent = {
  ...{ level: 'silent', child: () => silent },
  ...{ info() {}, warn() {}, error() {}, debug() {}, trace() {}, fatal() {} },
}

/** Builds it on `folder`; it listens nowhere. `file`: another configuration than the shipped one. */
export async function openDescribedServer(
  folder: string,
  { log = silent as never, file }: { log?: never; file?: string } = {},
): Promise<DescribedServer> {
  const made: { app: FastifyInstance; routes: RouteOfFastify[] }[] = []
  const note = (message: unknown) => {
    const { fastify: app } = message as { fastify: FastifyInstance }
    const routes: RouteOfFastify[] = []
    app.addHook('onRoute', ({ method, url }) => {
      routes.push({ methods: [method].flat(), url })
    })
    made.push({ app, routes })
  }
  subscribe('fastify.initialization', note)
  const env = { PORTCULLIS_DATA: folder, PORTCULLIS_TRUSTED_PROXIES: '127.0.0.1' }
  const shipped = join(String(packageRoot()), 'config', 'portcullis.yaml')
  const settings = loadSettings({ file: file ?? shipped, env })
  const instance = await createApp({ settings, masterKeys: [randomBytes(32)], version: '1.2.3', log })
  const withRoute = (wanted: string) => made.find(({ routes }) => routes.some(({ url }) => url === wanted))
  const listener = withRoute('/.well-known/openid-configuration')
  if (listener === undefined) throw new Error('no listener has the metadata')
  await listener.app.ready()
  const ask: DescribedServer['ask'] = async (method, headers = {}, url = path) => {
    // Injected calls alone keep the loop from its timers, which looks like overload.
    await nextTurn()
    return listener.app.inject({
      method,
      url,
      headers: { host: 'localhost', 'x-forwarded-proto': 'https', ...headers },
    })
  }
  // Its rooms are made when somebody first comes to one of them.
  const answer = await ask('GET')
  unsubscribe('fastify.initialization', note)
  const rooms = withRoute(path)
  if (rooms === undefined) throw new Error(`no room has the document: ${answer.body}`)
  const routes = [...listener.routes, ...rooms.routes]
  const document = answer.json() as ApiDocument
  return { settings, answer, document, routes, ask, stop: () => instance.stop() }
}

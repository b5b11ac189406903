// A whole instance as the configuration makes it: it announces such clients, fetches their documents where it may, and
// takes them on its pages.

import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { createApp } from '../../../src/instance/app.js'
import { startDocumentHost, webCallback } from '../../support/providers/document-host.js'
import { pkcePair } from '../../support/rooms/delegation.js'
import { testSettings } from '../../support/settings/settings.js'

t.test('identity: a running server takes clients that nobody registered where its configuration says so', async (t) => {
  const host = await startDocumentHost(t)
  const url = host.host('/client.json')
  const folder = mkdtempSync(join(tmpdir(), 'pcl-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const listening: { app: FastifyInstance; urls: Set<string> }[] = []
  const note = (message: unknown) => {
    const { fastify: app } = message as { fastify: FastifyInstance }
    const urls = new Set<string>()
    app.addHook('onRoute', (route) => void urls.add(route.url))
    listening.push({ app, urls })
  }
  subscribe('fastify.initialization', note)
  t.teardown(() => unsubscribe('fastify.initialization', note))
  const { server } = testSettings({ data: { folder } })
  const settings = testSettings({
    data: { folder },
    server: { ...server, trustedProxies: ['127.0.0.1'] },
    registration: {
      ...{ standard: true, documents: { trust: ['localhost'], allow: ['localhost'], ca: host.ca } },
      open: {
        enabled: true,
        hosts: [],
        perAddress: { limit: 2, periodMs: 60_000 },
        overall: { limit: 9, periodMs: 60_000 },
      },
    },
  })
  const instance = await createApp({ settings, masterKeys: [randomBytes(32)], version: '0' })
  t.teardown(() => instance.stop())
  const [listener] = listening.filter(({ urls }) => urls.has('/.well-known/openid-configuration'))
  if (listener === undefined) throw new Error('no listener')
  await listener.app.ready()
  const { host: name } = new URL(settings.server.baseUrl)
  const get = (path: string) =>
    listener.app.inject({ method: 'GET', url: path, headers: { host: name, 'x-forwarded-proto': 'https' } })
  const metadata = (await get('/.well-known/oauth-authorization-server')).json()
  t.equal(metadata.client_id_metadata_document_supported, true)
  t.equal(metadata.registration_endpoint, `${settings.server.baseUrl}/api/v2/oauth2/v2.0/register`)
  const register = () =>
    listener.app.inject({
      ...{ method: 'POST', url: '/api/v2/oauth2/v2.0/register' },
      headers: { host: name, 'x-forwarded-proto': 'https', 'content-type': 'application/json' },
      payload: JSON.stringify({ redirect_uris: ['http://127.0.0.1:1/callback'] }),
    })
  const given = await register()
  t.match([given.statusCode, given.json().client_id], [201, /^pcl_oc_/])
  t.same([(await register()).statusCode, (await register()).statusCode], [201, 429], 'within the limits of the file')
  const query = new URLSearchParams({
    ...{ client_id: url, redirect_uri: webCallback, response_type: 'code', scope: 'openid' },
    ...{ code_challenge: pkcePair().challenge, code_challenge_method: 'S256' },
  })
  const begun = await get(`/api/v2/oauth2/v2.0/authorize?${query}`)
  t.match([begun.statusCode, begun.headers.location], [303, /^\/sign-in\?request=/], begun.body)
  t.same(host.requests, ['/client.json'])
  const elsewhere = new URLSearchParams({
    ...Object.fromEntries(query),
    client_id: 'https://agent.example/client.json',
  })
  const refused = await get(`/api/v2/oauth2/v2.0/authorize?${elsewhere}`)
  t.equal(refused.statusCode, 400)
  t.match(refused.body, 'Applications of agent.example')
})

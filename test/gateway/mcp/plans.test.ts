// The plan of an application counts what it does at an MCP server, whichever tool it calls.

import t from 'tap'
import type { McpSettings } from '../../../src/config/settings/route-settings.js'
import type { McpVersion } from '../../../src/mcp/versions.js'
import { openGate, recordingUpstream } from '../../support/rooms/http-gate.js'
import { planOf, planRules } from '../../support/settings/plan-rules.js'
import { rawRequest } from '../../support/traffic/http-raw.js'
import { messageBytes, modernVersion } from '../../support/traffic/mcp-client.js'

const first = ['User.Read.All']
const needs = { anyOf: [first] }
const mcp: McpSettings = {
  versions: new Set<McpVersion>([modernVersion]),
  list: 'all',
  first: needs,
  tools: new Map([
    ['watch', { needs }],
    ['close', { needs, cost: 2 }],
  ]),
  prompts: new Map(),
  resources: new Map([['desk://tickets/{id}', { needs }]]),
}

t.test('a further limit of a plan counts tools, resources and lists of its route together', async (t) => {
  const upstream = await recordingUpstream(t)
  const methods = { POST: first }
  const gate = await openGate(t, {
    routes: [
      { path: '/desk/mcp', id: '/desk/mcp', methods, mcp },
      { path: '/desk', id: '/desk', methods, mcp },
    ],
    upstreams: { desk: { target: upstream.target } },
    plans: planRules([planOf('free', 'developers', { quota: 6, routes: ['/desk/mcp'] })], 'free'),
  })
  const token = await gate.token(first)
  const statusOf = async (method: string, params: Record<string, unknown>, path = '/desk/mcp') =>
    (await rawRequest(gate, messageBytes({ path, token }, method, params))).status
  t.equal(await statusOf('tools/call', { name: 'watch' }), 200)
  t.equal(await statusOf('tools/call', { name: 'close' }), 200, 'by its cost')
  t.equal(await statusOf('resources/read', { uri: 'desk://tickets/1' }), 200)
  t.equal(await statusOf('tools/list', {}), 200)
  t.equal(await statusOf('tools/call', { name: 'close' }), 429, 'one is left, and it costs two')
  t.equal(await statusOf('tools/call', { name: 'watch' }), 200)
  t.equal(await statusOf('tools/call', { name: 'watch' }), 429)
  t.equal(await statusOf('tools/list', {}), 429)
  t.equal(upstream.requests.length, 5)
  t.equal(await statusOf('tools/call', { name: 'watch' }, '/desk'), 200, 'another route is not counted')
})

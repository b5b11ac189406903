// What the gate counts of each call: whose, on which route, by which permission, and how it ended.

import t from 'tap'
import type { LimitPolicy } from '../../src/config/settings/limit-settings.js'
import { revoke } from '../../src/revocation/revoke.js'
import { sumPermissionUsage, sumRouteUsage } from '../../src/storage/sql/usage/usage-reads.js'
import { openGate, recordingUpstream, viaProxy } from '../support/rooms/http-gate.js'
import { rawRequest } from '../support/traffic/http-raw.js'
import { until } from '../support/traffic/until.js'

const applicationId = '3f0c1f9e-9f34-4c6e-8f9e-0a6d1c5b7a01'

t.test('every call of a known caller is counted once, by the permission that it needed and its outcome', async (t) => {
  const upstream = await recordingUpstream(t)
  const few: LimitPolicy = {
    name: 'few',
    by: ['application'],
    algorithm: { kind: 'quota', limit: 2, periodMs: 60_000 },
  }
  const limits: readonly string[] = []
  const gate = await openGate(t, {
    routes: [
      { path: '/api/v2/me', methods: { GET: ['User.Read.All'], PATCH: ['User.ReadWrite.All'] }, limits },
      { path: '/api/v2/both', methods: { GET: ['User.Read.All', 'assets_read'] }, limits },
      { path: '/api/v2/open', methods: { GET: 'public' }, limits },
      { path: '/api/v2/few', methods: { GET: ['assets_read'] }, limits: ['few'] },
      { path: '/api/v2/away', methods: { GET: ['assets_read'] }, upstream: 'away', limits },
    ],
    upstreams: {
      things: { target: upstream.target },
      away: { target: { kind: 'url', origin: 'http://127.0.0.1:1', basePath: '' } },
    },
    limits: { few },
  })
  const ask = async (token: string | undefined, path: string, status: number, method = 'GET') => {
    const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
    const answer = await rawRequest(gate, `${method} ${path} HTTP/1.1\r\n${viaProxy}${authorization}\r\n`, method)
    t.equal(answer.status, status, `${method} ${path}`)
  }
  const all = await gate.token(['User.Read.All', 'User.ReadWrite.All', 'assets_read'])
  const covering = await gate.token(['User.ReadWrite.All'])
  await ask(all, '/api/v2/me', 200)
  await ask(all, '/api/v2/me', 200, 'HEAD')
  await ask(covering, '/api/v2/me', 200)
  await ask(all, '/api/v2/both', 200)
  await ask(all, '/api/v2/open', 200)
  await ask(all, '/api/v2/away', 502)
  await ask(covering, '/api/v2/both', 403)
  await ask(undefined, '/api/v2/me', 401)
  const at = all.lastIndexOf('.') + 1
  await ask(`${all.slice(0, at)}${all[at] === 'A' ? 'B' : 'A'}${all.slice(at + 1)}`, '/api/v2/me', 401)
  for (const status of [200, 200, 429]) await ask(all, '/api/v2/few', status)
  await revoke(gate.writes, { what: 'application', id: applicationId })
  await ask(all, '/api/v2/me', 401)

  const sums = async () => {
    await gate.usage.flush()
    return sumRouteUsage(gate.store.reader, { applicationId, from: 0, to: 1_000_000 }, 'route', 100)
  }
  const isCounted = (path: string, what: 'server_errors' | 'limited' | 'token_refused') => async () =>
    (await sums()).some((row) => row.key.endsWith(path) && row[what] === 1)
  await until('the last failure is counted', isCounted('/away', 'server_errors'))
  await until('the last limited call', isCounted('/few', 'limited'))
  await until('the last call', isCounted('/me', 'token_refused'))
  const none = { allowed: 0, not_permitted: 0, limited: 0, token_refused: 0, client_errors: 0, server_errors: 0 }
  t.same(
    Object.fromEntries((await sums()).map(({ key, ...counts }) => [key.replace(/.* /, ''), counts])),
    {
      '/api/v2/away': { ...none, allowed: 1, server_errors: 1 },
      '/api/v2/both': { ...none, allowed: 1, not_permitted: 1 },
      '/api/v2/few': { ...none, allowed: 2, limited: 1 },
      '/api/v2/me': { ...none, allowed: 3, token_refused: 1 },
    },
    'what is public, and what nobody proved to be, is nobody’s',
  )
  const uses = await sumPermissionUsage(gate.store.reader, { applicationId, recentFrom: 0, quarterFrom: 0 })
  t.same(
    uses.map(({ kind, permission_id, recent }) => [kind, permission_id, recent]),
    [
      ['application', 'User.Read.All', 3],
      ['application', 'User.ReadWrite.All', 1],
      ['application', 'assets_read', 4],
    ],
    'a permission that covers another is needed only where the other one is not there',
  )
})

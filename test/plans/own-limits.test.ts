// What a client learns of its limits by the request that it is about to send, without knowing how routes are spelled.

import t, { type Test } from 'tap'
import type { LimitPolicy } from '../../src/config/settings/limit-settings.js'
import type { RouteSettings } from '../../src/config/settings/route-settings.js'
import { ownResource } from '../support/rooms/directory.js'
import { openManagement, refusal } from '../support/rooms/management.js'
import { planOf, planRules } from '../support/settings/plan-rules.js'
import { upstreamSettings } from '../support/settings/upstream-settings.js'

const position = { file: 'test', line: 1, column: 1 }
const target = { kind: 'url', origin: 'http://127.0.0.1:9', basePath: '' } as const
const upstreams = new Map([['things', upstreamSettings('things', { target, position })]])
const posts: LimitPolicy = {
  ...{ name: 'posts', by: ['application', 'route'], mode: 'local', shadow: false },
  algorithm: { kind: 'quota', limit: 5, periodMs: 86_400_000 },
}

function route(method: string, path: string, limits: readonly string[]): RouteSettings {
  return {
    ...{ id: `${method} ${path}`, path, methods: new Map([[method, 'public' as const]]), resource: ownResource },
    ...{ position, upstream: 'things', limits, bodyBytes: 1, stream: false, onStale: 'refuse' },
  }
}

async function open(t: Test) {
  const [one, comments] = ['GET /posts/{id}', 'GET /posts/{id}/comments/{comment}']
  const testApp = await openManagement(t, {
    upstreams,
    limits: new Map([['posts', posts]]),
    routes: [
      route('GET', '/posts/{id}', ['posts']),
      route('GET', '/posts/newest', []),
      route('DELETE', '/posts/{id}', []),
      route('GET', '/posts/{id}/comments/{comment}', []),
    ],
    plans: planRules([planOf('free', 'developers', { routes: [comments] })]),
  })
  const { registration, secret, tenantId } = await testApp.registerDemo({
    permissions: [{ kind: 'application', resource: ownResource, id: 'assets_read' }],
  })
  testApp.caller.principal = { kind: 'local' }
  const { applicationId } = registration
  await testApp.manage('PUT', `/applications/${applicationId}/plan`, { plan: 'free' })
  const client = { client_id: applicationId, client_secret: secret, grant_type: 'client_credentials' }
  const token = await testApp.post('/api/v2/oauth2/v2.0/token', { ...client, scope: 'assets_read' })
  const authorization = `Bearer ${token.json().access_token}`
  await testApp.limiter.decide(['posts'], { applicationId, tenantId, routeId: one }, undefined, 2)
  testApp.caller.principal = 'token'
  return (query: Record<string, string>) =>
    testApp.manage('GET', `/usage/limits?${new URLSearchParams(query)}`, undefined, { authorization })
}

t.test('the limits of a real request are found by its method and path, as the gate finds its route', async (t) => {
  const look = await open(t)
  const found = async (method: string, path: string) => {
    const { route, plan, value } = (await look({ method, path })).json()
    return [route, plan, ...value.map((one: { name: string; remaining: number }) => `${one.name} ${one.remaining}`)]
  }
  for (const path of ['/posts/1', '/posts/caf%C3%A9', '/posts/1?sort=date&page=2']) {
    t.same(await found('GET', path), ['GET /posts/{id}', 'free', 'posts 3'], path)
  }
  t.same(await found('GET', '/posts/newest'), ['GET /posts/newest', 'free'], 'the plainer route, without a limit')
  t.same(await found('DELETE', '/posts/1'), ['DELETE /posts/{id}', 'free'], 'another method, another route')
  const comments = ['GET /posts/{id}/comments/{comment}', 'free', 'daily 10']
  t.same(await found('GET', '/posts/1/comments/2'), comments, 'a limit of the plan that counts there only')
})

t.test('a request that no route takes has no limits, and a half named one is no request', async (t) => {
  const look = await open(t)
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['GET', '/posts'],
    ['GET', '/posts/1/comments'],
    ['PATCH', '/posts/1'],
    ['GET', '/posts/%2e%2e/posts/1%2f'],
    ['GET', '/posts/%zz'],
    ['GET', 'posts/1'],
    ['GET', '/posts/{id}'],
  ] as const) {
    const answer = await look({ method, path })
    t.match(refusal(answer), { status: 404, code: 'RouteNotFound', target: 'path' }, `${method} ${path}`)
    t.match(refusal(answer).message, `No route takes ${method} ${path}`)
  }
  for (const [query, target] of [
    [{ method: 'GET' }, 'path'],
    [{ path: '/posts/1' }, 'method'],
  ] as const) {
    t.match(refusal(await look(query)), { status: 400, code: 'InvalidRequest', target })
  }
  t.equal((await look({ method: 'get', path: '/posts/1' })).statusCode, 400, 'methods are in capitals')
})

// What the programs of an application call, request and listen on, for whatever was registered and configured.

import t from 'tap'
import type { RouteSettings } from '../../../src/config/settings/route-settings.js'
import type { Settings } from '../../../src/config/settings/settings.js'
import type { PermissionRef } from '../../../src/directory/records.js'
import type { Application } from '../../../src/portal/application-page.js'
import { snippetFacts } from '../../../src/portal/snippets/facts.js'
import { languagesOf } from '../../../src/portal/snippets/languages.js'
import { otherResource, ownResource, testCatalogue } from '../../support/rooms/directory.js'

const baseUrl = 'https://gate.example'
const tenantId = '11111111-1111-4111-8111-111111111111'
const applicationId = '22222222-2222-4222-8222-222222222222'

const own = (id: string, resource = ownResource): PermissionRef => ({ kind: 'application', resource, id })
const delegated = (id: string, resource = ownResource): PermissionRef => ({ kind: 'delegated', resource, id })

function route(path: string, needs: string, more: Partial<RouteSettings> = {}): RouteSettings {
  return {
    ...{ id: `GET ${path}`, path, methods: new Map([['GET', { anyOf: [[needs]] }]]), resource: ownResource },
    ...{ upstream: 'a', limits: [], bodyBytes: 1, stream: false, onStale: 'refuse' as const },
    position: { file: 'x', line: 1, column: 1 },
    ...more,
  }
}

interface Registered {
  type?: 'web' | 'native'
  redirectUris?: readonly string[]
  permissions?: readonly PermissionRef[]
  granted?: readonly PermissionRef[]
}

function factsOf(routes: readonly RouteSettings[], registered: Registered) {
  const { type = 'web', redirectUris = [], permissions = [], granted = [] } = registered
  const application = { applicationId, type, redirectUris, permissions, consents: [{ tenantId, permissions: granted }] }
  const settings = { server: { baseUrl }, routes, catalogue: testCatalogue() }
  return snippetFacts(application as unknown as Application, {
    settings: settings as unknown as Settings,
    ...{ tenantId, authority: undefined, client: undefined },
  })
}

const routes = [
  route('/api/v2/me', 'User.Read.All'),
  route('/assets/{id}', 'assets_read'),
  route('/assets/**', 'assets_read'),
  route('/old-assets', 'assets_read', { deprecatedAt: 1 }),
  route('/assets', 'assets_read'),
  route('/things', 'things_read', { resource: otherResource }),
]

t.test('the first call is the first route that the consented permissions open', async (t) => {
  const cases: [string, Registered, call: string, scope: string][] = [
    [
      'what is consented',
      { permissions: [own('User.Read.All'), own('assets_read')], granted: [own('assets_read')] },
      '/assets',
      'default',
    ],
    ['before consent, what is configured', { permissions: [own('assets_read')] }, '/assets', 'default'],
    ['the first of several', { permissions: [own('assets_read'), own('User.Read.All')] }, '/api/v2/me', 'default'],
    ['of another API', { permissions: [own('things_read', otherResource)] }, '/things', `${otherResource}/.default`],
    ['nothing is open: a call that is refused', { permissions: [own('assets_create')] }, '/api/v2/me', 'default'],
    ['nothing is configured', {}, '/api/v2/me', 'default'],
  ]
  for (const [title, registered, call, scope] of cases) {
    const facts = factsOf(routes, registered)
    t.same([facts.call, facts.scope, facts.kind], [baseUrl + call, scope, 'server'], title)
  }
  const elsewhere = { permissions: [own('assets_read')], granted: [own('assets_read')] }
  t.equal(factsOf(routes.slice(0, 3), elsewhere).call, `${baseUrl}/assets/`, 'the root of what is below')
  const reserved = [route('/assets', 'assets_read', { applications: ['33333333-3333-4333-8333-333333333333'] })]
  t.equal(factsOf([...reserved, ...routes], elsewhere).call, `${baseUrl}/assets`, 'a route for others is left out')
  t.equal(factsOf([route('/a', 'assets_read', { issuers: ['corp'] }), ...routes], elsewhere).call, `${baseUrl}/assets`)
})

t.test('for people without delegated permissions the programs say who signed in', async (t) => {
  const facts = factsOf(routes, { type: 'native', redirectUris: ['http://127.0.0.1/callback'] })
  t.match(facts, { kind: 'native', scope: 'openid profile', call: `${baseUrl}/api/v2/oauth2/v2.0/userinfo` })
  const site = { redirectUris: ['https://a.example/cb'], permissions: [own('assets_read')] }
  t.equal(factsOf(routes, site).kind, 'server', 'a site that acts as itself alone is a server')
  t.equal(factsOf(routes, { ...site, permissions: [] }).kind, 'web')
})

t.test('programs listen where people come back to', async (t) => {
  const redirect = (redirectUris: string[], type: 'web' | 'native' = 'native') =>
    factsOf(routes, { type, redirectUris }).redirect
  const loopback = (host: string, port: number | undefined, path = '/cb') => ({ host, port, path })
  t.match(redirect(['http://localhost:8600/cb']), { isRegistered: true, loopback: loopback('localhost', 8600) })
  t.match(redirect(['com.example.app:/cb', 'http://localhost/cb', 'http://127.0.0.1/cb']), {
    uri: 'http://127.0.0.1/cb',
    loopback: loopback('127.0.0.1', undefined),
  })
  t.match(redirect(['com.example.app:/cb']), { uri: 'http://127.0.0.1/callback', isRegistered: false })
  t.match(redirect(['https://a.example/cb'], 'web'), { uri: 'https://a.example/cb', isRegistered: true })
  t.equal(redirect(['https://a.example/cb'], 'web').loopback, undefined)
})

t.test('a page calls a route that answers its origin, or userinfo', async (t) => {
  const cors = { origins: ['http://localhost:5173'], headers: [], expose: [], maxAgeSeconds: 1 }
  const spa = {
    type: 'native' as const,
    redirectUris: ['com.a:/x', 'http://localhost:5173/'],
    permissions: [delegated('User.Read')],
  }
  const me = route('/api/v2/me', 'User.Read')
  t.match(factsOf([me], spa).page, { closed: 'GET /api/v2/me', scope: 'openid profile', file: 'index.html' })
  const open = factsOf([{ ...me, cors }], spa).page
  t.match(open, { closed: undefined, call: `${baseUrl}/api/v2/me`, scope: 'default' })
  t.match(factsOf([{ ...me, cors: { ...cors, methods: ['POST'] } }], spa).page, { closed: 'GET /api/v2/me' })
  const fileOf = (uri: string) => factsOf([me], { ...spa, redirectUris: [uri] }).page?.file
  t.equal(fileOf('https://a.example/app/callback'), 'app/callback/index.html')
  t.equal(fileOf('https://a.example/app/'), 'app/index.html')
  t.equal(fileOf('https://a.example/back.html'), 'back.html')
  t.equal(fileOf('https://a.example/%zz'), '%zz/index.html', 'a path that no text is made of')
  t.equal(factsOf([me], { ...spa, redirectUris: ['http://127.0.0.1/cb', 'com.a:/x'] }).page, undefined)
  t.equal(factsOf([me], { ...spa, type: 'web' }).page, undefined)
})

t.test('in production no text speaks of development', async (t) => {
  const kinds: Registered[] = [
    {},
    { redirectUris: ['http://localhost:3000/cb'] },
    { type: 'native', redirectUris: ['http://127.0.0.1/cb', 'http://localhost:5173/'] },
  ]
  for (const registered of kinds) {
    const languages = languagesOf(factsOf(routes, registered))
    t.equal(languages.length, registered.type === 'native' ? 6 : 5)
    const all = languages.flatMap(({ blocks }) => blocks.map(({ text }) => text)).join('\n')
    t.notMatch(all, /ca\.pem|curl -\w*k|trust|development|CA_CERTS|insecure/i)
  }
})

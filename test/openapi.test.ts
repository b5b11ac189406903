// The document of the API: every route of the running server is in it, it keeps the rules of OpenAPI 3.1, and a change
// of what it promises shows. Anyone who adds a route reads here what is missing.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { packageRoot } from '../src/config/read/package-root.js'
import { describedOperations } from '../src/instance/api-document.js'
import { openApiPath } from '../src/management/openapi/registered.js'
import { openDescribedServer } from './support/settings/described-server.js'

const shapeFile = join(String(packageRoot()), 'test', 'openapi-shape.txt')
t.setTimeout(100_000)
const server = await openDescribedServer(t.testdir())
t.teardown(() => server.stop())
const { document } = server
const operations = Object.entries(document.paths).flatMap(([at, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ key: `${method.toUpperCase()} ${at}`, operation })),
)

t.test('every route of the running server is in the document, and a room says what it is for', async (t) => {
  const documented = new Set(operations.map(({ key }) => key))
  // What is behind a wildcard comes from the configuration.
  const isGate = (url: string) => url === '/' || url.endsWith('/*')
  const served = server.routes
    .filter(({ url }) => !isGate(url))
    .flatMap(({ methods, url }) => methods.map((method) => `${method} ${openApiPath(url)}`))
    .filter((key) => !key.startsWith('HEAD '))
  t.ok(served.length > 150, `${served.length} routes are registered`)
  t.same(
    [...new Set(served)].filter((key) => !documented.has(key)),
    [],
  )
  const undescribed = operations.filter(({ operation }) => operation.tags.includes('Other')).map(({ key }) => key)
  t.same([...new Set(undescribed.map(remedyFor))], [], 'a text for every route')
})

function remedyFor(key: string): string {
  const [method = '', at = ''] = key.split(' ')
  if (at.startsWith('/portal')) return `add to src/portal/operations.ts, pages:  '${at}': 'Its title',`
  if (!at.startsWith('/api/v2')) return `add to src/identity/openapi/page-operations.ts, pages:  '${at}': 'Its title',`
  return `add to src/management/operations.ts (or src/identity/openapi/operations.ts):  '${method} ${at}': ['operationId', 'What it does'],`
}

t.test('a text without a route is one that nobody needs', async (t) => {
  const documented = new Set(operations.map(({ key }) => key))
  const unused = describedOperations.flatMap(({ operations: texts, pages = {} }) => [
    ...Object.keys(texts).filter((key) => !key.endsWith('/**') && !documented.has(key)),
    ...Object.keys(pages).filter((at) => !documented.has(`GET ${at}`) && !documented.has(`POST ${at}`)),
  ])
  t.same(unused, [])
})

t.test(
  'routes of the gate come from the configuration, with what they need and without what is behind them',
  async (t) => {
    for (const route of server.settings.routes) {
      for (const [method, requirement] of route.methods) {
        const operation = document.paths[route.path.replace(/\*\*$/, '{rest}')]?.[method.toLowerCase()]
        t.ok(operation, `${method} ${route.path}`)
        t.same(operation?.['x-permissions'], requirement === 'public' ? undefined : requirement.anyOf)
        t.equal(operation?.security.length === 0, requirement === 'public')
      }
    }
    const text = server.answer.body
    for (const { name, targets } of server.settings.upstreams.values()) {
      t.notMatch(text, `"${name}"`, 'no upstream is named')
      for (const target of targets) if (target.kind === 'url') t.notMatch(text, target.origin)
    }
    t.notMatch(text, server.settings.data.folder)
  },
)

t.test(
  'it keeps the rules of OpenAPI 3.1: valid, every reference leads somewhere, every operationId is one of a kind',
  async (t) => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
    t.ok(valid, JSON.stringify(errors)?.slice(0, 2000))
    const references = [...server.answer.body.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
    t.equal(references.length, server.answer.body.split('"$ref"').length - 1, 'all of one kind')
    t.ok(references.length > 500)
    for (const [whole, kind = '', name = ''] of references) {
      const group = document.components[kind as 'schemas' | 'responses']
      if (!Object.hasOwn(group ?? {}, name)) t.fail(whole)
    }
    const ids = operations.map(({ operation }) => operation.operationId)
    t.same(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
    )
    t.same(
      ids.filter((id) => !/^[a-z][A-Za-z0-9]*$/.test(id)),
      [],
      'names that programs can have',
    )
    const tags = new Set(document.tags.map(({ name }) => name))
    for (const { key, operation } of operations) {
      t.ok(operation.tags.every((tag) => tags.has(tag)) && operation.summary.length > 5, key)
    }
  },
)

t.test('a change of what is promised shows: paths, methods, statuses, permissions', async (t) => {
  const lines = operations
    .filter(({ key }) => !key.startsWith('OPTIONS '))
    .map(({ key, operation }) => {
      const statuses = Object.keys(operation.responses).filter((status) => status !== 'default')
      const needs = (operation['x-permissions'] ?? []).map((all) => all.join('+')).join(' or ')
      return `${key}: ${statuses.join(' ')}${needs === '' ? '' : ` [${needs}]`}`
    })
  const shape = `${lines.sort().join('\n')}\n`
  // TAP_SNAPSHOT=1 npx tsx test/openapi.test.ts writes it anew; the change is then to be seen in the commit.
  if (process.env['TAP_SNAPSHOT'] === '1') writeFileSync(shapeFile, shape)
  t.same(shape.split('\n'), readFileSync(shapeFile, 'utf8').split('\n'), 'TAP_SNAPSHOT=1 writes it anew')
})

t.test('anybody may read it, from any origin, and keep it for five minutes; nothing but reading', async (t) => {
  const { answer, ask } = server
  t.equal(answer.statusCode, 200)
  t.equal(answer.headers['access-control-allow-origin'], '*')
  t.equal(answer.headers['access-control-allow-credentials'], undefined)
  t.equal(answer.headers['cache-control'], 'public, max-age=300')
  t.equal(document.info.version, '1.2.3')
  t.same(document.servers, [{ url: server.settings.server.baseUrl }])
  const again = await ask('GET', { 'if-none-match': String(answer.headers['etag']) })
  t.equal(again.statusCode, 304)
  t.equal(again.body, '')
  t.equal((await ask('GET', { 'if-none-match': '"another"' })).statusCode, 200)
  t.equal((await ask('HEAD')).headers['etag'], answer.headers['etag'])
  t.equal((await ask('OPTIONS', { origin: 'https://elsewhere.example' })).statusCode, 204)
  const posted = await ask('POST')
  t.equal(posted.statusCode, 405)
  t.equal(posted.headers['allow'], 'GET, HEAD, OPTIONS')
  t.equal(posted.json().error.code, 'InvalidRequest')
})

t.test('the reference has every operation for everybody, escaped, with a call to the own address', async (t) => {
  const page = await server.ask('GET', {}, '/portal/reference')
  t.equal(page.statusCode, 200)
  t.match(page.headers['content-security-policy'], /default-src 'none'.*form-action 'self'/, 'for the search')
  t.equal(page.headers['cache-control'], 'no-store')
  const missing = operations.filter(({ key, operation }) => {
    const [method = '', at = ''] = key.split(' ')
    const isShown = method !== 'OPTIONS' && (method === 'GET' || !JSON.stringify(operation).includes('text/html'))
    return isShown && !(page.body.includes(`id="${operation.operationId}"`) && page.body.includes(at))
  })
  t.same(
    missing.map(({ key }) => key),
    [],
  )
  t.match(page.body, 'curl --cacert ca.pem -X POST &quot;https://localhost:8443/api/v2/applications&quot;')
  t.match(page.body, '$CLIENT_ID:$CLIENT_SECRET')
  const posted = await server.ask('POST', {}, '/portal/reference')
  t.equal(posted.statusCode, 405)
  t.equal(posted.headers['allow'], 'GET, HEAD')
  const planted = await server.ask('GET', {}, '/portal/reference?tenant=%3Cscript%3Ealert(1)%3C/script%3E')
  t.notMatch(planted.body, 'alert(1)')
})

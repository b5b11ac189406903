// RFC 9110 §15.5.6 at every address of the public listener: what answers a method that is not served there, in whose
// words, kept by whom, and under which name it is counted.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { ApiError } from '../../src/http/answers/api-error.js'
import { answerOtherMethods, noteAddress } from '../../src/http/requests/addresses.js'
import { createHttpServer } from '../../src/http/server.js'
import { openApiPath } from '../../src/management/openapi/registered.js'
import { testLimits, testServer } from '../support/rooms/http-server.js'
import { askUnserved, servedMethods, type UnservedAnswer } from '../support/rooms/unserved-methods.js'

const tableFile = join(String(packageRoot()), 'test', 'other-methods.txt')
t.setTimeout(100_000)
const { answers, server } = await askUnserved(t.testdir())
t.teardown(() => server.stop())

/** Whose words they are. */
function family({ answer }: UnservedAnswer): string {
  const type = String(answer.headers['content-type'])
  if (type.startsWith('text/html')) return 'a page'
  if (answer.body === '') return 'nothing'
  const { error } = answer.json() as { error?: string | { code: string } }
  return typeof error === 'string' ? `OAuth ${error}` : `API ${error?.code}`
}

t.test('every address answers a method that it does not serve as it always did', async (t) => {
  t.ok(answers.length > 4_000, `${answers.length} answers`)
  const rows = new Map<string, Set<string>>()
  for (const one of answers) {
    const { headers, statusCode } = one.answer
    const fields = ['allow', 'content-type', 'cache-control'].map((name) => headers[name] ?? '-')
    const row = [one.path, statusCode, family(one), ...fields, openApiPath(one.route)].join(' | ')
    rows.set(row, (rows.get(row) ?? new Set()).add(one.method))
  }
  const usual = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
  const lines = [...rows].map(([row, methods]) => {
    const named = [...methods].filter((method) => usual.has(method)).sort()
    const others = methods.size > named.length ? [methods.has('TRACE') ? 'TRACE' : 'others'] : []
    return `${row} | ${[...named, ...others].join(' ')}`
  })
  const table = `${lines.sort().join('\n')}\n`
  // TAP_SNAPSHOT=1 npx tsx test/http/other-methods.test.ts writes it anew; the change is then to be seen in the commit.
  if (process.env['TAP_SNAPSHOT'] === '1') writeFileSync(tableFile, table)
  t.same(table.split('\n'), readFileSync(tableFile, 'utf8').split('\n'), 'TAP_SNAPSHOT=1 writes it anew')
})

t.test('routers hold what is served, and nothing that only refuses', async (t) => {
  const registered = server.routes.filter(({ url }) => url !== '/' && !url.endsWith('/*'))
  const served = [...servedMethods(server).values()].reduce((sum, methods) => sum + methods.size, 0)
  t.equal(registered.flatMap(({ methods }) => methods).length, served)
  t.ok(served < 700, `${served} routes`)
})

const headers = { host: 'localhost', 'x-forwarded-proto': 'https' }

/** A room with two addresses, one of which is also an example of the other, and a wildcard as the gate has it. */
async function twoRooms(t: Pick<Test, 'teardown'>) {
  const app = testServer()
  t.teardown(() => app.close())
  const refuse = () => {
    throw new ApiError(405, 'MethodNotAllowed', 'Not so.', { headers: { allow: 'as the room says' } })
  }
  app.register(async (room) => {
    room.setErrorHandler((error, _request, reply) =>
      reply.code((error as ApiError).status ?? 500).send(`the room: ${(error as Error).message}`),
    )
    room.delete('/keys/:id', async () => 'gone')
    noteAddress(room, '/keys/:id', { refuses: (method) => method !== 'DELETE', refuse })
    room.post('/keys/rotate', async () => 'rotated')
    noteAddress(room, '/keys/rotate', { refuses: (method) => method !== 'POST', refuse })
    room.get('/files/:name', async () => 'a file')
    noteAddress(room, '/files/:name', { refuses: (method) => method === 'PUT', refuse })
  })
  app.register(async (gate) => {
    gate.all('/*', { config: { streams: true, upgrades: true } }, async () => 'the gate')
  })
  await app.ready()
  return async (method: string, url: string, more: Record<string, string> = {}) => {
    const { statusCode, body } = await app.inject({ method: method as 'GET', url, headers: { ...headers, ...more } })
    return `${statusCode} ${body}`
  }
}

t.test('the most exact address decides, and what no room refuses goes on', async (t) => {
  const ask = await twoRooms(t)
  t.equal(await ask('DELETE', '/keys/one'), '200 gone')
  t.equal(await ask('DELETE', '/keys/rotate'), '405 the room: Not so.', 'not a key of that name')
  t.equal(await ask('POST', '/keys/rotate?x=1'), '200 rotated')
  t.equal(await ask('POST', '/keys/one'), '405 the room: Not so.')
  t.equal(await ask('PUT', '/files/a'), '405 the room: Not so.')
  t.equal(await ask('PATCH', '/files/a'), '200 the gate', 'a method of which the room says nothing')
  t.equal(await ask('GET', '/keys/one/more'), '200 the gate')
  t.equal(await ask('GET', '/Keys/one'), '200 the gate', 'another address')
})

t.test('an address that a room refuses is none where the gate would decide on slashes and protocols', async (t) => {
  const ask = await twoRooms(t)
  t.match(await ask('POST', '/keys/a%2Fb'), /^400 .*encoded_separator/s)
  t.equal(await ask('POST', '/other/a%2Fb'), '200 the gate')
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' }
  t.match(await ask('GET', '/keys/one', upgrade), /^(400|426) /)
})

t.test('a listener that does not ask takes no addresses, and no address twice', async (t) => {
  const bare = createHttpServer({
    tls: undefined,
    baseUrl: 'https://localhost:8443',
    limits: testLimits,
    logger: { level: 'silent' },
    accessLog: false,
  })
  t.teardown(() => bare.close())
  const methods = {
    refuses: () => true,
    refuse() {
      throw new Error('no')
    },
  }
  t.throws(() => noteAddress(bare, '/a', methods), { message: /answerOtherMethods/ })
  answerOtherMethods(bare)
  noteAddress(bare, '/a', methods)
  t.throws(() => noteAddress(bare, '/a', methods), { message: /already declared/ })
})

// What an operator sees and does: metrics, readiness, the masked configuration, logs without secrets, an orderly stop.
// full: a program and what its operator sees, for a while
// run: apart

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { call, demoCredential, demoToken, portcullis, tokenRequest } from '../support/programs/demo.js'
import { freePort, startProgram } from '../support/programs/program.js'
import { until } from '../support/traffic/until.js'

async function text(url: string): Promise<string> {
  return await (await fetch(url)).text()
}

const cwd = t.testdir()
let atUpstream = 0
const slow = createServer((request, response) => {
  request.resume()
  atUpstream += 1
  setTimeout(() => response.end('late'), 2_500)
})
await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
t.teardown(() => void slow.close())
const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
document.setIn(['upstreams', 'slow'], { target: `http://127.0.0.1:${(slow.address() as { port: number }).port}` })
document.setIn(['routes', 'GET /api/v2/slow'], { to: 'slow', require: 'User.Read.All' })
writeFileSync(join(cwd, 'portcullis.yaml'), document.toString())
/** One for all; the last test ends it. */
const program = await startProgram({ cwd, config: join(cwd, 'portcullis.yaml') })
t.teardown(() => program.stop('SIGKILL'))

t.test(
  'metrics: the promised names, no client in a label, as many series after traffic as the routes allow',
  async (t) => {
    const token = await demoToken(program)
    const authorized = { authorization: `Bearer ${token}` }
    for (const path of ['/api/v2/me', '/api/v2/subscriptions', '/nowhere'])
      await call(program, path, { headers: authorized })
    await call(program, '/api/v2/me')
    const before = await text(`${program.operatorUrl}/metrics`)
    for (const name of [
      'portcullis_http_requests_total',
      'portcullis_http_request_duration_seconds',
      'portcullis_upstream_request_duration_seconds',
      'portcullis_auth_decisions_total',
      'portcullis_token_issued_total',
      'portcullis_revocation_entries',
      'portcullis_revocation_staleness_seconds',
      'portcullis_ratelimit_decisions_total',
      'portcullis_signing_keys',
      'portcullis_tls_cert_not_after_seconds',
      'portcullis_config_info',
      'portcullis_store_up',
    ]) {
      t.match(before, new RegExp(`^${name}`, 'm'), name)
    }
    const { clientId } = demoCredential(program)
    t.notMatch(before, clientId, 'no client identifier')
    const paths = Array.from({ length: 40 }, (_, i) => `/api/v2/subscriptions/${i}-${'x'.repeat(8)}`)
    for (const path of [...paths, ...paths.map((path) => `/other${path}`)])
      await call(program, path, { headers: authorized })
    const after = await text(`${program.operatorUrl}/metrics`)
    const series = (exposition: string) =>
      exposition.split('\n').filter((line) => line.startsWith('portcullis_http_requests_total')).length
    t.ok(
      series(after) <= series(before) + 4,
      `${series(before)} series before, ${series(after)} after 80 different paths`,
    )
  },
)

t.test('liveness, readiness, masked configuration; none of it on the public listener', async (t) => {
  t.equal((await fetch(`${program.operatorUrl}/livez`)).status, 200)
  t.same(JSON.parse(await text(`${program.operatorUrl}/readyz`)), { ready: true, reasons: [], degraded: [] })
  t.match(JSON.parse(await text(`${program.operatorUrl}/config`)), { server: { baseUrl: program.baseUrl } })
  for (const path of ['/metrics', '/readyz', '/livez', '/config']) {
    t.equal((await call(program, path)).status, 404, `${path} is not public`)
  }
  const doctor = await portcullis(program, ['doctor'])
  t.equal(doctor.code, 0, doctor.stdout + doctor.stderr)
})

t.test('K8 X5 canaries in every wrong place appear in no log, metric or error', async (t) => {
  const printed = program.output().length
  const { clientId, clientSecret } = demoCredential(program)
  const token = await demoToken(program)
  const canary = 'c4n4ryc4n4ryc4n4ry'
  const bodies: string[] = []
  const note = async (answer: Promise<{ body: string }>) => bodies.push((await answer).body)
  const fields = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: 'default',
  }
  await note(tokenRequest(program, { ...fields, client_secret: canary }))
  await note(tokenRequest(program, { ...fields, scope: canary }))
  await note(tokenRequest(program, fields, `/api/v2/oauth2/v2.0/token?client_secret=${canary}`))
  await note(call(program, `/api/v2/me?access_token=${canary}`))
  await note(call(program, `/api/v2/me?code=${canary}`, { headers: { authorization: `Bearer ${token}` } }))
  await note(call(program, '/api/v2/me', { headers: { authorization: `Bearer ${canary}` } }))
  await note(
    call(program, '/api/v2/me', {
      headers: { authorization: `Basic ${Buffer.from(`a:${canary}`).toString('base64')}` },
    }),
  )
  await note(call(program, '/api/v2/me', { headers: { cookie: `__Host-session=${canary}` } }))
  await note(
    call(program, '/api/v2/subscriptions', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: `{"secret":"${canary}"`,
    }),
  )
  await portcullis(program, ['revoke', 'token', token])
  await call(program, '/api/v2/me', { headers: { authorization: `Bearer ${token}` } })
  const log = program.output().slice(printed)
  const metrics = await text(`${program.operatorUrl}/metrics`)
  const config = await text(`${program.operatorUrl}/config`)
  const encoded = Buffer.from(`a:${canary}`).toString('base64')
  for (const [name, output] of Object.entries({ log, metrics, config, bodies: bodies.join('\n') })) {
    for (const secret of [canary, encoded, clientSecret, token, token.split('.')[2] ?? '-']) {
      if (name === 'bodies' && secret === canary) continue
      t.notOk(output.includes(secret), `${name} does not contain ${secret.slice(0, 6)}…`)
    }
  }
  const [echoed] = [bodies.filter((body) => body.includes(canary))]
  t.ok(echoed.length <= 1, 'only the unknown scope name may come back to who sent it')
  t.ok(log.length > 0, 'there was a log to look at')
  t.ok(
    log
      .trim()
      .split('\n')
      .every((line) => JSON.parse(line)),
    'X4 each line is one JSON object',
  )
})

t.test('a second server on the same data folder does not start, and harms nothing', async (t) => {
  await t.rejects(startProgram({ cwd }), /the program ended early[\s\S]*a server is running/)
  t.equal(
    (await call(program, '/api/v2/me', { headers: { authorization: `Bearer ${await demoToken(program)}` } })).status,
    200,
  )
  t.equal((await portcullis(program, ['app', 'list'])).code, 0)
})

t.test('a port that is taken ends the start with a sentence and status 1, and leaves nothing running', async (t) => {
  const taken = createServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void taken.close())
  const { port } = taken.address() as { port: number }
  for (const ports of [
    { public: port, operator: await freePort() },
    { public: await freePort(), operator: port },
  ]) {
    const cwd = t.testdir()
    await t.rejects(startProgram({ cwd, ports }), /the program ended early[\s\S]*EADDRINUSE/)
  }
})

t.test('SIGTERM: what is in flight is answered, new connections are refused, the status is 0', async (t) => {
  const token = await demoToken(program)
  const inFlight = Array.from({ length: 5 }, () =>
    call(program, '/api/v2/slow', { headers: { authorization: `Bearer ${token}` } }),
  )
  await until('all are at the upstream', () => atUpstream === inFlight.length)
  const ended = program.stop('SIGTERM')
  const answers = await Promise.all(inFlight)
  t.same(
    answers.map((answer) => [answer.status, answer.body]),
    Array(5).fill([200, 'late']),
  )
  t.equal(await ended, 0)
  t.match(await call(program, '/api/v2/me').catch((error: NodeJS.ErrnoException) => error.code), 'ECONNREFUSED')
})

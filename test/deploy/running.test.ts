// The deployment runs: two gateways from the image's own files, behind the shipped haproxy.cfg, on a PostgreSQL and a
// Redis that were set up by the shipped files. Then what the operator's page promises is tried.
// full: two gateways, HAProxy, PostgreSQL and Redis
// run: apart

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { createWorkersMetrics } from '../../src/observability/workers-metrics.js'
import type { Program } from '../support/programs/program.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { deployFile } from './deployment.js'
import { buildImage } from './image.js'
import { type Stack, startStack, until } from './stack.js'

const host = 'api.example.com:8443'

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** Another loopback address than HAProxy's own, so that the two can be distinguished. */
  from?: string
}

/** One request on a connection of its own, over TLS, with the trial certificate trusted. */
function call(stack: Stack, path: string, { method = 'GET', headers = {}, body, from = '127.0.0.1' }: Call = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = request({
      ...{ host: '127.0.0.1', port: stack.port, path, method, localAddress: from, agent: false },
      ...{
        headers: { host, ...headers },
        servername: 'api.example.com',
        ca: readFileSync(join(stack.folder, 'secrets/edge.crt')),
      },
    })
    outgoing.once('error', reject)
    outgoing.once('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    outgoing.end(body)
  })
}

/** A command line as `docker compose exec gateway-1 portcullis …` runs it. */
function portcullis(image: string, program: Program, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(image, 'app/dist/src/main.js'), ...words], {
    cwd: program.cwd,
    env: { ...plainEnvironment(), ...program.env },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`portcullis ${words.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}

/**
 * The same, until no instance refuses it: one that stood still for a second does so until it has looked at the Store.
 */
async function callUntilAnswered(stack: Stack, path: string, options: Call): Promise<Answer> {
  let answer = await call(stack, path, options)
  for (let again = 0; again < 100 && answer.status === 503; again++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    answer = await call(stack, path, options)
  }
  return answer
}

/** Waits until readiness says this; gives what it said last. */
async function readiness({ operatorUrl }: Program, degraded: readonly string[]): Promise<unknown> {
  const expected = { ready: true, reasons: [], degraded }
  let said: unknown
  await until(async () => {
    said = await (await fetch(`${operatorUrl}/readyz`)).json()
    return isDeepStrictEqual(said, expected)
  }, 'readiness says something else').catch(() => undefined)
  return said
}

/**
 * Adds a public route to a service of one's own, as an operator would. What stops stays longer than as shipped: on a
 * machine that stands still for seconds HAProxy still sees it in time. That 5 s are enough is counted in
 * compose.test.ts.
 */
function withOwnService(port: number): (text: string) => string {
  return (text) =>
    text
      .replace(/^ {4}ready: 5s/m, '    ready: 12s')
      .replace(/^upstreams:\n/m, `upstreams:\n  own: { target: 'http://127.0.0.1:${port}' }\n`)
      .replace(/^routes:\n/m, 'routes:\n  GET /api/v2/own: { to: own, public: true }\n')
}

t.test('two instances from the image behind HAProxy', { timeout: 270_000 }, async (t) => {
  const received: IncomingMessage['headers'][] = []
  const own = createServer((incoming, response) => {
    received.push(incoming.headers)
    response.end('own')
  })
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void own.close())
  const folder = t.testdir()
  const image = buildImage(folder)
  const configuration = withOwnService((own.address() as AddressInfo).port)
  const stack = await startStack(t, { folder, image, configuration })
  const files = () => readdirSync(image, { recursive: true }).sort()
  const before = files()
  const first = await stack.startGateway(0)
  const second = await stack.startGateway(1)
  let again = first
  let authorization = ''
  let tokenRequest: Call = {}
  await stack.ready(2)

  await t.test('the first application gets a token, and every instance accepts it', async (t) => {
    portcullis(image, first, ['tenant', 'create', 'Example'])
    const made = ['app', 'create', 'first', '--type', 'web', '--permission', 'Subscription.Read.All', '--consent']
    const variables = portcullis(image, first, [...made, '-o', 'env'])
    const variable = (name: string) => new RegExp(`^(?:export )?${name}='?([^'\n]+)`, 'm').exec(variables)?.[1] ?? name
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: variable('PORTCULLIS_CLIENT_ID'),
      client_secret: variable('PORTCULLIS_CLIENT_SECRET'),
      scope: 'default',
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    tokenRequest = { method: 'POST', headers, body: String(form) }
    const answer = await callUntilAnswered(stack, '/api/v2/oauth2/v2.0/token', tokenRequest)
    t.equal(answer.status, 200)
    authorization = `Bearer ${(JSON.parse(answer.body) as { access_token: string }).access_token}`
    for (let i = 0; i < 6; i++) {
      const ask = (path: string) => callUntilAnswered(stack, path, { headers: { authorization } })
      // Two in a row, for they are answered in turn.
      for (let turn = 0; turn < 2; turn++) t.equal((await ask('/api/v2/subscriptions?token=c4n4ry')).status, 200)
      t.equal((await ask('/api/v2/x/%70cl_sk_c4n4ry')).status, 404)
    }
    t.same(
      await readiness(first, []),
      { ready: true, reasons: [], degraded: [] },
      'the rights at PostgreSQL and Redis are enough',
    )
    t.match(stack.log(), /"server":"gateway-1","status":200/)
    t.match(stack.log(), /"server":"gateway-2","status":200/)
    t.notMatch(stack.log(), /c4n4ry|Bearer|pcl_sk_/, 'HAProxy logs no query and no header')
  })

  await t.test(
    'what a client says about itself in forwarded headers is overwritten, whatever the spelling',
    async (t) => {
      for (const headers of [
        { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http', forwarded: 'for=203.0.113.9;proto=http' },
        { 'X-Forwarded-For': '203.0.113.9, 127.0.0.1', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Port': '1' },
        { X_Forwarded_For: '203.0.113.9', 'x-real-ip': '203.0.113.9' },
      ]) {
        const answer = await call(stack, '/api/v2/own', { headers, from: '127.0.0.2' })
        t.same([answer.status, answer.body], [200, 'own'])
        const got = received.at(-1)
        t.same([got?.['x-forwarded-for'], got?.['x-forwarded-proto']], ['127.0.0.2', 'https'])
        t.notMatch(JSON.stringify(got), /evil|proto=http[^s]/)
      }
      const http2 = connectHttp2(`https://127.0.0.1:${stack.port}`, { rejectUnauthorized: false })
      const status = await new Promise((resolve, reject) => {
        http2.once('error', reject)
        http2
          .request({ ':path': '/api/v2/own', ':authority': host, 'x-forwarded-for': '203.0.113.9' })
          .once('response', (headers) => resolve(headers[':status']))
          .end()
      })
      http2.close()
      t.same([status, received.at(-1)?.['x-forwarded-for']], [200, '127.0.0.1'], 'over HTTP/2 too')
      t.equal(
        (await call(stack, '/api/v2/own', { headers: { host: 'evil.example' } })).status,
        421,
        'Host is not rewritten',
      )
      t.equal((await call(stack, '/metrics')).status, 404, 'no page of the operator is published')
    },
  )

  await t.test('every name in the alert rules is exported', async (t) => {
    const ofPrimary = await createWorkersMetrics(2, async () => new Map()).registry.metrics()
    const exported = (await (await fetch(`${first.operatorUrl}/metrics`)).text()) + ofPrimary
    const balancer = await (await fetch(stack.metricsUrl)).text()
    const names = new Set(deployFile('prometheus/rules.yml').match(/\b(?:portcullis|haproxy)_[a-z_]+\b(?=[{[ )]|$)/gm))
    for (const watched of [
      'redis_up',
      'store_up',
      'leader',
      'instances',
      'clock_skew_seconds',
      'limit_on_down_total',
    ]) {
      t.ok(names.has(`portcullis_${watched}`), watched)
    }
    for (const name of names) {
      t.match(
        name.startsWith('haproxy') ? balancer : exported,
        new RegExp(`^(# TYPE )?${name.replace(/_count$/, '')}`, 'm'),
        name,
      )
    }
  })

  await t.test('F14 an instance that stops is out before it closes: no request fails', async (t) => {
    const results: string[] = []
    let going = true
    const asking = (async () => {
      while (going) {
        results.push(await call(stack, '/api/v2/own').then(({ status }) => String(status), String))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })()
    const stopped = first.stop()
    await stack.ready(1)
    t.equal(first.child.exitCode, null, 'it still answers when HAProxy has taken it out')
    t.equal(await stopped, 0)
    again = await stack.startGateway(0)
    await stack.ready(2)
    going = false
    await asking
    t.ok(results.length > 50, `${results.length} requests`)
    t.same(
      results.filter((result) => result !== '200'),
      [],
    )
  })

  await t.test(
    'F8 without PostgreSQL and Redis nobody is ready, and who lives answers; then all is well again',
    async (t) => {
      await stack.postgres.stop()
      t.equal((await call(stack, '/api/v2/own')).status, 200)
      const late = await call(stack, '/api/v2/oauth2/v2.0/token', tokenRequest)
      t.same([late.status, typeof late.headers['retry-after']], [503, 'string'], 'no token')
      t.same(await readiness(first, ['store_down']), { ready: true, reasons: [], degraded: ['store_down'] })
      stack.endRedis()
      await stack.ready(0)
      t.equal((await call(stack, '/api/v2/own')).status, 200, 'a public route')
      const refused = await call(stack, '/api/v2/subscriptions', { headers: { authorization } })
      t.equal(refused.status, 503)
      t.match(
        refused.headers,
        { 'retry-after': /^\d+$/, 'request-id': /^[0-9a-f-]{36}$/, duration: /^[\d.]+$/ },
        'from a gateway',
      )
      await stack.postgres.start()
      await stack.ready(2)
      const answer = await callUntilAnswered(stack, '/api/v2/subscriptions', { headers: { authorization } })
      t.equal(answer.status, 200)
    },
  )

  await t.test('without any instance the refusal is JSON, with an id and the time to come again', async (t) => {
    await Promise.all([again.stop('SIGKILL'), second.stop('SIGKILL')])
    const { status, headers, body } = await call(stack, '/api/v2/own')
    t.equal(status, 503)
    t.same([headers['retry-after'], headers['content-type']], ['2', 'application/json'])
    const { error } = JSON.parse(body) as { error: { code: string; innerError: Record<string, string> } }
    t.equal(error.code, 'ServiceUnavailable')
    t.match(error.innerError, { 'request-id': headers['request-id'], date: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ })
  })

  t.same(files(), before, 'nothing was written outside of /data: a read-only root will do')
})

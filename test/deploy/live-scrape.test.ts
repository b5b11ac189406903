// Every query of every dashboard and every selector of every alert finds series in a Prometheus that scrapes two workers
// on PostgreSQL and Redis, after a little traffic of each kind. Those of HAProxy are looked for in running.test.ts.
// full: Prometheus, PostgreSQL, Redis and a program
// run: apart

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { parse, parseDocument, stringify } from 'yaml'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { dashboards } from '../../src/observability/monitoring/files.js'
import { alertGroups } from '../../src/observability/monitoring/rules.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { startRedis } from '../support/databases/redis.js'
import { call, demoToken, tokenRequest } from '../support/programs/demo.js'
import { freePort, type Program, startProgram } from '../support/programs/program.js'
import { until } from '../support/traffic/until.js'
import { deployFile, deployFolder } from './deployment.js'

const patientMs = 60_000

/** A service that closes without an answer, one that answers, and routes and limits for every kind of series. */
function configuration(port: number): string {
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  document.setIn(['limits', 'tight'], { by: 'application', rate: '1/h', burst: 1 })
  document.setIn(['limits', 'watched'], { by: 'application', rate: '1/h', burst: 1, shadow: true })
  document.setIn(['upstreams', 'own'], { target: `http://127.0.0.1:${port}` })
  const crowded = { target: `http://127.0.0.1:${port}`, maxInFlight: 1, timeouts: { queue: '50ms' } }
  document.setIn(['upstreams', 'crowded'], crowded)
  const needs = { to: 'own', require: 'User.Read.All' }
  document.setIn(['routes', 'GET /api/v2/own/tight'], { ...needs, limits: ['tight'] })
  document.setIn(['routes', 'GET /api/v2/own/watched'], { ...needs, limits: ['watched'] })
  document.setIn(['routes', 'GET /api/v2/own/stale'], { ...needs, onStale: 'pass' })
  document.setIn(['routes', 'GET /api/v2/own/shadow'], { ...needs, shadow: true })
  document.setIn(['routes', 'GET /api/v2/own/broken'], needs)
  document.setIn(['routes', 'GET /api/v2/crowded'], { ...needs, to: 'crowded' })
  const mcp = { first: 'User.Read.All', pins: 'report', tools: { find: 'User.Read.All' } }
  document.setIn(['routes', '/own/mcp'], document.createNode({ to: 'own', mcp }))
  return document.toString()
}

async function startService(t: { teardown(work: () => unknown): void }): Promise<number> {
  const service = createServer((request, response) => {
    if (request.url?.endsWith('/broken')) request.socket.destroy()
    else if (request.url?.endsWith('/crowded')) setTimeout(() => response.end('slow'), 300)
    else if (request.url?.endsWith('/mcp')) answerMessage(request, response)
    else response.end('own')
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void service.close().closeAllConnections())
  return (service.address() as AddressInfo).port
}

let lists = 0

/** As a server with a tool that the file names, and whose definition changes, and one that the file does not name. */
function answerMessage(request: IncomingMessage, response: ServerResponse): void {
  let text = ''
  request.on('data', (chunk: Buffer) => {
    text += chunk
  })
  request.on('end', () => {
    const { id } = JSON.parse(text)
    response.setHeader('content-type', 'application/json')
    lists += 1
    const tools = [{ name: 'find', description: `as of list ${lists}` }, { name: 'unnamed' }]
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }))
  })
}

/** A list, calls that pass, are refused and say something else in their fields, and the same call again and again. */
async function messages(program: Program, token: string): Promise<void> {
  const version = '2026-07-28'
  const _meta = { 'io.modelcontextprotocol/protocolVersion': version }
  const send = (method: string, name: string | undefined, said = method) =>
    call(program, '/own/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'mcp-protocol-version': version,
        'mcp-method': said,
        ...(name === undefined ? {} : { 'mcp-name': name }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...(name === undefined ? {} : { name }), _meta },
      }),
    })
  await send('tools/list', undefined)
  await send('tools/call', 'unnamed')
  await send('tools/call', 'find', 'tools/list')
  // Each of two workers has its own share of them.
  for (let i = 0; i < 40; i += 1) await send('tools/call', 'find')
}

/** One round of everything that makes series. */
async function traffic(program: Program, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  for (const path of ['tight', 'tight', 'watched', 'watched', 'stale', 'shadow', 'broken']) {
    await call(program, `/api/v2/own/${path}`, { headers })
  }
  for (const path of ['tight', 'shadow', 'nothing']) await call(program, `/api/v2/own/${path}`)
  await Promise.all(Array.from({ length: 8 }, () => call(program, '/api/v2/crowded', { headers })))
  await call(program, '/api/v2/subscriptions', { headers })
  await messages(program, token)
  await tokenRequest(program, { grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'nothing' })
  const { hostname, port } = new URL(program.baseUrl)
  // A connection that speaks no TLS is refused before a request can be read.
  await new Promise<void>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('error', () => undefined)
    socket.once('close', () => resolve())
    socket.on('data', () => undefined)
    socket.end('no request\r\n\r\n')
  })
}

/** The shipped configuration with the addresses of this machine, scraped each second. */
async function startPrometheus(
  t: { teardown(work: () => unknown): void },
  folder: string,
  operatorUrl: string,
): Promise<(expr: string) => Promise<number>> {
  const shipped = parse(deployFile('prometheus/prometheus.yml'))
  const [job] = shipped.scrape_configs
  t.teardown(() => undefined)
  const file = join(folder, 'prometheus.yml')
  const settings = {
    global: { ...shipped.global, scrape_interval: '1s', scrape_timeout: '1s' },
    rule_files: [join(deployFolder, 'prometheus/rules.yml')],
    scrape_configs: [{ job_name: job.job_name, static_configs: [{ targets: [new URL(operatorUrl).host] }] }],
  }
  writeFileSync(file, stringify(settings))
  const port = await freePort()
  const child: ChildProcess = spawn(
    'prometheus',
    [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore' },
  )
  t.teardown(
    () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
  )
  return async (expr) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query: expr })}`, {
      signal: AbortSignal.timeout(10_000),
    })
    const body = (await answer.json()) as { status: string; error?: string; data: { result: unknown[] } }
    if (body.status !== 'success') throw new Error(`${expr}: ${body.error}`)
    return body.data.result.length
  }
}

t.test('queries find series', { timeout: 400_000 }, async (t) => {
  const cwd = t.testdir()
  const [postgres, redis, port] = await Promise.all([startPostgres(t), startRedis(t), startService(t)])
  writeFileSync(join(cwd, 'portcullis.yaml'), configuration(port))
  const program = await startProgram({
    cwd,
    config: join(cwd, 'portcullis.yaml'),
    env: { PORTCULLIS_STORE: await postgres.newDatabase(), PORTCULLIS_REDIS: redis.url, PORTCULLIS_WORKERS: '2' },
  })
  t.teardown(() => program.stop('SIGKILL'))
  const query = await startPrometheus(t, cwd, program.operatorUrl)
  const token = await demoToken(program)
  await until('it is scraped', async () => (await query('portcullis_instances > 0')) > 0, patientMs)
  await traffic(program, token)
  await until('and what the traffic made', async () => (await query('portcullis_would_deny_total')) > 0, patientMs)
  // A second round, so that everything has a rate.
  await traffic(program, token)

  await t.test('of every panel', async (t) => {
    for (const { uid, rows } of dashboards) {
      for (const { title, queries } of rows.flatMap(({ panels }) => panels)) {
        for (const { expr } of queries) {
          const text = expr.replaceAll('$__rate_interval', '5m').replace(/\$(?:instance|route)/g, '.*')
          const found = async () => (await query(text)) > 0
          await until(`${uid}, ${title}: ${text}`, found, patientMs).then(
            () => t.pass(`${uid}: ${title}`),
            () => t.fail(`${uid}: ${title}: ${text}`),
          )
        }
      }
    }
  })

  await t.test('of every alert', async (t) => {
    for (const { name, expr } of Object.values(alertGroups).flat()) {
      for (const [selector, metric = ''] of expr.matchAll(/\b((?:portcullis|haproxy)_[a-z0-9_]+|up)(?:\{[^}]*\})?/g)) {
        if (metric.startsWith('haproxy')) continue
        const found = async () => (await query(selector)) > 0
        await until(`${name}: ${selector}`, found, patientMs).then(
          () => t.pass(`${name}: ${selector}`),
          () => t.fail(`${name}: ${selector}`),
        )
      }
    }
  })

  t.equal(await query('ALERTS{severity="critical"}'), 0, 'and nothing critical is said of a server that is well')
})

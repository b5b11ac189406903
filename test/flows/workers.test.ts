// `portcullis serve --workers`: several processes that share one port, PostgreSQL and Redis, and are one to the
// operator.
// full: several workers on PostgreSQL and Redis, a minute
// run: alone

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import t from 'tap'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { startRedis } from '../support/databases/redis.js'
import { demoToken, portcullis } from '../support/programs/demo.js'
import { askUntilClosed, head, open, readiness } from '../support/programs/kept-alive.js'
import { type Program, programWords, startProgram } from '../support/programs/program.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { type RawConnection, rawConnection } from '../support/traffic/http-raw.js'
import { until } from '../support/traffic/until.js'

const postgres = await startPostgres(t)
const redis = await startRedis(t)

type Test = Pick<typeof t, 'testdir' | 'teardown'>

/** Where a test makes them break, and a route whose upstream answers on command. */
interface Running {
  program: Program
  waiting: ServerResponse[]
}

/** What the start of a worker may take on a busy machine. */
const startMs = 60_000

/** SIGWINCH is a mistake that nobody caught. */
const planted = `--import=data:text/javascript,${encodeURIComponent('process.on("SIGWINCH", () => { Promise.reject(new Error("planted")) })')}`

/** Two workers on a database of their own. */
async function running(t: Test): Promise<Running> {
  const cwd = t.testdir()
  const waiting: ServerResponse[] = []
  const upstream = createServer((_request, response) => void waiting.push(response))
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void upstream.close().closeAllConnections())
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  document.setIn(['server', 'drain'], { ready: '1s', finish: '10s' })
  document.setIn(['reload', 'watch'], false)
  document.setIn(['server', 'limits', 'perAddress'], '1000000/min')
  document.setIn(['limits', 'application'], { by: 'application', rate: '1000000/min', burst: 100_000 })
  document.setIn(['upstreams', 'slow'], { target: `http://127.0.0.1:${(upstream.address() as { port: number }).port}` })
  document.setIn(['routes', 'GET /api/v2/slow'], { to: 'slow', require: 'User.Read.All' })
  writeFileSync(join(cwd, 'portcullis.yaml'), document.toString())
  const program = await startProgram({
    cwd,
    config: join(cwd, 'portcullis.yaml'),
    env: { ...(await storage()), PORTCULLIS_WORKERS: '2', NODE_OPTIONS: planted },
  })
  t.teardown(() => program.stop('SIGKILL'))
  return { program, waiting }
}

async function storage(): Promise<NodeJS.ProcessEnv> {
  return { PORTCULLIS_STORE: await postgres.newDatabase(), PORTCULLIS_REDIS: redis.url }
}

/** The workers' process ids: each has a socket of its own for the bundled backend. */
function pids(program: Program): number[] {
  const found = readdirSync(program.folder).map((name) => /^backend\.(\d+)\.sock$/.exec(name)?.[1])
  return found.filter((pid) => pid !== undefined).map(Number)
}

/** On a busy machine it was silent for so long that another one stands in its place. */
function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error
  }
}

/** A connection to each worker, distinguished by the line that the answering one writes. */
async function connectionToEach(program: Program, token: string): Promise<Map<number, RawConnection>> {
  const found = new Map<number, RawConnection>()
  for (let i = 0; i < 200 && found.size < 2; i++) {
    const connection = await open(program)
    const worker = await whoAnswers(program, connection, token)
    if (found.has(worker)) connection.end()
    else found.set(worker, connection)
  }
  t.equal(found.size, 2, 'both workers take connections from the one port')
  return found
}

async function whoAnswers(program: Program, connection: RawConnection, token: string): Promise<number> {
  connection.send(head(program, '/api/v2/subscriptions', token))
  const answer = await connection.answer()
  if (answer.status !== 200) throw new Error(answer.body)
  const line = new RegExp(`"worker":(\\d+),.*"requestId":"${answer.headers.get('request-id')?.[0]}"`)
  await until('the answering worker has written its line', () => line.test(program.output()))
  return Number(line.exec(program.output())?.[1])
}

async function metric(program: Program, pattern: string): Promise<number> {
  const text = await (await fetch(`${program.operatorUrl}/metrics`)).text()
  return Number(new RegExp(`^${pattern} (\\S+)$`, 'm').exec(text)?.[1])
}

const proxied =
  'portcullis_http_requests_total\\{route="GET /api/v2/subscriptions",method="GET",code="200",source="upstream"\\}'

// For all of these, in this order: each leaves two workers that serve, and the last ends them.
const { program, waiting } = await running(t)

t.test(
  'workers share one port, are one to the operator, and a revocation through one is effective at all',
  async (t) => {
    t.equal(program.output().split('described at ').length, 2, 'one banner')
    t.same(await readiness(program).then(({ ready, reasons }) => ({ ready, reasons })), { ready: true, reasons: [] })
    t.equal(pids(program).length, 2)
    t.equal(statSync(join(program.folder, 'admin.sock')).mode & 0o777, 0o600)
    const token = await demoToken(program)
    const connections = await connectionToEach(program, token)
    const bothAnswer = async () => (await metric(program, 'portcullis_workers_answering')) === 2
    await until('both answer', bothAnswer)
    const before = await metric(program, proxied)
    for (const connection of connections.values()) {
      for (let i = 0; i < 5; i++) await whoAnswers(program, connection, token)
    }
    // A worker that had to wait for the processor has no part in a page.
    await until('the page has both', async () => (await metric(program, proxied)) - before >= 10)
    t.equal((await metric(program, proxied)) - before, 10, 'counters of the workers are added up')
    await until('both answer', bothAnswer)
    t.equal(await metric(program, 'portcullis_store_up'), 1, 'what is 1 in each is 1')
    t.equal((await portcullis(program, ['revoke', 'token', token])).code, 0)
    for (const connection of connections.values()) {
      connection.send(head(program, '/api/v2/subscriptions', token))
      t.equal((await connection.answer()).status, 401)
    }
  },
)

t.test('a TLS session goes on at either worker, and each counts it', async (t) => {
  const token = await demoToken(program)
  const resumed = 'portcullis_tls_handshakes_total\\{kind="resumed"\\}'
  const before = await metric(program, resumed)
  const first = await open(program)
  const given = new Promise<Buffer>((resolve) => first.socket.once('session', resolve))
  await whoAnswers(program, first, token)
  const tls = { ca: program.ca(), session: await given }
  first.end()
  const workers = new Set<number>()
  let connections = 0
  for (; connections < 200 && workers.size < 2; connections++) {
    const connection = await rawConnection({ port: Number(new URL(program.baseUrl).port), tls })
    t.equal((connection.socket as TLSSocket).isSessionReused(), true)
    workers.add(await whoAnswers(program, connection, token))
    connection.end()
  }
  t.equal(workers.size, 2)
  await until('the page has both', async () => (await metric(program, resumed)) - before >= connections)
})

t.test(
  'F15 a worker whose event loop stands still: not ready, nothing waits for it, the other one serves',
  async (t) => {
    const token = await demoToken(program)
    const [hanging] = pids(program) as [number, number]
    process.kill(hanging, 'SIGSTOP')
    const began = performance.now()
    t.match(await readiness(program), { ready: false, reasons: ['worker_silent'] })
    t.equal(await metric(program, 'portcullis_workers_answering'), 1)
    t.equal((await fetch(`${program.operatorUrl}/livez`)).status, 200)
    t.ok(performance.now() - began < 9_000, `${Math.round(performance.now() - began)} ms for three pages`)
    for (let i = 0; i < 10; i++) {
      const connection = await open(program)
      await whoAnswers(program, connection, token)
      connection.end()
    }
    resume(hanging)
    await until('it is ready again', async () => (await readiness(program)).ready, startMs)
    await until('nobody stands beside it any more', () => pids(program).length === 2, startMs)
    const both = pids(program)
    for (const pid of both) process.kill(pid, 'SIGSTOP')
    t.equal((await fetch(`${program.operatorUrl}/livez`)).status, 503, 'nobody serves')
    for (const pid of both) resume(pid)
    await until('both serve', async () => (await readiness(program)).ready, startMs)
    await until('nobody stands beside them any more', () => pids(program).length === 2, startMs)
  },
)

t.test('F13 kill -9 of a worker: only its requests in flight fail, another one takes its place', async (t) => {
  const token = await demoToken(program)
  const connections = await connectionToEach(program, token)
  const before = await metric(program, proxied)
  const victims = pids(program)
  for (const connection of connections.values()) connection.send(head(program, '/api/v2/slow', token))
  await until('both requests are at the upstream', () => waiting.length === 2)
  const [victim] = victims as [number, number]
  process.kill(victim, 'SIGKILL')
  await until('its end is noticed', () => program.output().includes('"signal":"SIGKILL"'))
  for (const response of waiting) response.end('late')
  const results = await Promise.allSettled([...connections.values()].map((connection) => connection.answer()))
  t.same(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await until('it is ready again', async () => (await readiness(program)).ready, startMs)
  t.equal(pids(program).length, 2)
  t.notOk(pids(program).includes(victim), 'its socket is gone')
  await connectionToEach(program, token)
  t.ok((await metric(program, proxied)) > before, 'what it had counted is not forgotten')
  t.equal(await metric(program, 'portcullis_worker_ends_total'), 1)
})

t.test('a reload reaches every worker, requested of one or of the primary; a wrong file reaches none', async (t) => {
  const connections = await connectionToEach(program, await demoToken(program))
  const statuses = async (path: string) => {
    const each = [...connections.values()].map((connection) => {
      connection.send(head(program, path, 'nobody'))
      return connection.answer()
    })
    return (await Promise.all(each)).map(({ status }) => status)
  }
  const file = join(program.cwd, 'portcullis.yaml')
  const document = parseDocument(readFileSync(file, 'utf8'))
  const write = (n: number) => {
    document.setIn(['routes', `GET /api/v2/new/${n}`], { to: 'slow', require: 'User.Read.All' })
    writeFileSync(file, document.toString())
  }
  t.same(await statuses('/api/v2/new/1'), [404, 404])
  write(1)
  const result = await portcullis(program, ['reload', '--config', file])
  t.match(result, { code: 0, stdout: '+ routes GET /api/v2/new/1\n' })
  t.same(await statuses('/api/v2/new/1'), [401, 401], 'all of them, when the answer is there')
  write(2)
  process.kill(program.child.pid ?? 0, 'SIGHUP')
  await until('the primary has heard it', async () =>
    (await statuses('/api/v2/new/2')).every((status) => status === 401),
  )
  const shown = (await (await fetch(`${program.operatorUrl}/config`)).json()) as { routes: { id: string }[] }
  t.ok(shown.routes.some(({ id }) => id === 'GET /api/v2/new/2'))
  t.equal(await metric(program, 'portcullis_config_reloads_total\\{result="reloaded"\\}'), 2, 'counted once')
  t.equal(await metric(program, 'portcullis_config_last_reload_successful'), 1)
  document.setIn(['routes', 'GET /api/v2/new/3'], { to: 'nowhere', require: 'User.Read.All' })
  writeFileSync(file, document.toString())
  t.match(await portcullis(program, ['reload', '--config', file]), {
    code: 2,
    stderr: /there is no upstream "nowhere"/,
  })
  // The command reads the same file, and says what is wrong with it before it asks; the primary hears of it by a
  // signal.
  process.kill(program.child.pid ?? 0, 'SIGHUP')
  await until('it is refused', async () => (await metric(program, 'portcullis_config_last_reload_successful')) === 0)
  t.same(await statuses('/api/v2/new/2'), [401, 401])
  // Whichever worker answers knows it of the primary.
  const refused = JSON.parse((await portcullis(program, ['status', '-o', 'json'])).stdout).refusedConfiguration
  t.match(refused, { mistakes: 1, first: [/portcullis\.yaml:\d+:\d+ .*there is no upstream "nowhere"/] })
  for (const connection of connections.values()) connection.end()
})

// The file is still wrong, which must not keep a worker from taking the place of another.
t.test('F30 an error that nobody caught in a worker: it drains, ends, and is replaced', async (t) => {
  const [victim] = pids(program) as [number, number]
  process.kill(victim, 'SIGWINCH')
  await until('it has ended', () => /"level":"error".*"exitCode":1/.test(program.output()))
  t.match(program.output(), /"level":"fatal".*"worker":\d.*planted/)
  const replaced = async () => (await readiness(program)).ready && !pids(program).includes(victim)
  await until('it is ready again', replaced, startMs)
  for (const connection of (await connectionToEach(program, await demoToken(program))).values()) {
    connection.send(head(program, '/api/v2/new/2', 'nobody'))
    t.equal((await connection.answer()).status, 401, 'with the rules of the others')
    connection.end()
  }
})

t.test('F14 a signal to all of the processes at once, under load: every request is answered', async (t) => {
  const token = await demoToken(program)
  const connections = await Promise.all(Array.from({ length: 10 }, () => open(program)))
  let answers = 0
  const clients = connections.map((connection) => askUntilClosed(program, connection, token, () => void answers++))
  await until('the load is on', () => answers > 100)
  const ended = program.stop('SIGINT')
  await until('it is draining', async () => (await readiness(program)).reasons.includes('draining'))
  await Promise.all(clients)
  t.equal(await ended, 0)
  t.same(
    readdirSync(program.folder).filter((name) => name.endsWith('.sock')),
    [],
    'no socket is left',
  )
})

/** `portcullis serve` that is expected to end by itself. */
function refused(cwd: string, words: string[], env: NodeJS.ProcessEnv): Promise<{ code: number; said: string }> {
  const [program = '', ...rest] = [...programWords(), 'serve', ...words]
  const options = { cwd, env: { ...plainEnvironment(), PORTCULLIS_DATA: './data', ...env }, timeout: 60_000 }
  return new Promise((resolve) => {
    execFile(program, rest, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), said: stderr + stdout }),
    )
  })
}

t.test('what keeps workers from starting is said once, with the status of its kind', async (t) => {
  const withoutRedis = await refused(t.testdir(), ['--workers', 'auto'], {})
  t.equal(withoutRedis.code, 2)
  t.match(withoutRedis.said, /store\.url is empty.*PORTCULLIS_STORE[\s\S]*redis\.url is empty.*PORTCULLIS_REDIS/)
  for (const number of ['0', '1000']) {
    t.match(await refused(t.testdir(), [`--workers=${number}`], {}), {
      code: 2,
      said: /auto or a number from 1 to 256/,
    })
  }
  const taken = createTcpServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const env = { ...(await storage()), PORTCULLIS_LISTEN: `127.0.0.1:${port}`, PORTCULLIS_OPERATOR: '127.0.0.1:0' }
  const failed = await refused(t.testdir(), ['--workers', '3'], env)
  t.equal(failed.code, 1)
  t.equal(failed.said.split('EADDRINUSE').length, 2, failed.said)
})

t.test('when nobody serves any more and no worker can start, the primary gives up', async (t) => {
  const { program } = await running(t)
  const ended = new Promise((resolve) => program.child.once('exit', resolve))
  const serving = pids(program)
  // Each looks at the data folder anew; and who fails so early must not be kept by its channel to the primary.
  renameSync(program.folder, `${program.folder}-aside`)
  writeFileSync(program.folder, 'no folder')
  for (const pid of serving) process.kill(pid, 'SIGKILL')
  t.equal(await ended, 1)
  await until('it has said why', () => program.output().includes('no worker could be started again'))
})

// How a process ends, and what does not end it: clients that keep their connections, uploads and streams in flight,
// deadlines, a second signal, errors that nobody caught, a log that cannot be written, no file descriptors left.
// full: deadlines of a process that ends, waited for
// run: apart

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { parseDocument } from 'yaml'
import { defaultConfigFile } from '../../src/config/read/package-root.js'
import { call, demoToken } from '../support/programs/demo.js'
import { askUntilClosed, head, open, readiness } from '../support/programs/kept-alive.js'
import { type Program, programWords, startProgram } from '../support/programs/program.js'
import { until } from '../support/traffic/until.js'

type Test = Pick<typeof t, 'testdir' | 'teardown'>

interface Setting {
  drain?: { ready: string; finish: string }
  upstream?: (request: IncomingMessage, response: ServerResponse) => void
  env?: NodeJS.ProcessEnv
}

/** A program with an upstream at /api/v2/slow, and the configuration that it runs on. */
async function running(t: Test, { drain, upstream, env }: Setting = {}): Promise<Program & { config: string }> {
  const cwd = t.testdir()
  const document = parseDocument(readFileSync(defaultConfigFile(), 'utf8'))
  document.setIn(['server', 'limits', 'perAddress'], '1000000/min')
  document.setIn(['limits', 'application'], { by: 'application', rate: '1000000/min', burst: 100_000 })
  if (drain !== undefined) document.setIn(['server', 'drain'], drain)
  if (upstream !== undefined) {
    const server = createServer(upstream)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => void server.close().closeAllConnections())
    document.setIn(['upstreams', 'slow'], { target: `http://127.0.0.1:${(server.address() as { port: number }).port}` })
    document.setIn(['routes', '/api/v2/slow'], {
      to: 'slow',
      require: { GET: 'User.Read.All', POST: 'User.Read.All' },
    })
  }
  const config = join(cwd, 'portcullis.yaml')
  writeFileSync(config, document.toString())
  const program = await startProgram({ cwd, config, ...(env === undefined ? {} : { env }) })
  t.teardown(() => program.stop('SIGKILL'))
  return { ...program, config }
}

t.test(
  'F14 300 requests/s over 20 kept-alive connections through a SIGTERM: none is lost, all hear of the end',
  async (t) => {
    // Time enough to notice, for a balancer that has the processor when others leave it.
    const program = await running(t, { drain: { ready: '4s', finish: '10s' } })
    const token = await demoToken(program)
    let noticed = false
    let answers = 0
    /**
     * As a balancer's: a new connection whenever one was closed with an answer, until it notices that nobody is ready.
     */
    const client = async () => {
      while (!noticed) {
        await askUntilClosed(program, await open(program), token, () => void answers++)
        await pause(66)
      }
    }
    const clients = Promise.all(Array.from({ length: 20 }, client))
    await until('the load is on', () => answers > 300)
    const before = answers
    const ended = program.stop('SIGTERM')
    await until('it is draining', async () => (await readiness(program)).reasons.includes('draining'))
    await pause(500)
    noticed = true
    await clients
    t.ok(
      answers > before,
      `${before} and ${answers - before} answers, each of them 200, each connection ended with one`,
    )
    t.equal(await ended, 0)
  },
)

t.test(
  'an upload and a download in flight are finished; silent and idle connections do not delay the end',
  async (t) => {
    const finish: (() => void)[] = []
    let isUploading = false
    const program = await running(t, {
      drain: { ready: '0s', finish: '20s' },
      upstream(request, response) {
        if (request.method === 'GET') {
          response.write('first ')
          finish.push(() => response.end('last'))
          return
        }
        isUploading = true
        let length = 0
        request.on('data', (chunk: Buffer) => (length += chunk.length)).on('end', () => response.end(`got ${length}`))
      },
    })
    const token = await demoToken(program)
    const [idle, download, upload, silentTls] = [
      await open(program),
      await open(program),
      await open(program),
      await open(program),
    ]
    const silent = connect(Number(new URL(program.baseUrl).port), '127.0.0.1').on('error', () => undefined)
    t.teardown(() => silent.destroy())
    idle.send(head(program, '/api/v2/subscriptions', token))
    t.equal((await idle.answer()).status, 200)
    download.send(head(program, '/api/v2/slow', token))
    // A small body would be read before the service hears of it.
    upload.send(head(program, '/api/v2/slow', token, 'Content-Length: 100000\r\n', 'POST'))
    upload.send('1'.repeat(50_000))
    await until('both have begun', () => finish.length > 0 && isUploading)
    const began = performance.now()
    const ended = program.stop('SIGTERM')
    t.equal(await idle.closed(), '', 'an idle connection is closed at once')
    t.equal(await silentTls.closed(), '', 'and one on which no request ever came')
    upload.send('2'.repeat(50_000))
    t.match(await upload.answer(), { status: 200, body: 'got 100000', headers: new Map([['connection', ['close']]]) })
    for (const end of finish) end()
    t.match(await download.answer(), { status: 200, body: 'first last' })
    t.equal(await ended, 0)
    t.ok(performance.now() - began < 10_000, `${Math.round(performance.now() - began)} ms`)
  },
)

t.test('what is not finished at the deadline is cut, and a second signal cuts at once', async (t) => {
  const cases = [
    { title: 'the deadline', finish: '1s', second: false, code: 0 },
    { title: 'a second signal', finish: '60s', second: true, code: 1 },
  ]
  for (const { title, finish, second, code } of cases) {
    const received: IncomingMessage[] = []
    const program = await running(t, {
      drain: { ready: '0s', finish },
      upstream: (request) => void received.push(request),
    })
    const token = await demoToken(program)
    const connection = await open(program)
    connection.send(head(program, '/api/v2/slow', token))
    await until('the upstream got the request', () => received.length > 0)
    const began = performance.now()
    const ended = program.stop('SIGTERM')
    await until('it stops', () => program.output().includes('"msg":"stopping"'))
    if (second) process.kill(program.child.pid as number, 'SIGTERM')
    await t.rejects(connection.answer(), /connection closed/, title)
    t.equal(await ended, code, title)
    t.ok(performance.now() - began < 10_000)
  }
})

t.test('SIGHUP ends nothing', async (t) => {
  const program = await running(t)
  program.child.kill('SIGHUP')
  await until('SIGHUP was heard', () => program.output().includes('the configuration says what is in effect already'))
  t.equal((await readiness(program)).ready, true)
})

t.test(
  'F30 an error that nobody caught is logged, what is in flight is finished, and the status is not 0',
  async (t) => {
    const plants = {
      unhandledRejection: 'Promise.reject(new Error("planted"))',
      uncaughtException: 'setImmediate(() => { throw new Error("planted") })',
    }
    for (const [title, plant] of Object.entries(plants)) {
      const open: ServerResponse[] = []
      const hook = `data:text/javascript,${encodeURIComponent(`process.on("SIGWINCH", () => { ${plant} })`)}`
      const program = await running(t, {
        upstream: (_request, response) => void open.push(response),
        env: { NODE_OPTIONS: `--import=${hook}` },
      })
      const token = await demoToken(program)
      const answer = call(program, '/api/v2/slow', { headers: { authorization: `Bearer ${token}` } })
      await until('the upstream got the request', () => open.length > 0)
      const ended = new Promise((resolve) => program.child.once('exit', resolve))
      program.child.kill('SIGWINCH')
      await until('the error is in the log', () => /"level":"fatal".*planted/.test(program.output()))
      for (const response of open) response.end('late')
      t.match(await answer, { status: 200, body: 'late' }, title)
      t.equal(await ended, 1, title)
    }
  },
)

t.test('F17 a full disk under the log and a closed pipe: requests are served, lost lines are counted', async (t) => {
  const dropped = async (program: Program) => {
    const metrics = await (await fetch(`${program.operatorUrl}/metrics`)).text()
    return Number(/^portcullis_log_lines_dropped_total (\d+)/m.exec(metrics)?.[1])
  }
  const served = async (program: Program) => {
    for (let i = 0; i < 5; i++) t.equal((await call(program, '/.well-known/oauth-authorization-server')).status, 200)
  }
  const cwd = t.testdir()
  const full = await startProgram({
    cwd,
    command: ['sh', '-c', 'exec "$@" > /dev/full', 'sh', ...programWords(), 'serve'],
  })
  t.teardown(() => full.stop('SIGKILL'))
  await served(full)
  t.ok((await dropped(full)) >= 5, 'a full disk')
  t.equal(await full.stop(), 0)
  const closed = await running(t)
  t.equal(await dropped(closed), 0)
  closed.child.stdout?.destroy()
  await served(closed)
  await until('a line is lost', async () => (await dropped(closed)) > 0)
  t.equal(await closed.stop(), 0, 'a closed pipe')
})

t.test('F18 without file descriptors it sheds, turns in no circle, and recovers', async (t) => {
  const program = await running(t)
  const { pid } = program.child as { pid: number }
  const descriptors = readdirSync(`/proc/${pid}/fd`).length
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${descriptors + 4}`])
  const port = Number(new URL(program.baseUrl).port)
  const crowd: Socket[] = Array.from({ length: 40 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  let closed = 0
  for (const socket of crowd) socket.on('close', () => closed++)
  await until('most of them are shed', () => closed > 20)
  const before = cpuMs(pid)
  await pause(1_000)
  t.ok(cpuMs(pid) - before < 500, `${cpuMs(pid) - before} ms of processor in a second with none left`)
  for (const socket of crowd) socket.destroy()
  await until(
    'it serves again',
    async () => (await call(program, '/.well-known/oauth-authorization-server').catch(() => undefined))?.status === 200,
  )
  t.equal((await readiness(program)).ready, true)
})

/** User and system time of a process so far, in milliseconds (proc(5): clock ticks of 10 ms). */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

// An event loop that stands still ends its process, and only its process.
// full: event loops that stand still for seconds
// run: apart

import { spawn } from 'node:child_process'
import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { serviceManager } from '../../src/process/service-manager.js'
import { watchWorker } from '../../src/process/worker-watch.js'
import { startPostgres } from '../support/databases/postgresql.js'
import { startRedis } from '../support/databases/redis.js'
import { call } from '../support/programs/demo.js'
import { type Program, startProgram } from '../support/programs/program.js'
import { until } from '../support/traffic/until.js'

/** The workers' process ids: each has a socket of its own for the bundled backend. */
function pids(program: Program): number[] {
  const found = readdirSync(program.folder).map((name) => /^backend\.(\d+)\.sock$/.exec(name)?.[1])
  return found.filter((pid) => pid !== undefined).map(Number)
}

/** On a Store and a Redis of their own; both serve. */
async function twoWorkers(t: Test): Promise<Program> {
  const [postgres, redis] = [await startPostgres(t), await startRedis(t)]
  const program = await startProgram({
    cwd: t.testdir(),
    env: { PORTCULLIS_STORE: await postgres.newDatabase(), PORTCULLIS_REDIS: redis.url, PORTCULLIS_WORKERS: '2' },
  })
  t.teardown(() => program.stop('SIGKILL'))
  await until('both workers serve', async () => pids(program).length === 2)
  return program
}

t.test('nothing hangs the process: a worker that hangs is replaced while the others serve', async (t) => {
  const startedAt = performance.now()
  const program = await twoWorkers(t)
  const startMs = performance.now() - startedAt
  const [hung = 0, other = 0] = pids(program)
  let stoppedAt = performance.now()
  process.kill(hung, 'SIGSTOP')
  let replacedMs = 0
  let answered = 0
  while (replacedMs === 0 && performance.now() - stoppedAt < 120_000) {
    t.equal((await call(program, '/.well-known/openid-configuration')).status, 200, 'served meanwhile')
    answered += 1
    const waitedAt = performance.now()
    await wait(200)
    // A machine that stood still is nobody's fault.
    stoppedAt += Math.max(0, performance.now() - waitedAt - 1_000)
    const now = pids(program)
    if (now.length === 2 && !now.includes(hung)) replacedMs = performance.now() - stoppedAt
  }
  t.ok(replacedMs > 0, 'another one is there')
  t.ok(pids(program).includes(other), 'the other one was left alone')
  t.match(program.output(), /"worker":\d+.*"reason":"worker_silent"|worker_silent/)
  const seconds = (ms: number) => (ms / 1_000).toFixed(1)
  t.comment(
    `replaced ${seconds(replacedMs)} s after it hung (a start took ${seconds(startMs)} s here); ` +
      `${answered} calls answered meanwhile, 0 failed`,
  )
  t.ok(replacedMs >= 9_500, 'not before it was silent for ten seconds')
  t.ok(replacedMs <= Math.max(15_000, 12_000 + startMs), 'within 15 s, where a start takes no longer than that')
})

t.test(
  'nothing hangs the process: a worker that speaks again keeps its place, and nobody stays beside it',
  async (t) => {
    const program = await twoWorkers(t)
    const before = pids(program).sort()
    const { pid = 0 } = program.child
    const children = () =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number).sort()
    t.same(children(), before)
    const [hung = 0] = before
    process.kill(hung, 'SIGSTOP')
    await until('another one is started', () => program.output().includes('started beside it'), 60_000)
    process.kill(hung, 'SIGCONT')
    await until('there are two again', () => children().length === 2, 60_000)
    t.same(children(), before)
    t.notMatch(program.output(), /hangs, so it is ended/)
  },
)

t.test('nothing hangs the process: the primary hears of doubt, of a word, and of silence', async (t) => {
  const signals: string[] = []
  const worker = Object.assign(new EventEmitter(), {
    send: () => true,
    process: { kill: (signal: string) => void signals.push(signal) },
  })
  const excused = { now: true }
  watchWorker(worker as unknown as Worker, {
    everyMs: 10,
    doubtMs: 50,
    silentMs: 3_000,
    excused: () => excused.now,
    onDoubt: () => void signals.push('doubt'),
    onHeard: () => void signals.push('heard'),
    onSilent: () => void signals.push('silent'),
  })
  const keep = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(keep))
  await wait(600)
  t.same(signals, [], 'one that may be silent is left alone')
  excused.now = false
  await until('it is in doubt', () => signals.length > 0)
  worker.emit('message', { portcullis: 'heartbeat' })
  t.same(signals, ['doubt', 'heard'])
  worker.emit('message', { portcullis: 'heartbeat' })
  t.equal(signals.length, 2, 'that is said once')
  await until('it is ended', () => signals.includes('SIGKILL'))
  worker.emit('message', { portcullis: 'heartbeat' })
  t.same(signals, ['doubt', 'heard', 'doubt', 'silent', 'SIGKILL'], 'what it said before comes too late')
})

t.test('nothing hangs the process: one whose event loop stands still says why and ends', async (t) => {
  const file = join(t.testdir(), 'hang.mjs')
  const watchdog = new URL('../../src/process/watchdog.js', import.meta.url).href
  const run = async (work: string) => {
    writeFileSync(file, `import { allowingSilence, startWatchdog } from '${watchdog}'\n${work}`)
    const child = spawn(process.execPath, [...process.execArgv, file], { stdio: ['ignore', 'ignore', 'pipe'] })
    let logged = ''
    child.stderr.on('data', (text) => {
      logged += text
    })
    const [code, signal] = await new Promise<unknown[]>((resolve) => child.on('close', (...how) => resolve(how)))
    return { code, signal, logged }
  }
  const hung = await run(`startWatchdog({ worker: 7 }, 2); setTimeout(() => { for (;;); }, 100)`)
  t.match(hung, {
    code: null,
    signal: 'SIGKILL',
    logged: /"worker":7,"reason":"event_loop_silent".*stood still for 2 s/,
  })
  const busy = `const end = Date.now() + 5_000; while (Date.now() < end);`
  const excused = await run(`startWatchdog({}, 2); setTimeout(() => allowingSilence(() => { ${busy} }), 100)`)
  t.match(excused, { code: 0, signal: null }, 'reading rules may take longer')
})

t.test('systemd hears that the service is ready, lives and stops, and of a hung one nothing', async (t) => {
  const said: string[] = []
  const env = { NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '20000', WATCHDOG_PID: String(process.pid) }
  const manager = serviceManager(env, (state) => said.push(state))
  let lives = false
  manager.ready(() => lives)
  t.same(said, ['READY=1'])
  lives = true
  const keep = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(keep))
  await until('it says that it lives', () => said.includes('WATCHDOG=1'))
  manager.stopping()
  t.equal(said.at(-1), 'STOPPING=1')
  const none: string[] = []
  serviceManager({}, (state) => none.push(state)).ready(() => true)
  t.same(none, [], 'nobody listens')
})

// An event loop that stands still ends its process, and only its process.

import { spawn } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { serviceManager } from '../../src/service-manager.js'
import { call } from '../support/demo.js'
import { startPostgres } from '../support/postgresql.js'
import { type Program, startProgram } from '../support/program.js'
import { startRedis } from '../support/redis.js'
import { until } from '../support/until.js'

/** The workers' process ids: each has a socket of its own for the bundled backend. */
function pids(program: Program): number[] {
  const found = readdirSync(program.folder).map((name) => /^backend\.(\d+)\.sock$/.exec(name)?.[1])
  return found.filter((pid) => pid !== undefined).map(Number)
}

t.test('nothing hangs the process: a worker that hangs is replaced while the others serve', async (t) => {
  const [postgres, redis] = [await startPostgres(t), await startRedis(t)]
  const program = await startProgram({
    cwd: t.testdir(),
    env: { PORTCULLIS_STORE: await postgres.newDatabase(), PORTCULLIS_REDIS: redis.url, PORTCULLIS_WORKERS: '2' },
  })
  t.teardown(() => program.stop('SIGKILL'))
  await until('both workers serve', async () => pids(program).length === 2)
  const [hung = 0, other = 0] = pids(program)
  const stoppedAt = performance.now()
  process.kill(hung, 'SIGSTOP')
  let replacedMs = 0
  let answered = 0
  while (replacedMs === 0 && performance.now() - stoppedAt < 120_000) {
    t.equal((await call(program, '/.well-known/openid-configuration')).status, 200, 'served meanwhile')
    answered += 1
    await wait(200)
    const now = pids(program)
    if (now.length === 2 && !now.includes(hung)) replacedMs = performance.now() - stoppedAt
  }
  t.ok(replacedMs > 0, 'another one is there')
  t.ok(pids(program).includes(other), 'the other one was left alone')
  t.match(program.output(), /"worker":\d+.*"reason":"worker_silent"|worker_silent/)
  t.comment(
    `replaced ${(replacedMs / 1_000).toFixed(1)} s after it hung; ${answered} calls answered meanwhile, 0 failed`,
  )
})

t.test('nothing hangs the process: one whose event loop stands still says why and ends', async (t) => {
  const file = join(t.testdir(), 'hang.mjs')
  const watchdog = new URL('../../src/watchdog.js', import.meta.url).href
  const run = async (work: string) => {
    writeFileSync(file, `import { allowingSilence, startWatchdog } from '${watchdog}'\n${work}`)
    const child = spawn(process.execPath, [...process.execArgv, file], { stdio: ['ignore', 'ignore', 'pipe'] })
    let told = ''
    child.stderr.on('data', (text) => {
      told += text
    })
    const [code, signal] = await new Promise<unknown[]>((resolve) => child.on('close', (...how) => resolve(how)))
    return { code, signal, told }
  }
  const hung = await run(`startWatchdog({ worker: 7 }, 2); setTimeout(() => { for (;;); }, 100)`)
  t.match(hung, { code: null, signal: 'SIGKILL', told: /"worker":7,"reason":"event_loop_silent".*stood still for 2 s/ })
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

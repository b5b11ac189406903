// The deployment of compose.yaml as processes of this machine: the same files, with the addresses of containers and the
// paths of their secrets put in for this machine. PostgreSQL is a private one; its roles are made by the shipped
// script.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../support/databases/postgresql.js'
import { postgresProgram } from '../support/databases/postgresql-folder.js'
import { freePort, type Program, startProgram } from '../support/programs/program.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { compose, deployFile, exampleVariables, imageEnvironment, prepareDeployment } from './deployment.js'

export interface Teardown {
  teardown(work: () => unknown): void
}

export interface Stack {
  /** The folder that stands for deploy/, with secrets and configuration. */
  folder: string
  postgres: PostgresServer
  /** Kills Redis for good. */
  endRedis(): void
  /** Published port of HAProxy. */
  port: number
  /** Where HAProxy's own metrics are. */
  metricsUrl: string
  /** What HAProxy wrote so far. */
  log(): string
  /** Starts `gateway-1` or `gateway-2` from the image and waits until it is ready. */
  startGateway(at: 0 | 1): Promise<Program>
  /** Waits until HAProxy counts this many ready instances, at most 40 s. */
  ready(count: number): Promise<void>
}

export interface StackOptions {
  /** A new folder. */
  folder: string
  /** The image's root. */
  image: string
  /** Changes the configuration before anything starts. */
  configuration(text: string): string
}

/** Prepares everything and starts PostgreSQL, Redis and HAProxy; all of it ends with the test. */
export async function startStack(t: Teardown, { folder, image, configuration }: StackOptions): Promise<Stack> {
  const there = prepareDeployment(folder)
  const settings = join(there, 'portcullis.yaml')
  writeFileSync(settings, configuration(readFileSync(settings, 'utf8')))
  cpSync(settings, join(image, 'app/config/portcullis.yaml'))
  const postgres = await startPostgres(t)
  createDatabase(postgres, there)
  rewrite(there, 'store-url', `@127.0.0.1:${postgres.port}/`, /@postgres:5432\//)
  const redis = await startRedisAsShipped(t, there)
  rewrite(there, 'redis-url', `@127.0.0.1:${redis.port}`, /@redis:6379/)
  const ports = [await gatewayPorts(), await gatewayPorts()] as const
  const balancer = await startBalancer(t, there, ports)
  const ready = async (count: number) => {
    const readyCount = async () =>
      Number(/^haproxy_backend_active_servers\{proxy="ready"\} (\d+)/m.exec(await text())?.[1])
    const text = async () => await (await fetch(balancer.metricsUrl)).text()
    await until(async () => (await readyCount()) === count, `HAProxy does not count ${count} ready instances`)
  }
  const startGateway = async (at: 0 | 1) => {
    const program = await startProgram({
      cwd: join(there, '..'),
      command: [process.execPath, join(image, 'app/dist/src/main.js'), 'serve'],
      ports: ports[at],
      env: gatewayEnvironment(there, at, ports[at]),
    })
    t.teardown(() => program.stop('SIGKILL'))
    return program
  }
  return { folder: there, postgres, endRedis: redis.end, ...balancer, startGateway, ready }
}

/** Repeats `question` until it says yes. Throws `complaint` after 40 s. */
export async function until(question: () => Promise<boolean>, complaint: string): Promise<void> {
  for (const deadline = performance.now() + 40_000; performance.now() < deadline; ) {
    if (await question()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(complaint)
}

async function gatewayPorts(): Promise<{ public: number; operator: number }> {
  return { public: await freePort(), operator: await freePort() }
}

/** What the image and compose.yaml set, with addresses of this machine. */
function gatewayEnvironment(there: string, at: 0 | 1, ports: { public: number; operator: number }): NodeJS.ProcessEnv {
  const service = compose(exampleVariables()).services[`gateway-${at + 1}`]
  const given = Object.entries({ ...imageEnvironment(), ...service?.environment })
  return {
    ...Object.fromEntries(given.map(([name, value]) => [name, value.replace('/run/secrets/', `${there}/secrets/`)])),
    PORTCULLIS_LISTEN: `127.0.0.1:${ports.public}`,
    PORTCULLIS_OPERATOR: `127.0.0.1:${ports.operator}`,
    PORTCULLIS_TRUSTED_PROXIES: '127.0.0.1',
    PORTCULLIS_DATA: join(there, `data-${at + 1}`),
  }
}

function rewrite(there: string, secret: string, text: string, pattern: RegExp): void {
  const file = join(there, 'secrets', secret)
  writeFileSync(file, readFileSync(file, 'utf8').replace(pattern, text), { mode: 0o400 })
}

/** The shipped script, by psql. The private server has a role of this name; it makes way. */
function createDatabase(postgres: PostgresServer, there: string): void {
  const script = deployFile('postgresql/create-database.sql').replaceAll('/run/secrets/', `${there}/secrets/`)
  const input = `alter role portcullis rename to other;\n${script}`
  const words = ['-v', 'ON_ERROR_STOP=1', '--no-psqlrc', '-d', postgres.adminUrl]
  const { status, stderr } = spawnSync(postgresProgram('psql'), words, { input, encoding: 'utf8' })
  if (status !== 0) throw new Error(`psql ended with ${status}: ${stderr}`)
}

/** The shipped configuration; it is there when compose's own health check says so. */
async function startRedisAsShipped(t: Teardown, there: string): Promise<{ port: number; end(): void }> {
  const port = await freePort()
  const file = join(there, 'redis.conf')
  const shipped = deployFile('redis/redis.conf').replace('/run/secrets/', `${there}/secrets/`)
  writeFileSync(file, `${shipped.replace('port 6379', `port ${port}`)}bind 127.0.0.1\ndir ${there}\n`)
  const { child } = start(t, 'redis-server', [file])
  const [, check = ''] = compose(exampleVariables()).services['redis']?.healthcheck?.test ?? []
  const command = check.replace('redis-cli', `redis-cli -p ${port}`)
  await until(async () => spawnSync('sh', ['-c', command]).status === 0, 'Redis does not become healthy')
  return { port, end: () => void child.kill('SIGKILL') }
}

async function startBalancer(
  t: Teardown,
  there: string,
  gateways: readonly { public: number; operator: number }[],
): Promise<Pick<Stack, 'port' | 'metricsUrl' | 'log'>> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const file = join(there, 'haproxy.cfg')
  const addressed = gateways.reduce(
    (text, ports, at) =>
      text.replaceAll(`gateway-${at + 1}.gate:8443 port 9464`, `127.0.0.1:${ports.public} port ${ports.operator}`),
    deployFile('haproxy.cfg'),
  )
  mkdirSync(there, { recursive: true })
  writeFileSync(
    file,
    addressed
      .replace('bind :8443', `bind 127.0.0.1:${port}`)
      .replace('bind :8405', `bind 127.0.0.1:${metricsPort}`)
      .replace('/run/secrets/', `${there}/secrets/`)
      .replace(/^ {2}maxconn 8000$/m, '  maxconn 500\n  nbthread 1'),
  )
  const check = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' })
  if (check.status !== 0 || check.stderr.includes('WARNING')) throw new Error(`haproxy -c: ${check.stderr}`)
  const balancer = start(t, 'haproxy', ['-db', '-f', file])
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  await until(
    async () =>
      await fetch(metricsUrl).then(
        ({ ok }) => ok,
        () => false,
      ),
    'HAProxy does not start',
  )
  return { port, metricsUrl, log: balancer.output }
}

function start(t: Teardown, program: string, words: readonly string[]): { child: ChildProcess; output(): string } {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: plainEnvironment() })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(String(chunk)))
  child.once('error', (error) => printed.push(String(error)))
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  t.teardown(async () => {
    process.off('exit', end)
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    end()
    await gone
  })
  return { child, output: () => printed.join('') }
}

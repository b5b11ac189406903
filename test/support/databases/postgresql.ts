// A private PostgreSQL for a test: own data, own port on the loopback address, password authentication. It can be
// killed, stopped, paused and started again on the same data and port, and is gone when the test ends.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { steadyPort } from '../programs/steady-port.js'
import {
  asDatabaseUser,
  giveAway,
  ownedFolder,
  password,
  postgresProgram,
  run,
  templateFolder,
} from './postgresql-folder.js'

/** What `t` of tap offers and this needs. */
export interface Teardown {
  teardown(work: () => unknown): void
}

export interface PostgresOptions {
  /** Lines of postgresql.conf, beside those that make it small. `fsync` is on unless it is switched off here. */
  settings?: Readonly<Record<string, string>>
  /** A certificate and its key (PEM): the server then offers TLS, without insisting on it. */
  tls?: { certificate: string; key: string }
  /**
   * Puts the data, but not the write-ahead log, on a file system of this size in a namespace of its own. Root only; the
   * data is gone when the server stops. `disk()` is the folder as this process sees it.
   */
  diskBytes?: number
  /** A copy of this server that follows it (streaming replication) until it is promoted. */
  standbyOf?: PostgresServer
}

export interface PostgresServer {
  /** An empty database that was made with the server, with user and password. */
  readonly url: string
  /** The same server as its superuser, for what a Store may not do. */
  readonly adminUrl: string
  readonly port: number
  readonly folder: string
  /** Of the postmaster. Throws when the server does not run. */
  readonly pid: number
  /** Of the postmaster and its children, one for each connection among them. */
  pids(): number[]
  /**
   * Makes one more database and returns its URL: an empty one, or a copy of one of this server that nobody uses any
   * more.
   */
  newDatabase(like?: string): Promise<string>
  /**
   * SIGKILL ends the postmaster and all its children at once, as a power cut would. SIGINT (roll back and end), SIGTERM
   * (wait for clients) and SIGQUIT (end without a checkpoint) are PostgreSQL's own. Resolves when it is gone.
   */
  stop(signal?: 'SIGKILL' | 'SIGINT' | 'SIGTERM' | 'SIGQUIT'): Promise<void>
  /** Starts it again and resolves when it answers. */
  start(): Promise<void>
  /** Freezes every process of the server; connections stay open and nothing answers. */
  pause(): void
  resume(): void
  /** Makes a standby the primary. */
  promote(): Promise<void>
  /** Runs statements as the superuser, in the database of `url`. */
  admin(sql: string): Promise<Record<string, unknown>[]>
  /** What the server wrote to its log. */
  log(): string
  /** The data folder from this process's side, also when it is on a file system of its own. */
  disk(): string
}

const PATIENCE_MS = 60_000

const small: Readonly<Record<string, string>> = {
  shared_buffers: '16MB',
  max_connections: '100',
  max_wal_size: '64MB',
  min_wal_size: '32MB',
  max_worker_processes: '2',
  max_parallel_workers: '0',
  jit: 'off',
  timezone: 'UTC',
  logging_collector: 'off',
  log_checkpoints: 'off',
  deadlock_timeout: '200ms',
}

/** Starts a server; it is killed and its folder deleted when `t` ends. Throws with its log when it does not start. */
export async function startPostgres(t: Teardown, options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = ownedFolder()
  const data = join(folder, 'data')
  const port = await steadyPort()
  let child: ChildProcess | undefined
  let databases = 0
  const urlOf = (user: string, database: string): string =>
    `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`
  const log = (): string => readFileSync(join(folder, 'log'), 'utf8')

  const pid = (): number => {
    if (child?.pid === undefined || hasEnded(child)) throw new Error('the server does not run')
    return child.pid
  }
  const killNow = (): void => {
    if (child?.pid !== undefined && !hasEnded(child)) killTree(child.pid)
  }
  const stop = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    if (child === undefined || hasEnded(child)) return
    const gone = once(child, 'exit')
    if (signal === 'SIGKILL') killNow()
    else child.kill(signal)
    await gone
  }
  /** PostgreSQL's own quick end where it still can: who ends so leaves no orphans. */
  const end = async (): Promise<void> => {
    if (child?.pid === undefined || hasEnded(child)) return
    signalTree(child.pid, 'SIGCONT')
    await Promise.race([stop('SIGQUIT'), pause(5_000, undefined, { ref: false })])
    await stop()
  }
  const start = async (): Promise<void> => {
    for (const until = performance.now() + PATIENCE_MS; ; await pause(100)) {
      const before = existsSync(join(folder, 'log')) ? log().length : 0
      child = spawnServer(folder, data, options)
      try {
        return await answers(urlOf('postgres', 'postgres'), child, log)
      } catch (error) {
        // A backend that began when the server was killed goes in a moment; until then the data counts as in use.
        const isHeld = log().slice(before).includes('pre-existing shared memory block')
        if (!isHeld || performance.now() > until) throw error
      }
    }
  }
  const query = (database: string, sql: string) => runSql(urlOf('postgres', database), sql)
  const newDatabase: PostgresServer['newDatabase'] = async (like) => {
    databases += 1
    const name = `portcullis_${databases}`
    const template = like === undefined ? '' : ` template ${new URL(like).pathname.slice(1)}`
    await query('postgres', `create database ${name} owner portcullis${template}`)
    return urlOf('portcullis', name)
  }

  t.teardown(async () => {
    process.off('exit', killNow)
    await end()
    rmSync(folder, { recursive: true, force: true })
  })
  process.once('exit', killNow)
  if (options.standbyOf !== undefined) copyOf(options.standbyOf, data)
  else run(['cp', '-a', templateFolder(), options.diskBytes === undefined ? data : join(folder, 'original')])
  mkdirSync(data, { recursive: true })
  if (options.diskBytes !== undefined) {
    // A full disk under the write-ahead log ends the server; under the tables it refuses statements, and goes on.
    renameSync(join(folder, 'original', 'pg_wal'), join(folder, 'wal'))
    symlinkSync(join(folder, 'wal'), join(folder, 'original', 'pg_wal'))
  }
  configure(options.diskBytes === undefined ? data : join(folder, 'original'), folder, port, options)
  giveAway(folder)
  await start()
  if (options.standbyOf === undefined) {
    await query('postgres', `create role portcullis login password '${password}'`)
    await newDatabase()
  }
  return {
    url: urlOf('portcullis', 'portcullis_1'),
    adminUrl: urlOf('postgres', 'portcullis_1'),
    port,
    folder,
    get pid() {
      return pid()
    },
    pids: () => [pid(), ...childrenOf(pid())],
    newDatabase,
    stop,
    start,
    pause: () => signalTree(pid(), 'SIGSTOP'),
    resume: () => signalTree(pid(), 'SIGCONT'),
    async promote() {
      await query('postgres', 'select pg_promote(true, 60)')
    },
    admin: (sql) => query('portcullis_1', sql),
    log,
    disk: () => (options.diskBytes === undefined ? data : join(`/proc/${pid()}/root`, data)),
  }
}

/** The data of a running server, set up to follow it. */
function copyOf({ port, folder }: PostgresServer, data: string): void {
  const from = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`
  const words = ['--pgdata', data, '--write-recovery-conf', '--checkpoint=fast', '--no-sync', `--dbname=${from}`]
  run(asDatabaseUser(['env', `HOME=${folder}`, postgresProgram('pg_basebackup'), ...words]))
}

function configure(data: string, folder: string, port: number, options: PostgresOptions): void {
  const settings: Record<string, string> = {
    ...small,
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    ...options.settings,
  }
  if (options.tls !== undefined) {
    writeFileSync(join(data, 'server.crt'), options.tls.certificate)
    writeFileSync(join(data, 'server.key'), options.tls.key, { mode: 0o600 })
    settings['ssl'] = 'on'
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''))
}

function spawnServer(folder: string, data: string, options: PostgresOptions): ChildProcess {
  const server = asDatabaseUser([postgresProgram('postgres'), '-D', data])
  // Each program takes the place of the one before it, so that the process that is started becomes the postmaster.
  const script = `mount -t tmpfs -o size=${options.diskBytes} tmpfs "$0" && cp -a "$0/../original/." "$0" &&
    chown postgres:postgres "$0" && chmod 700 "$0" && exec "$@"`
  const onDisk = ['unshare', '-m', 'sh', '-c', script, data, ...server]
  const [program = '', ...args] = options.diskBytes === undefined ? server : onDisk
  const log = openSync(join(folder, 'log'), 'a')
  try {
    // A session of its own: an interrupt at the terminal reaches the tests first, which end it in order.
    return spawn(program, args, {
      stdio: ['ignore', log, log],
      cwd: '/',
      detached: true,
      env: { PATH: process.env['PATH'] },
    })
  } finally {
    closeSync(log)
  }
}

async function answers(url: string, child: ChildProcess, log: () => string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      await runSql(url, 'select 1')
      return
    } catch (error) {
      if (hasEnded(child) || performance.now() > deadline) {
        throw new Error(`PostgreSQL did not start: ${log()}`, { cause: error })
      }
      await pause(20)
    }
  }
}

async function runSql(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(sql)
    return rows
  } finally {
    await client.end().catch(() => {})
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Frozen first, so that it starts no more children while they are counted. */
function killTree(pid: number): void {
  signal(pid, 'SIGSTOP')
  const children = childrenOf(pid)
  for (const each of [pid, ...children]) signal(each, 'SIGKILL')
}

function signalTree(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (name === 'SIGSTOP') signal(pid, name)
  for (const child of childrenOf(pid)) signal(child, name)
  if (name === 'SIGCONT') signal(pid, name)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // Gone already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number)
}

function parentOf(pid: string): number {
  try {
    // `pid (name) state parent …`; a name may hold anything, brackets too.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}

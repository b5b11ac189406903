// Debian's HAProxy in front of the instances of a test, with the rules of deploy/haproxy.cfg: readiness decides who
// gets requests, and one is sent again only when it could not be sent at all. Plain HTTP on loopback, as behind the end
// of TLS, and quicker checks, so that a test need not wait for them.

import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { accepts } from '../programs/accepts.js'
import { steadyPort } from '../programs/steady-port.js'

export interface Balancer {
  readonly port: number
  readonly pid: number
  /** Names of the servers that passed their last check and get requests. */
  up(): Promise<string[]>
}

export interface BalancedServer {
  name: string
  port: number
  operatorPort: number
}

/**
 * How often readiness is checked: an instance that is no longer ready gets no new request after at most this and a
 * bit.
 */
export const readinessEveryMs = 200

/** Starts it with its configuration in `folder`; it ends with the test. */
export async function startBalancer(
  t: { teardown(work: () => unknown): void },
  options: { folder: string; servers: readonly BalancedServer[] },
): Promise<Balancer> {
  const port = await steadyPort()
  const file = join(options.folder, 'haproxy.cfg')
  writeFileSync(file, configuration(port, socketIn(options.folder), options.servers))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const said: string[] = []
  child.stderr.on('data', (chunk: Buffer) => said.push(String(chunk)))
  child.on('error', (error) => said.push(String(error)))
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  t.teardown(async () => {
    process.off('exit', end)
    await ended(child)
  })
  await listening(child, port, said)
  return { port, pid: child.pid as number, up: () => serversUp(socketIn(options.folder)) }
}

function socketIn(folder: string): string {
  return join(folder, 'haproxy.sock')
}

/** HAProxy's own table: the state of each server in column 18, the outcome of its last check in column 37. */
async function serversUp(path: string): Promise<string[]> {
  const table = await new Promise<string>((resolve, reject) => {
    const socket = connect({ path })
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.once('error', reject)
    socket.once('end', () => resolve(Buffer.concat(chunks).toString()))
    socket.write('show stat\n')
  })
  return table
    .split('\n')
    .map((line) => line.split(','))
    .filter(([backend, , ...rest]) => backend === 'ready' && rest[15]?.startsWith('UP') && rest[34] === 'L7OK')
    .map(([, server = '']) => server)
    .filter((server) => server !== 'BACKEND')
}

function configuration(port: number, socket: string, servers: readonly BalancedServer[]): string {
  const line = ({ name, port, operatorPort }: BalancedServer) =>
    `  server ${name} 127.0.0.1:${port} check port ${operatorPort}`
  const backend = (name: string, path: string) => `backend ${name}
  balance leastconn
  http-reuse safe
  option httpchk
  http-check send meth GET uri ${path} ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  default-server inter ${readinessEveryMs}ms fall 1 rise 1
${servers.map(line).join('\n')}
`
  return `global
  nbthread 1
  maxconn 2000
  stats socket ${socket} mode 600 level user
defaults
  mode http
  retries 2
  retry-on conn-failure
  option redispatch 1
  timeout connect 1s
  timeout client 60s
  timeout server 65s
  timeout queue 2s
  timeout check 1s
${errorLine(502)}
${errorLine(503)}
${errorLine(504)}
frontend public
  bind 127.0.0.1:${port}
  http-request set-header X-Forwarded-Proto https
  http-request set-header X-Forwarded-For %[src]
  use_backend living if { nbsrv(ready) eq 0 }
  default_backend ready
${backend('ready', '/readyz')}${backend('living', '/livez')}`
}

/** What HAProxy itself must refuse, in the shape of our own refusals; the code names HAProxy. */
function errorLine(status: number): string {
  const body = `{"error":{"code":"HAProxy${status}","message":"No instance."}}`
  return `  http-error status ${status} content-type application/json string '${body}' hdr retry-after 1`
}

async function listening(child: ChildProcess, port: number, said: readonly string[]): Promise<void> {
  for (const until = performance.now() + 10_000; performance.now() < until; ) {
    if (child.exitCode !== null || child.pid === undefined) break
    if (await accepts(port)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  child.kill('SIGKILL')
  throw new Error(`haproxy did not start: ${said.join('')}`)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

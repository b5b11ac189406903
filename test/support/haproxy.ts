// Debian's HAProxy in front of the instances of a test: plain HTTP on loopback, as behind a proxy that has ended TLS. It
// asks each instance's own /readyz whether to send it requests, and repeats nothing, so that what fails is seen.

import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from './program.js'

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

/** How often readiness is asked: an instance that is no longer ready gets no new request after at most this, and a bit. */
export const readinessEveryMs = 200

/** Starts it with its configuration in `folder`; it ends with the test. */
export async function startBalancer(
  t: { teardown(work: () => unknown): void },
  options: { folder: string; servers: readonly BalancedServer[] },
): Promise<Balancer> {
  const port = await freePort()
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
    .filter(([backend, , ...rest]) => backend === 'gate' && rest[15]?.startsWith('UP') && rest[34] === 'L7OK')
    .map(([, server = '']) => server)
    .filter((server) => server !== 'BACKEND')
}

function configuration(port: number, socket: string, servers: readonly BalancedServer[]): string {
  const line = ({ name, port, operatorPort }: BalancedServer) =>
    `  server ${name} 127.0.0.1:${port} check port ${operatorPort}`
  return `global
  nbthread 1
  maxconn 2000
  stats socket ${socket} mode 600 level user
defaults
  mode http
  retries 0
  timeout connect 1s
  timeout client 75s
  timeout server 40s
  timeout check 2500ms
frontend public
  bind 127.0.0.1:${port}
  http-request set-header X-Forwarded-Proto https
  option forwardfor
  default_backend gate
backend gate
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  default-server inter ${readinessEveryMs}ms fall 1 rise 1
${servers.map(line).join('\n')}
`
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

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

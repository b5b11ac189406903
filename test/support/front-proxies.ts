// Debian's nginx, Caddy and HAProxy with the configurations of deploy/front-proxies as they stand there; only addresses,
// ports and the places of certificates are those of the test, and logs and temporary files go where the test can write.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/config/package-root.js'
import { accepts } from './accepts.js'
import { plainEnvironment } from './plain-environment.js'
import { steadyPort } from './steady-port.js'
import { until } from './until.js'

export interface FrontProxy {
  name: 'nginx' | 'caddy' | 'haproxy'
  /** Of its TLS listener, for `frontHost`. */
  port: number
}

export interface FrontProxyOptions {
  /** Where certificates, configurations and temporary files are. */
  folder: string
  /** Where the service behind the proxy listens, and where Portcullis is asked. */
  servicePort: number
  askPort: number
}

/** The host that the examples answer for. */
export const frontHost = 'wiki.example.com'

/** A file of deploy/front-proxies. */
export function exampleFile(name: string): string {
  return readFileSync(join(String(packageRoot()), 'deploy', 'front-proxies', name), 'utf8')
}

/** Makes a certificate for `frontHost` in `folder` and gives it. */
export function makeFrontCertificate(folder: string): string {
  mkdirSync(folder, { recursive: true })
  const [cert, key] = [join(folder, 'wiki.pem'), join(folder, 'wiki.key')]
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  words.push('-subj', `/CN=${frontHost}`, '-addext', `subjectAltName=DNS:${frontHost}`, '-keyout', key, '-out', cert)
  const { status, stderr } = spawnSync('openssl', words)
  if (status !== 0) throw new Error(String(stderr))
  // HAProxy reads both from one file.
  writeFileSync(join(folder, 'both.pem'), readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'))
  return readFileSync(cert, 'utf8')
}

/** Starts all three; they end with the test. The certificate must be there. */
export async function startFrontProxies(
  t: { teardown(work: () => unknown): void },
  options: FrontProxyOptions,
): Promise<readonly FrontProxy[]> {
  return Promise.all([startNginx(t, options), startCaddy(t, options), startHaproxy(t, options)])
}

type Owner = Parameters<typeof startFrontProxies>[0]

async function startNginx(t: Owner, options: FrontProxyOptions): Promise<FrontProxy> {
  const { folder } = options
  const port = await steadyPort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`)
  const text = placed('nginx.conf', options)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replaceAll('/etc/nginx/tls', folder)
    .replace('http {', `http { access_log off; ${temporary.join(' ')}`)
  const file = write(folder, 'nginx.conf', text)
  // Started by root its workers would be somebody else, who cannot write there.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const globals = `daemon off; worker_processes 1; pid ${folder}/nginx.pid; ${user}`
  await run(t, port, ['nginx', '-e', 'stderr', '-p', folder, '-c', file, '-g', globals])
  return { name: 'nginx', port }
}

async function startCaddy(t: Owner, options: FrontProxyOptions): Promise<FrontProxy> {
  const { folder } = options
  const port = await steadyPort()
  const text = placed('Caddyfile', options).replace(':443', `:${port}`).replaceAll('/etc/caddy/tls', folder)
  const file = write(folder, 'Caddyfile', text)
  await run(t, port, ['caddy', 'run', '--adapter', 'caddyfile', '--config', file], {
    XDG_DATA_HOME: folder,
    HOME: folder,
  })
  return { name: 'caddy', port }
}

async function startHaproxy(t: Owner, options: FrontProxyOptions): Promise<FrontProxy> {
  const { folder } = options
  const port = await steadyPort()
  const lua = write(folder, 'portcullis.lua', placed('portcullis.lua', options))
  const text = placed('haproxy.cfg', options)
    .replace('/etc/haproxy/portcullis.lua', lua)
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace('/etc/haproxy/tls/wiki.pem', join(folder, 'both.pem'))
  await run(t, port, ['haproxy', '-db', '-f', write(folder, 'haproxy.cfg', text)])
  return { name: 'haproxy', port }
}

function placed(name: string, { servicePort, askPort }: FrontProxyOptions): string {
  return exampleFile(name)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${servicePort}`)
    .replaceAll('127.0.0.1:9465', `127.0.0.1:${askPort}`)
}

function write(folder: string, name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

async function run(t: Owner, port: number, command: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> {
  const [program = '', ...words] = command
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...plainEnvironment(), ...env } })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(String(chunk)))
  child.on('error', (error) => said.push(String(error)))
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  t.teardown(async () => {
    process.off('exit', end)
    await ended(child, program === 'nginx' ? 'SIGTERM' : 'SIGKILL')
  })
  await until(`${program} listens: ${said.join('')}`, async () => {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`${program} ended: ${said.join('')}`)
    return accepts(port)
  })
}

/** nginx has workers that end when it is told to; killed, it would leave them behind. */
async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await gone
}

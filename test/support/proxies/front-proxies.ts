// Debian's nginx, Caddy and HAProxy with the configurations of deploy/front-proxies as they stand there; only
// addresses, ports and the places of certificates are those of the test, and logs and temporary files go where the test
// can write.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/config/read/package-root.js'
import { runServer } from '../programs/running-server.js'
import { steadyPort } from '../programs/steady-port.js'
import { startNginx } from './nginx.js'

export interface FrontProxy {
  name: 'nginx' | 'caddy' | 'haproxy'
  /** Of its TLS listener, for `frontHost`. */
  port: number
}

export interface FrontProxyOptions {
  /** Where certificates, configurations and temporary files are. */
  folder: string
  /** Where the service behind the proxy listens, and where Portcullis decides. */
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
  return Promise.all([startFrontNginx(t, options), startCaddy(t, options), startHaproxy(t, options)])
}

type Owner = Parameters<typeof startFrontProxies>[0]

async function startFrontNginx(t: Owner, options: FrontProxyOptions): Promise<FrontProxy> {
  const { folder } = options
  const port = await steadyPort()
  const text = placed('nginx.conf', options)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replaceAll('/etc/nginx/tls', folder)
    .replace('http {', 'http { access_log off;')
  await startNginx(t, { folder, file: write(folder, 'nginx.conf', text), port })
  return { name: 'nginx', port }
}

async function startCaddy(t: Owner, options: FrontProxyOptions): Promise<FrontProxy> {
  const { folder } = options
  const port = await steadyPort()
  const text = placed('Caddyfile', options).replace(':443', `:${port}`).replaceAll('/etc/caddy/tls', folder)
  const file = write(folder, 'Caddyfile', text)
  const command = ['caddy', 'run', '--adapter', 'caddyfile', '--config', file]
  await runServer(t, { command, port, end: 'SIGKILL', env: { XDG_DATA_HOME: folder, HOME: folder } })
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
  const command = ['haproxy', '-db', '-f', write(folder, 'haproxy.cfg', text)]
  await runServer(t, { command, port, end: 'SIGKILL' })
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

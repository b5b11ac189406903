// `portcullis backend`: the resource service by itself, on an address of its own, with its own Store file. It fetches
// the keys of the gate that it believes and has no other connection with it.

import { randomBytes, X509Certificate } from 'node:crypto'
import { isIPv4 } from 'node:net'
import type { Settings } from '../config/settings/settings.js'
import { listenOn } from '../http/connections/listening.js'
import { loadTls, type TlsFiles, watchTls } from '../http/tls/tls.js'
import { openStore } from '../storage/sql/open-store.js'
import { type BackendOptions, createBackend } from './index.js'
import { createSqlSource } from './sql-source.js'
import { createRemoteVerifier } from './verifier.js'

export interface StandaloneOptions {
  settings: Pick<Settings, 'store' | 'tokens' | 'upstreams' | 'quotas'> & {
    server: Pick<Settings['server'], 'baseUrl' | 'tls'>
  }
  host: string
  /** 0 takes a free one. */
  port: number
  /** Origin of the gate whose assertions are believed; absent: the configuration's base URL. */
  gateway?: string | undefined
  /** PEM of the authorities to trust for the gate's certificate, instead of the system's. */
  ca?: string | undefined
  logger: BackendOptions['logger']
  /** 32 bytes, for several instances behind one address; absent: made anew, and page links end with the process. */
  skipTokenKey?: Uint8Array
  now?: () => number
}

export interface StandaloneBackend {
  /** `http://127.0.0.1:9300`: what the gate's configuration names as the upstream's target. */
  address: string
  /** Finishes what is in flight, then closes the Store. */
  close(): Promise<void>
}

/**
 * Starts it. Throws when the address is not on this machine and there is no certificate (assertions are credentials,
 * and would travel in clear): name certificate files under server.tls, or switch TLS off there because something else
 * does it. Throws what opening the Store and listening throw.
 */
export async function startStandaloneBackend(options: StandaloneOptions): Promise<StandaloneBackend> {
  const { settings, host, port } = options
  const files = certificateFiles(settings.server.tls, host)
  const tls = files === undefined ? {} : { tls: certificate(files) }
  const store = await openStore(settings.store)
  const baseUrl = options.gateway ?? settings.server.baseUrl
  const builtin = [...settings.upstreams.values()].find(({ targets }) => targets[0]?.kind === 'builtin')
  const app = createBackend({
    source: createSqlSource(store, settings.quotas),
    verify: createRemoteVerifier({
      keysUrl: `${baseUrl}/api/v2/oauth2/v2.0/assertionkeys`,
      ca: options.ca,
      audience: builtin?.name ?? 'backend',
      issuer: baseUrl,
      leewaySeconds: settings.tokens.leewaySeconds,
      onError: (error) => app.log.warn({ err: error }, 'the keys of the gate cannot be fetched'),
    }),
    baseUrl,
    skipTokenKey: options.skipTokenKey ?? randomBytes(32),
    logger: options.logger,
    now: options.now ?? Date.now,
    ...tls,
  })
  const onError = (error: unknown) => app.log.warn({ err: error }, 'the new certificate cannot be used')
  const watch = files === undefined ? undefined : watchTls(files, { server: app.server as never, onError })
  const close = async (): Promise<void> => {
    watch?.stop()
    await app.close()
    await store.close()
  }
  try {
    return { address: await listenOn(app, { host, port, setting: '--listen' }), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Undefined where plain HTTP is fine. */
function certificateFiles(tls: Settings['server']['tls'], host: string): TlsFiles | undefined {
  if (tls.kind === 'files') return { certFile: tls.cert, keyFile: tls.key }
  const isLoopback = host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
  if (tls.kind === 'development' && !isLoopback) {
    throw new Error(`the backend does not listen on ${host} without TLS; see server.tls`)
  }
  return undefined
}

/** The certificate's own names are the hosts that are answered for. */
function certificate(files: TlsFiles): BackendOptions['tls'] & {} {
  const { cert, key } = loadTls(files)
  const names = new X509Certificate(cert).subjectAltName ?? ''
  const hosts = [...names.matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name]) => name ?? '')
  return { cert, key, hosts }
}

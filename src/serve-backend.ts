// `portcullis backend` as a story: the resource service without the gate, on an address of its own, until a signal.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import closeWithGrace from 'close-with-grace'
import { startBackendAlone } from './backend/alone.js'
import { loadSettings } from './config/load.js'
import { defaultConfigFile } from './config/package-root.js'
import { createLog } from './http/process-log.js'
import { deriveKey } from './oauth/derived-key.js'
import { prepareDataFolder } from './start/data-folder.js'

export interface ServeBackendOptions {
  config?: string
  /** `host:port`. */
  listen: string
  /** Origin of the gateway whose assertions are believed. */
  gateway?: string
  /** PEM file of authorities to trust for its certificate. */
  ca?: string
  version: string
}

const longestStopMs = 35_000

/** Runs until a signal. Throws, before it listens, when the configuration or the address forbids a start. */
export async function serveBackend(options: ServeBackendOptions): Promise<void> {
  const file = resolve(options.config ?? (process.env['PORTCULLIS_CONFIG'] || defaultConfigFile()))
  const settings = loadSettings({ file, env: process.env })
  const { host, port } = listenAddress(options.listen)
  prepareDataFolder(settings.data.folder)
  const [master] = settings.masterKeys
  const log = createLog(settings.log)
  const backend = await startBackendAlone({
    settings,
    host,
    port,
    gateway: options.gateway,
    ca: options.ca === undefined ? undefined : readFileSync(options.ca, 'utf8'),
    logger: { existing: log },
    // Page links hold across restarts and instances only under a key that they share.
    ...(master === undefined
      ? {}
      : { skipTokenKey: deriveKey(Buffer.from(master.reveal(), 'base64url'), 'backend-paging') }),
  })
  log.info({ version: options.version, address: backend.address }, 'serving resources')
  await new Promise<void>((done) => {
    closeWithGrace({ delay: longestStopMs, logger: false }, async ({ err, signal }) => {
      if (err !== undefined) log.fatal({ err }, 'an error that nobody caught')
      else log.info({ signal }, 'stopping')
      await backend.close()
      done()
    })
  })
}

/** Splits `host:port`; a bracketed IPv6 host loses its brackets. Throws on anything else. */
function listenAddress(text: string): { host: string; port: number } {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:\s]+):(\d{1,5})$/i.exec(text) ?? []
  if (host === undefined || Number(port) > 65_535) throw new Error(`--listen is not host:port: ${text}`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

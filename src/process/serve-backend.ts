// `portcullis backend` as a story: the resource service without the gate, on an address of its own, until a signal.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { startStandaloneBackend } from '../backend/standalone.js'
import { CommandFailure, exitCodes } from '../cli/output/exit.js'
import { loadSettings } from '../config/read/load.js'
import { defaultConfigFile } from '../config/read/package-root.js'
import { prepareDataFolder } from '../instance/first-start/data-folder.js'
import { deriveKey } from '../oauth/secrets/derived-key.js'
import { createLog } from '../observability/process-log.js'
import { untilStopped } from './shutdown.js'

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

const longestStopMs = 30_000

/** Runs until a signal. Throws, before it listens, when the configuration or the address forbids a start. */
export async function serveBackend(options: ServeBackendOptions): Promise<void> {
  const file = resolve(options.config ?? (process.env['PORTCULLIS_CONFIG'] || defaultConfigFile()))
  const settings = loadSettings({ file, env: process.env })
  const { host, port } = listenAddress(options.listen)
  const gateway = options.gateway === undefined ? undefined : originOf(options.gateway)
  const ca = options.ca === undefined ? undefined : authorities(options.ca)
  prepareDataFolder(settings.data.folder)
  const [master] = settings.masterKeys
  const log = createLog(settings.log)
  const backend = await startStandaloneBackend({
    settings,
    host,
    port,
    gateway,
    ca,
    logger: { existing: log },
    // Page links hold across restarts and instances only under a key that they share.
    ...(master === undefined
      ? {}
      : { skipTokenKey: deriveKey(Buffer.from(master.reveal(), 'base64url'), 'backend-paging') }),
  })
  log.info({ version: options.version, address: backend.address }, 'serving resources')
  await untilStopped({ log, longestStopMs, stop: () => backend.close() })
}

/** Splits `host:port`; a bracketed IPv6 host loses its brackets. Throws on anything else. */
function listenAddress(text: string): { host: string; port: number } {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:\s]+):(\d{1,5})$/i.exec(text) ?? []
  if (host === undefined || Number(port) > 65_535) throw wrongUsage(`--listen is not host:port: ${text}`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** The issuer as its assertions write it: an origin. Throws on anything else. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw wrongUsage(`--gateway is not an origin such as https://api.example.com: ${text}`)
  }
  return url.origin
}

/** PEM. Throws when the file cannot be read. */
function authorities(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw wrongUsage(`--ca cannot be read: ${(error as Error).message}`)
  }
}

function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(exitCodes.usage, message)
}

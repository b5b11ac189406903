// The way from a file to Settings: read, parse, resolve references, check the shape, then the meaning. Every mistake of
// every step is told at once.

import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { compileCatalogue } from './catalogue.js'
import { compileClients } from './clients.js'
import { compileLimits, knownLimits } from './limits.js'
import { compileMasterKeys } from './master-keys.js'
import { compileRedis, compileStore } from './memory.js'
import { compilePeople } from './people.js'
import { ConfigurationErrors } from './problem.js'
import { compileServer, compileTokens } from './process.js'
import { createReport, type Report } from './report.js'
import { compileRoutes } from './routes.js'
import type { ConfigurationFile } from './schema/file.js'
import type { Settings } from './settings.js'
import { readYaml } from './source.js'
import { quantity } from './units.js'
import { compileUpstreams } from './upstreams.js'
import { validate } from './validate.js'

export interface LoadOptions {
  /** Path of the YAML file; messages show it as it is given. */
  file: string
  env: NodeJS.ProcessEnv
  /** Where relative data folders start from; the process's working directory when left out. */
  cwd?: string
}

/** Reads and checks a configuration file. The answer is frozen. Throws ConfigurationErrors with every mistake. */
export function loadSettings({ file, env, cwd = process.cwd() }: LoadOptions): Settings {
  const report = createReport(file)
  const path = resolve(cwd, file)
  const text = readText(path, report)
  throwIfWrong(report)
  const data = readYaml(text, { env, folder: dirname(path), report })
  const checked = validate(data, report)
  const settings = compile(checked, { file, folder: dirname(path), cwd }, report)
  throwIfWrong(report)
  return deepFreeze({ ...settings, warnings: report.warnings() })
}

interface Origin {
  file: string
  folder: string
  cwd: string
}

function compile(file: ConfigurationFile, origin: Origin, report: Report): Settings {
  const { catalogue, resourceIds } = compileCatalogue(file, report)
  const upstreams = compileUpstreams(file, report)
  const limits = compileLimits(file, report)
  const defaultLimits = knownLimits(file.defaults.limits, ['defaults', 'limits'], limits, report)
  const tokenLimits = knownLimits(file.defaults.tokenLimits, ['defaults', 'tokenLimits'], limits, report)
  const folder = resolve(origin.cwd, file.data.folder)
  return {
    mode: file.mode,
    file: origin.file,
    warnings: [],
    server: compileServer(file, origin.folder, report),
    data: { folder },
    store: compileStore(file, folder, report),
    redis: compileRedis(file, report),
    masterKeys: compileMasterKeys(file, report),
    ...compileTokens(file, report),
    ...compilePeople(file, folder, report),
    ...compileClients(file, report),
    log: file.log,
    catalogue,
    upstreams,
    routes: compileRoutes({ file, catalogue, resourceIds, upstreams, limits, defaultLimits, report }),
    limits,
    tokenLimits,
    addressGuard: quantity.rate(file.server.limits.perAddress),
    failedAuthentications: quantity.rate(file.tokens.failedAuthentications),
  }
}

function readText(path: string, report: Report): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    report.problemAt({ line: 1, column: 1 }, UNREADABLE[code] ?? `the file cannot be read (${code})`)
    return ''
  }
}

const UNREADABLE: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission to read the file is denied',
  EISDIR: 'this is a folder, not a file',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'the file is not UTF-8',
}

function throwIfWrong(report: Report): void {
  if (report.problems().length > 0) throw new ConfigurationErrors(report.problems())
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map) for (const item of value.values()) deepFreeze(item)
  else for (const item of Object.values(value)) deepFreeze(item)
  return Object.freeze(value)
}

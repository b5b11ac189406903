// The way from a file to Settings: read, parse, resolve references, join what it includes, check the shape, then the
// meaning. Every mistake of every step is told at once.

import { dirname, resolve } from 'node:path'
import { compileBrand } from '../brand/compile-brand.js'
import { compilePlans } from '../plans/compile-plans.js'
import { compileClients } from '../process/clients.js'
import { compileIssuers } from '../process/issuers.js'
import { compileLimits, knownLimits } from '../process/limits.js'
import { compileMasterKeys } from '../process/master-keys.js'
import { compilePeople } from '../process/people.js'
import { compileServer, compileTokens } from '../process/process.js'
import { compileRedis, compileStore } from '../process/storage.js'
import { quantity } from '../process/units.js'
import { frozen } from '../reload/frozen.js'
import { ConfigurationErrors, formatProblem, type Problem } from '../report/problem.js'
import { createReport, type Report } from '../report/report.js'
import { compileCatalogue } from '../routes/catalogue.js'
import { compileRoutes } from '../routes/routes.js'
import { compileTests } from '../routes/tests.js'
import { compileUpstreams } from '../routes/upstreams.js'
import type { ConfigurationFile } from '../schema/file.js'
import { ruleSections } from '../schema/rules.js'
import type { Settings } from '../settings/settings.js'
import { type FileReader, readDisk } from './file-reader.js'
import { type FixedSections, fixedSections, waitingForStart } from './fixed-sections.js'
import { checkOwnAddresses } from './own-addresses.js'
import { checkParts, type PartGrants } from './part-rules.js'
import { withParts } from './parts.js'
import { readYaml } from './source.js'
import { validate } from './validate.js'

export interface LoadOptions {
  /** Path of the YAML file; messages show it as it is given. */
  file: string
  env: NodeJS.ProcessEnv
  /** Where relative data folders start from; the process's working directory when left out. */
  cwd?: string
  /** Where files are read; the disk when left out. */
  reader?: FileReader
}

/** A file that was loaded. */
export interface Configuration {
  /** Frozen. */
  settings: Settings
  fixed: FixedSections
  /** What waits for the next start, when this was loaded for a process that runs. */
  waiting: readonly Problem[]
}

/** Reads and checks a configuration file. The answer is frozen. Throws ConfigurationErrors with every mistake. */
export function loadSettings(options: LoadOptions): Settings {
  return loadConfiguration(options).settings
}

/**
 * Reads and checks a configuration file. For a process that runs with `running`, the rules are those of the file and
 * all else is as it runs. Throws ConfigurationErrors with every mistake, also of what would only take effect at the
 * next start.
 */
export function loadConfiguration(options: LoadOptions, running?: FixedSections): Configuration {
  const { file, env, cwd = process.cwd(), reader = readDisk() } = options
  const report = createReport(file)
  const path = resolve(cwd, file)
  const text = readText(path, report, reader)
  throwIfWrong(report)
  const main = readYaml(text, { env, reader, report, folder: dirname(path) })
  const { data, grants } = withParts(main, { env, reader, report, file, path })
  const checked = validate(data, report)
  const fixed = fixedSections(checked)
  const origin = { file, folder: dirname(path), cwd, grants, reader }
  const settings = compile(checked, origin, report)
  throwIfWrong(report)
  const waiting = running === undefined ? [] : waitingForStart(running, fixed, report)
  if (running === undefined || waiting.length === 0) return { settings: finished(settings, report), fixed, waiting }
  const forRunning = compile({ ...checked, ...running() }, origin, report)
  throwIfWrong(report)
  return { settings: finished(forRunning, report), fixed: running, waiting }
}

/**
 * Where a process that runs on this file has its data, for a program that wants to talk to it. Mistakes in rules do not
 * matter: it may run by what the file said before. Throws ConfigurationErrors with the other ones.
 */
export function loadDataFolder({ file, env, cwd = process.cwd(), reader = readDisk() }: LoadOptions): string {
  const report = createReport(file)
  const path = resolve(cwd, file)
  const text = readText(path, report, reader)
  throwIfWrong(report)
  const { data } = validate(readYaml(text, { env, reader, report, folder: dirname(path) }), report)
  const mistakes = report.problems().filter((problem) => !isOfRules(problem))
  if (mistakes.length > 0) throw new ConfigurationErrors(mistakes)
  return resolve(cwd, data.folder)
}

function isOfRules({ path }: Problem): boolean {
  const [section = ''] = path.split(/[.[]/, 1)
  return section in ruleSections
}

function finished(settings: Settings, report: Report): Settings {
  // What was compiled twice warned twice.
  const warnings = new Map(report.warnings().map((warning) => [formatProblem(warning), warning]))
  return frozen({ ...settings, warnings: [...warnings.values()] })
}

interface Origin {
  file: string
  folder: string
  cwd: string
  grants: PartGrants
  reader: FileReader
}

function compile(file: ConfigurationFile, origin: Origin, report: Report): Settings {
  const { catalogue, resourceIds } = compileCatalogue(file, report)
  const upstreams = compileUpstreams(file, report)
  const limits = compileLimits(file, report)
  const defaultLimits = knownLimits(file.defaults.limits, ['defaults', 'limits'], limits, report)
  const tokenLimits = knownLimits(file.defaults.tokenLimits, ['defaults', 'tokenLimits'], limits, report)
  const issuers = compileIssuers({ file, catalogue, resourceIds, report })
  const rules = { file, catalogue, resourceIds, upstreams, limits, issuers, report }
  const routes = compileRoutes({ ...rules, defaultLimits })
  checkParts({ file, grants: origin.grants, routes, upstreams, report })
  const folder = resolve(origin.cwd, file.data.folder)
  const settings: Settings = {
    mode: file.mode,
    file: origin.file,
    warnings: [],
    server: compileServer(file, origin.folder, report),
    data: { folder },
    brand: compileBrand(file, { folder: origin.folder, reader: origin.reader, report }),
    store: compileStore(file, folder, report),
    redis: compileRedis(file, report),
    masterKeys: compileMasterKeys(file, report),
    ...compileTokens(file, report),
    ...compilePeople(file, { data: folder, configuration: origin.folder }, report),
    ...compileClients(file, report),
    log: file.log,
    watch: file.reload.watch,
    catalogue,
    upstreams,
    routes,
    limits,
    ...compilePlans({ file, limits, routes, report }),
    issuers,
    tests: compileTests({ ...rules, routes }),
    tokenLimits,
    addressGuard: quantity.rate(file.server.limits.perAddress),
    failedAuthentications: quantity.rate(file.tokens.failedAuthentications),
  }
  checkOwnAddresses(settings, report)
  return settings
}

function readText(path: string, report: Report, reader: FileReader): string {
  const read = reader.file(path)
  if ('text' in read) return read.text
  report.problemAt({ line: 1, column: 1 }, UNREADABLE[read.wrong] ?? `the file cannot be read (${read.wrong})`)
  return ''
}

const UNREADABLE: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission to read the file is denied',
  EISDIR: 'this is a folder, not a file',
  NOT_UTF8: 'the file is not UTF-8',
}

function throwIfWrong(report: Report): void {
  if (report.problems().length > 0) throw new ConfigurationErrors(report.problems())
}

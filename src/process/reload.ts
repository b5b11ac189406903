// Reading the configuration again while the process runs: whole or not at all. A caller that asks for it meanwhile
// waits for one that begins after; what a reload cannot change is told and waits for the next start.

import type { FastifyBaseLogger } from 'fastify'
import type { ConfigSnapshot } from '../config/read/file-reader.js'
import type { Configuration, LoadOptions } from '../config/read/load.js'
import { inSlices } from '../config/reload/steps.js'
import { ConfigurationErrors, formatProblem, type Problem } from '../config/report/problem.js'
import type { InEffect, RefusedFiles, ReloadCause, ReloadOutcome } from '../config/report/reload-outcome.js'
import { isEmpty, type RuleChanges, ruleChanges } from '../config/report/rule-changes.js'
import type { Settings } from '../config/settings/settings.js'
import type { ReloadMetrics } from '../observability/reload-metrics.js'
import { readAgain } from './load-in-thread.js'

/** Where a process's configuration came from. */
export interface Loaded extends Configuration {
  origin: Omit<LoadOptions, 'reader'>
  /** What was read for it. */
  snapshot: ConfigSnapshot
}

export interface ReloadOptions {
  first: Loaded
  /** Puts the rules of `next` in place of those of `before`. Throws, with nothing changed, when it cannot. */
  put(next: Settings, snapshot: ConfigSnapshot, before: Settings): void | Promise<void>
  log: FastifyBaseLogger
  metrics: ReloadMetrics
  /** Epoch milliseconds. */
  now: () => number
}

export interface Reloading {
  /** Resolves when the rules that the files say now, or said after the call, are in effect, or are refused. */
  reload(cause: ReloadCause): Promise<ReloadOutcome>
  /** What was read last, whether it was good or not. */
  lastSnapshot(): ConfigSnapshot
  /** Undefined: what was read last is in effect. */
  refused(): RefusedFiles | undefined
}

/** Nothing is read before the first call. */
export function createReloading(options: ReloadOptions): Reloading {
  const { metrics, log, now } = options
  let current = options.first
  let since: Pick<InEffect, 'since' | 'by'> = { since: now(), by: 'start' }
  let lastSnapshot = current.snapshot
  let refused: RefusedFiles | undefined
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<ReloadOutcome> | undefined
  metrics.lastSuccessful.set(1)
  metrics.lastTimestamp.set(now() / 1000)

  const onSnapshot = (snapshot: ConfigSnapshot) => {
    lastSnapshot = snapshot
  }
  const onTrouble = (error: unknown) =>
    log.warn({ err: error }, 'the configuration is read without a thread of its own; requests wait for it')

  const run = async (cause: ReloadCause): Promise<ReloadOutcome> => {
    next = undefined
    const before = current
    try {
      const { origin, fixed, snapshot } = before
      const read = await readAgain({ origin, fixed, from: { before: snapshot } }, { onSnapshot, onTrouble })
      const loaded = { ...before, ...read, snapshot: lastSnapshot }
      if (read !== undefined) await options.put(loaded.settings, loaded.snapshot, before.settings)
      current = loaded
      const changes = await inSlices(ruleChanges(before.settings, loaded.settings))
      if (!isEmpty(changes)) since = { since: now(), by: cause }
      return reported(outcomeOf(changes, loaded, since), cause)
    } catch (error) {
      if (!(error instanceof ConfigurationErrors)) log.error({ err: error }, 'the new rules could not be put in place')
      return reported({ result: 'refused', problems: problemsOf(error, before) }, cause)
    }
  }
  const reported = (outcome: ReloadOutcome, cause: ReloadCause): ReloadOutcome => {
    metrics.reloads.inc({ result: outcome.result })
    metrics.lastSuccessful.set(outcome.result === 'refused' ? 0 : 1)
    refused = outcome.result === 'refused' ? { since: refused?.since ?? now(), problems: outcome.problems } : undefined
    if (outcome.result === 'reloaded') metrics.lastTimestamp.set(now() / 1000)
    logOutcome(log, outcome, cause)
    return outcome
  }
  return {
    lastSnapshot: () => lastSnapshot,
    refused: () => refused,
    reload(cause) {
      next ??= running.then(() => run(cause))
      running = next
      return next
    },
  }
}

function outcomeOf(
  changes: RuleChanges,
  { settings, waiting }: Loaded,
  since: Pick<InEffect, 'since' | 'by'>,
): ReloadOutcome {
  const inEffect = { ...since, routes: settings.routes.length, upstreams: settings.upstreams.size }
  return { result: isEmpty(changes) ? 'unchanged' : 'reloaded', changes, waiting, inEffect }
}

/** What is no mistake of the file is one of ours, and told in the log alone. */
function problemsOf(error: unknown, { origin }: Loaded): readonly Problem[] {
  if (error instanceof ConfigurationErrors) return error.problems
  const message = 'these rules could not be put in place; the log says why'
  return [{ file: origin.file, line: 1, column: 1, path: '', message }]
}

/** Names of one kind in one line of the log. */
const mostNames = 100

function logOutcome(log: FastifyBaseLogger, outcome: ReloadOutcome, cause: ReloadCause): void {
  if (outcome.result === 'refused') {
    for (const problem of outcome.problems.slice(0, mostNames)) log.error(formatProblem(problem))
    const mistakes = outcome.problems.length
    log.error({ cause, mistakes }, 'the configuration is not reloaded; the active configuration stays')
    return
  }
  const nothing = 'the configuration says what is in effect already'
  // Somebody who edits beside the files must not fill the log.
  if (outcome.result === 'unchanged' && cause === 'file') return void log.debug(nothing)
  for (const problem of outcome.waiting) log.warn(formatProblem(problem))
  if (outcome.result === 'unchanged') log.info({ cause }, nothing)
  else log.info({ cause, ...named(outcome.changes) }, 'the configuration is reloaded')
}

/** `{ routes: { added: […] } }`, with what is empty left out. */
function named(changes: RuleChanges): Record<string, Record<string, string[]>> {
  const kinds = Object.entries(changes).map(([section, kinds]) => {
    const some = Object.entries(kinds).filter(([, names]) => names.length > 0)
    return [section, Object.fromEntries(some.map(([kind, names]) => [kind, shortened(names)]))] as const
  })
  return Object.fromEntries(kinds.filter(([, some]) => Object.keys(some).length > 0))
}

function shortened(names: readonly string[]): string[] {
  const rest = names.length - mostNames
  return rest > 0 ? [...names.slice(0, mostNames), `and ${rest} more`] : [...names]
}

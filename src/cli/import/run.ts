// An import from its file to its report: read, convert, hold to the rules, map permissions, plan, carry out.

import { carryOut, type ImportResult } from '../../management/imports/carry-out.js'
import { type ImportItem, type ImportSurroundings, planImport } from '../../management/imports/import-plan.js'
import { unusedNames } from '../../management/imports/permission-map.js'
import type { Conversion } from '../../management/imports/sources/conversion.js'
import { convert, type Source } from '../../management/imports/sources/sources.js'
import { readCatalogue } from '../../management/registrations/catalogue.js'
import { registrationFinder } from '../../management/registrations/find.js'
import { checkPlansKnown } from '../../management/registrations/known-plans.js'
import { makesSecret } from '../../management/registrations/plan.js'
import { RegistrationProblem } from '../../management/registrations/problem.js'
import { type ManagementCalls, requireTenant } from '../calls/management-calls.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { openSecretsFile, type SecretsFile } from '../registrations/kept-secrets.js'
import type { ImportOptions } from './options.js'
import { readPermissionMap } from './permission-map.js'
import { plansByIdentifier } from './plans-by-identifier.js'
import { printReport } from './print-report.js'
import { readImportFile } from './read-file.js'

interface Run {
  source: Source
  file: string
  options: ImportOptions
  calls: () => Promise<ManagementCalls>
  terminal: Terminal
}

/**
 * Imports. Throws CommandFailure and RegistrationProblem: 2 for a file or a map that is wrong, 1 when something could
 * not be registered.
 */
export async function importApplications({ source, file, options, calls, terminal }: Run): Promise<void> {
  const conversion = only(convert(source, await readImportFile(file, terminal)), options.only)
  const map = await readPermissionMap(options.map ?? [], options.mapFile, terminal)
  const opened = await calls()
  const ids = conversion.imported.map(({ sourceId }) => sourceId)
  const items = await planImport(conversion, await surroundings({ calls: opened, map, ids }, options))
  for (const name of unusedNames(map, conversion)) {
    terminal.say(`The map names ${printable(name)}, which nothing asks for.`)
  }
  const secrets = await secretsFile(items, options, terminal)
  const results: ImportResult[] = []
  try {
    for (const [index, item] of items.entries()) {
      const done = (result: ImportResult) => {
        results[index] = result
      }
      const keep = async (created: Parameters<SecretsFile['write']>[0]) => secrets?.write(created)
      await carryOut(item, { calls: opened, dryRun: options.dryRun === true, keep, done, refusalOf })
    }
  } finally {
    // Also after a failure halfway: what was done is done, and its secrets are shown only now.
    await secrets?.close()
    const { output, dryRun = false, secretFile } = options
    printReport(terminal, { results, left: conversion.left }, { output, dryRun, kept: secretFile !== undefined })
  }
  const failed = results.filter(({ result }) => result === 'failed').length
  if (failed > 0) throw new CommandFailure(exitCodes.failed, `${failed} of ${results.length} could not be registered`)
}

function only(conversion: Conversion, ids: readonly string[] | undefined): Conversion {
  if (ids === undefined) return conversion
  const known = [...conversion.imported, ...conversion.left].map(({ sourceId }) => sourceId)
  const unknown = ids.find((id) => !known.includes(id))
  if (unknown !== undefined) throw new CommandFailure(exitCodes.usage, `the file has no application ${unknown}`)
  return {
    imported: conversion.imported.filter(({ sourceId }) => ids.includes(sourceId)),
    left: conversion.left.filter(({ sourceId }) => ids.includes(sourceId)),
  }
}

async function surroundings(
  { calls, map, ids }: Pick<ImportSurroundings, 'map'> & { calls: ManagementCalls; ids: readonly string[] },
  options: ImportOptions,
): Promise<ImportSurroundings> {
  const { tenant, update = false } = options
  const plans = plansByIdentifier(options.planOf, ids)
  await checkPlansKnown(calls, [options.plan, ...plans.values()])
  const planOf = (sourceId: string) => plans.get(sourceId) ?? options.plan
  const tenantId = tenant === undefined ? (await calls.listTenants())[0]?.tenantId : await requireTenant(calls, tenant)
  if (tenantId === undefined) {
    throw new CommandFailure(exitCodes.notFound, 'there is no tenant: portcullis tenant create')
  }
  const [catalogue, find] = [await readCatalogue(calls), await registrationFinder(calls)]
  return { map, tenantId, update, planOf, catalogue, find, refusalOf }
}

async function secretsFile(items: readonly ImportItem[], { secretFile, dryRun }: ImportOptions, terminal: Terminal) {
  const needed = items.some(({ plan }) => plan !== undefined && makesSecret(plan))
  if (secretFile === undefined || dryRun === true || !needed) return undefined
  return await openSecretsFile(secretFile, 'lines', terminal)
}

/** Of one application; an absent server ends everything. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof RegistrationProblem) return printable(error.message)
  return error instanceof CommandFailure && error.exitCode !== exitCodes.unreachable ? error.message : undefined
}

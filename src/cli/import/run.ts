// An import from its file to its report: read, convert, hold to the rules, map permissions, plan, carry out.

import { type ManagementCalls, requireTenant } from '../calls/management-calls.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { type PermissionCatalogue, readCatalogue } from '../registrations/catalogue.js'
import { type FindRegistration, registrationFinder } from '../registrations/find.js'
import { openSecretsFile, type SecretsFile } from '../registrations/kept-secrets.js'
import { checkPlansKnown } from '../registrations/known-plans.js'
import { makesSecret, type Plan, planOf, type Wanted } from '../registrations/plan.js'
import { executePlan } from '../registrations/plan-execution.js'
import { type Acceptable, acceptableOnes } from './acceptable.js'
import type { Conversion, Note } from './conversion.js'
import { convertEntra } from './entra.js'
import { convertHydra } from './hydra.js'
import { convertKeycloak } from './keycloak.js'
import type { ImportOptions, Source } from './options.js'
import { mapPermissions, type PermissionMap, readPermissionMap } from './permission-map.js'
import { plansByIdentifier } from './plans-by-identifier.js'
import { type ImportResult, printReport } from './print-report.js'
import { readImportFile } from './read-file.js'

interface Run {
  source: Source
  file: string
  options: ImportOptions
  calls: () => Promise<ManagementCalls>
  terminal: Terminal
}

interface Surroundings {
  calls: ManagementCalls
  catalogue: PermissionCatalogue
  find: FindRegistration
  map: PermissionMap
  tenantId: string
  update: boolean
  /** By the identifier in the source. */
  planOf: (sourceId: string) => string | undefined
}

/** One application on its way: planned, or known not to be one. */
interface Item {
  one: Acceptable
  notes: Note[]
  plan?: Plan
  /** Why nothing is done. */
  result?: 'exists' | 'failed'
  reason?: string
  applicationId?: string
}

const converters: Record<Source, (document: unknown) => Conversion> = {
  entra: convertEntra,
  keycloak: convertKeycloak,
  hydra: convertHydra,
}

/** Imports. Throws CommandFailure: 2 for a file or a map that is wrong, 1 when something could not be registered. */
export async function importApplications({ source, file, options, calls, terminal }: Run): Promise<void> {
  const conversion = only(converters[source](await readImportFile(file, terminal)), options.only)
  const map = await readPermissionMap(options.map ?? [], options.mapFile, terminal)
  const around = await surroundings(
    { calls: await calls(), map, ids: conversion.imported.map(({ sourceId }) => sourceId) },
    options,
  )
  const items: Item[] = []
  for (const one of acceptableOnes(conversion.imported)) items.push(await itemOf(one, around))
  for (const name of unusedNames(map, conversion)) terminal.say(`The map names ${name}, which nothing asks for.`)
  const secrets = await secretsFile(items, options, terminal)
  const results: ImportResult[] = []
  try {
    for (const [index, item] of items.entries()) {
      const done = (result: ImportResult) => {
        results[index] = result
      }
      await settle(item, { calls: around.calls, secrets, dryRun: options.dryRun === true, done })
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

/** A misspelt name in a map would leave a permission out without a word. */
function unusedNames(map: PermissionMap, { imported }: Conversion): string[] {
  const requested = imported.flatMap(({ permissions }) =>
    permissions.flatMap(({ name, aliases }) => [name, ...aliases]),
  )
  return [...map.keys()].filter((name) => !requested.includes(name)).map(printable)
}

async function surroundings(
  { calls, map, ids }: Pick<Surroundings, 'calls' | 'map'> & { ids: readonly string[] },
  options: ImportOptions,
): Promise<Surroundings> {
  const { tenant, update = false } = options
  const plans = plansByIdentifier(options.planOf, ids)
  await checkPlansKnown(calls, [options.plan, ...plans.values()])
  const planOf = (sourceId: string) => plans.get(sourceId) ?? options.plan
  const tenantId = tenant === undefined ? (await calls.listTenants())[0]?.tenantId : await requireTenant(calls, tenant)
  if (tenantId === undefined) {
    throw new CommandFailure(exitCodes.notFound, 'there is no tenant: portcullis tenant create')
  }
  const [catalogue, find] = [await readCatalogue(calls), await registrationFinder(calls)]
  return { calls, map, tenantId, update, planOf, catalogue, find }
}

async function itemOf(one: Acceptable, around: Surroundings): Promise<Item> {
  const mapped = mapPermissions(one, around.map, around.catalogue)
  const item = { one, notes: [...one.notes, ...mapped.notes] }
  if (one.refused !== undefined) return { ...item, result: 'failed', reason: one.refused }
  try {
    const found = await around.find(around.tenantId, one.name)
    const existing = found?.application
    if (existing !== undefined && !around.update) {
      const reason = 'exists, left alone: --update changes it'
      return { ...item, result: 'exists', reason, applicationId: existing.applicationId }
    }
    const kept = existing?.permissions ?? []
    const said = around.planOf(one.sourceId)
    const planned = said === undefined ? {} : { plan: said }
    const isKept = (ref: (typeof kept)[number]) =>
      kept.some(({ kind, resource, id }) => kind === ref.kind && resource === ref.resource && id === ref.id)
    const permissions = [...kept, ...mapped.permissions.filter((ref) => !isKept(ref))]
    return { ...item, plan: planOf({ ...wantedBy(one), ...planned, permissions, tenantId: around.tenantId }, found) }
  } catch (error) {
    return { ...item, result: 'failed', reason: failureOf(error) }
  }
}

/** What the source says nothing of is left as it is. An application that was stopped here stays so. */
function wantedBy(one: Acceptable): Omit<Wanted, 'tenantId' | 'permissions'> {
  const { name, type, audience, redirectUris, logoutRedirectUris, requirePkce, publisher, idTokenAlg, keys } = one
  return {
    name,
    type,
    audience,
    redirectUris,
    logoutRedirectUris,
    requirePkce,
    ...(one.disabled ? { state: 'disabled' } : {}),
    ...(publisher === '' ? {} : { publisher }),
    ...(idTokenAlg === undefined ? {} : { idTokenAlg }),
    ...(keys === undefined ? {} : { jwks: keys, ...(one.provesByKey ? { authMethod: 'private_key_jwt' } : {}) }),
  }
}

async function secretsFile(items: readonly Item[], { secretFile, dryRun }: ImportOptions, terminal: Terminal) {
  const needed = items.some(({ plan }) => plan !== undefined && makesSecret(plan))
  if (secretFile === undefined || dryRun === true || !needed) return undefined
  return await openSecretsFile(secretFile, 'lines', terminal)
}

interface Settling {
  calls: ManagementCalls
  secrets: SecretsFile | undefined
  dryRun: boolean
  done: (result: ImportResult) => void
}

/**
 * Does what is planned and says what became of it; a refusal of the server is one, an absent server ends everything.
 */
async function settle(item: Item, { calls, secrets, dryRun, done }: Settling): Promise<void> {
  const { one, notes, plan } = item
  const report = { sourceId: one.sourceId, name: one.name, type: one.type, notes }
  if (plan === undefined) {
    const { result = 'failed', reason = '', applicationId } = item
    return done({
      ...report,
      result,
      reason,
      differences: [],
      ...(applicationId === undefined ? {} : { applicationId }),
    })
  }
  const { result, differences } = plan
  if (dryRun) return done({ ...report, result, differences })
  try {
    const application = await executePlan(calls, plan, async (created) => {
      done({ ...report, result, differences, application: created })
      await secrets?.write(created)
    })
    done({ ...report, result, differences, application })
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode === exitCodes.unreachable) throw error
    done({ ...report, result: 'failed', reason: failureOf(error), differences: [] })
  }
}

function failureOf(error: unknown): string {
  if (error instanceof CommandFailure && error.exitCode !== exitCodes.unreachable) return error.message
  throw error
}

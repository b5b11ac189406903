// `portcullis app apply -f FILE`: registrations become exactly what their manifests say. What a manifest leaves out has
// its default, but for what somebody may have had to do in a hurry or by hand: the state, the switch for device codes,
// the word that a publisher is verified, owners, the plan, and what it says of itself. Everything is planned before anything is done.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ApplicationManifest } from '../../../config/schema/manifest.js'
import type { PermissionCatalogue } from '../../../management/registrations/catalogue.js'
import type { Plan, Wanted } from '../../../management/registrations/plan.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { type ManagementCalls, requireTenant } from '../../calls/management-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, outputOption } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import type { Outcome } from '../../registrations/print.js'

interface ApplyOptions extends ConnectionOptions {
  file: string
  dryRun?: boolean
  secretFile?: string
  output: OutputFormat
}

const mostBytes = 1024 * 1024

const applyHelp = `
A manifest is YAML or JSON; a file has one, several documents, or a list. Its fields are those of the management API:

  name: reports
  type: web
  tenant: Contoso                 # the oldest tenant when left out
  redirectUris: [https://reports.example/callback]
  permissions: [Subscription.Read.All, delegated:User.Read]
  consent: true                   # of an administrator, to these permissions
  owners: [ada@contoso.example]   # exactly these; left out: its present owners
  plan: free                      # left out: the plan that it has; '': the default one
  deviceCodes: off                # nobody signs in to it by a code
  brand:                          # each left alone when not said; '' takes it away
    home: https://reports.example
    terms: https://reports.example/terms
    logo: reports.png             # beside this file

A registration is found again by its name in the tenant. Applied once more, the file changes nothing and makes no secret.
With --secret-file a file of one manifest gives the bare secret, one of several a JSON document a line.
`

/** Adds `app apply`. */
export function addApplyCommand(
  app: Command,
  terminal: Terminal,
  open: (options: ConnectionOptions) => Promise<ManagementCalls>,
): void {
  addConnectionOptions(app.command('apply').description('create or change applications to what a file says'))
    .requiredOption('-f, --file <file>', 'the manifests; - reads standard input')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--secret-file <file>', 'write new secrets to a new file (0600) instead of the output')
    .addOption(outputOption())
    .addHelpText('after', applyHelp)
    .action(async (options: ApplyOptions) => {
      const manifests = await readFileOf(options.file, terminal)
      // The file says it, and was looked at; --dry-run says beforehand what it changes.
      const calls = await open({ ...options, yes: true })
      const plans = await plansOf(manifests, calls, { file: options.file, cwd: terminal.cwd })
      await carryOutAll(plans, options, calls, terminal)
    })
}

async function readFileOf(file: string, terminal: Terminal): Promise<ApplicationManifest[]> {
  const [{ readManifests }, { ConfigurationErrors }] = await Promise.all([
    import('../../../config/read/manifests.js'),
    import('../../../config/report/problem.js'),
  ])
  const text = await textOf(file, terminal)
  try {
    return readManifests(text, file === '-' ? 'standard input' : file)
  } catch (error) {
    if (!(error instanceof ConfigurationErrors)) throw error
    throw new CommandFailure(exitCodes.usage, `the manifest is wrong:\n${error.message}`, { cause: error })
  }
}

async function textOf(file: string, terminal: Terminal): Promise<string> {
  const text = await (file === '-' ? terminal.input() : readFile(resolve(terminal.cwd, file), 'utf8')).catch(
    (error: Error) => {
      throw new CommandFailure(exitCodes.usage, `the manifest cannot be read: ${error.message}`, { cause: error })
    },
  )
  if (text.length > mostBytes) throw new CommandFailure(exitCodes.usage, 'the manifest is larger than 1 MiB')
  return text
}

async function plansOf(
  manifests: readonly ApplicationManifest[],
  calls: ManagementCalls,
  place: { file: string; cwd: string },
): Promise<Plan[]> {
  const [{ readCatalogue }, { registrationFinder }, { planOf }, { checkPlansKnown }, brands] = await Promise.all([
    import('../../../management/registrations/catalogue.js'),
    import('../../../management/registrations/find.js'),
    import('../../../management/registrations/plan.js'),
    import('../../../management/registrations/known-plans.js'),
    import('../../registrations/manifest-brand.js'),
  ])
  await checkPlansKnown(
    calls,
    manifests.map(({ plan }) => plan),
  )
  const catalogue = await readCatalogue(calls)
  const find = await registrationFinder(calls)
  const plans: Plan[] = []
  for (const manifest of manifests) {
    const tenantId = await tenantOf(manifest, calls)
    const [owners, brand] = [await ownersOf(manifest, tenantId, calls), await brands.brandOf(manifest, place)]
    const wanted = { ...wantedBy(manifest, tenantId, catalogue), ...owners, ...brand }
    plans.push(planOf(wanted, await brands.withBrand(await find(tenantId, wanted.name), brand, calls)))
  }
  return plans
}

async function tenantOf({ tenant }: ApplicationManifest, calls: ManagementCalls): Promise<string> {
  if (tenant !== undefined) return await requireTenant(calls, tenant)
  const [oldest] = await calls.listTenants()
  if (oldest === undefined) throw new CommandFailure(exitCodes.notFound, 'there is no tenant: portcullis tenant create')
  return oldest.tenantId
}

/** Whom the manifest names; nothing when it leaves them alone. */
async function ownersOf({ name, owners }: ApplicationManifest, tenantId: string, calls: ManagementCalls) {
  if (owners === undefined) return {}
  const found = new Map<string, string>()
  for (const owner of owners) {
    const { ownerId } = await calls.possibleOwner(tenantId, owner).catch((error: unknown) => {
      if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.usage) throw error
      throw new CommandFailure(exitCodes.usage, `${printable(name)}: owners: ${error.message}`, { cause: error })
    })
    if (!found.has(ownerId)) found.set(ownerId, owner)
  }
  return { owners: [...found].map(([ownerId, written]) => ({ ownerId, name: written })) }
}

function wantedBy(manifest: ApplicationManifest, tenantId: string, catalogue: PermissionCatalogue): Wanted {
  const { tenant: _named, owners: _resolved, brand: _read, plan, permissions = [], ...said } = manifest
  const { publisher = '', name, type, ...rest } = said
  const kind = type === 'web' ? 'application' : 'delegated'
  return {
    audience: 'home',
    redirectUris: [],
    adminConsentRedirectUris: [],
    logoutRedirectUris: [],
    requirePkce: type === 'native',
    authMethod: 'secret',
    jwks: null,
    idTokenAlg: 'RS256',
    ...rest,
    name,
    type,
    tenantId,
    publisher: publisher.normalize('NFC').trim(),
    ...(plan === undefined ? {} : { plan: plan || null }),
    permissions: permissions.map((argument) => catalogue.require(argument, kind)),
  }
}

async function carryOutAll(
  plans: readonly Plan[],
  options: ApplyOptions,
  calls: ManagementCalls,
  terminal: Terminal,
): Promise<void> {
  const [{ executePlan }, { printOutcomes }, { makesSecret }, { openSecretsFile }] = await Promise.all([
    import('../../../management/registrations/plan-execution.js'),
    import('../../registrations/print.js'),
    import('../../../management/registrations/plan.js'),
    import('../../registrations/kept-secrets.js'),
  ])
  const { output, secretFile } = options
  const single = plans.length === 1
  const show = (outcomes: readonly Outcome[]) =>
    printOutcomes(terminal, outcomes, { output, kept: secretFile !== undefined, single })
  const outcomeOf = ({ wanted, result, differences }: Plan): Outcome => ({ name: wanted.name, result, differences })
  if (options.dryRun === true) {
    show(plans.map(outcomeOf))
    return terminal.say('Nothing was done: this was a dry run.')
  }
  const file =
    secretFile === undefined || !plans.some(makesSecret)
      ? undefined
      : await openSecretsFile(secretFile, single ? 'bare' : 'lines', terminal)
  const outcomes: Outcome[] = []
  try {
    for (const [index, plan] of plans.entries()) {
      const application = await executePlan(calls, plan, async (created) => {
        outcomes[index] = { ...outcomeOf(plan), application: created }
        await file?.write(created)
      })
      outcomes[index] = { ...outcomeOf(plan), application }
    }
  } finally {
    // Also after a failure halfway: what was done is done, and its secrets are shown only now.
    await file?.close()
    if (outcomes.length > 0) show(outcomes)
  }
}

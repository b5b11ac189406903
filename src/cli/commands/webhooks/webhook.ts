// `portcullis webhook …`: to which addresses the events of a tenant are sent.

import type { Command } from 'commander'
import type { WebhookAnswer } from '../../../management/server/webhook-schemas.js'
import { collected, durationSeconds } from '../../arguments.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { namesOf } from '../../calls/names.js'
import { webhookCalls } from '../../calls/webhook-calls.js'
import { requireConfirmation } from '../../output/confirmation.js'
import { listOption } from '../../output/list-option.js'
import { type Field, outputOption, printList, printRecord } from '../../output/output.js'
import { addYesOption, type YesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import { askingForSecret } from '../applications/secret-file.js'
import { addDeliveries } from './deliveries.js'
import { idHelp, type Open, type Options } from './webhook-options.js'

interface CreateOptions extends Options {
  event?: string[]
  secretFile?: string
}

const listed = {
  headings: ['ID', 'URL', 'EVENTS', 'STATE', 'TENANT', 'TENANT ID'],
  context: ['TENANT', 'TENANT ID'],
  empty: 'There are no webhooks. Make one: portcullis webhook create URL',
}

/** Adds `webhook` and its commands. */
export function addWebhookCommands(program: Command, terminal: Terminal): void {
  const group = program.command('webhook').description('send the events of a tenant to other services')
  const open: Open = async (options) => {
    const client = await connect(options, terminal)
    const { tenant } = options
    const tenantId = tenant === undefined ? undefined : await requireTenant(managementCalls(client), tenant)
    return { client, calls: webhookCalls(client), tenantId }
  }
  addCreate(group, terminal, open)
  addConnectionOptions(group.command('list').description('list the webhooks'))
    .option('--tenant <tenant>', 'tenant, id or name (default: all that you look after)')
    .addOption(listOption())
    .action(async (options: Options) => {
      const { client, calls, tenantId } = await open(options)
      const value = await calls.list(tenantId)
      const { tenant } = await namesOf(client, options.output, { tenants: value.map((one) => one.tenantId) })
      const rows = value.map((one) => [
        ...[one.id, one.url, one.events.join(' '), stateOf(one), tenant(one.tenantId), one.tenantId],
      ])
      printList(terminal, options.output, { value }, { ...listed, rows })
    })
  addConnectionOptions(group.command('show').description('show a webhook'))
    .argument('<id>', idHelp)
    .addOption(outputOption())
    .action(async (id: string, options: Options) => {
      const shown = await (await open(options)).calls.show(id)
      printRecord(terminal, options.output, shown, fieldsOf(shown))
    })
  for (const enabled of [true, false]) {
    const description = enabled ? 'send again, also what waited' : 'send nothing more until it is enabled'
    const command = addConnectionOptions(group.command(enabled ? 'enable' : 'disable').description(description))
    const made = enabled ? command : addYesOption(command)
    made.argument('<id>', idHelp).action(async (id: string, options: Options) => {
      await (await open(options)).calls.change(id, { enabled })
      terminal.say(enabled ? 'The webhook is enabled.' : 'The webhook is disabled.')
    })
  }
  const removing = group.command('delete').description('delete a webhook with what is on its way to it')
  addYesOption(addConnectionOptions(removing))
    .argument('<id>', idHelp)
    .action(async (id: string, options: Options & YesOption) => {
      // It asks here, with what waits.
      const { calls } = await open({ ...options, yes: true })
      if (options.yes !== true) {
        const { waiting, dead } = await calls.backlog(id)
        terminal.say(`  Waiting: ${waiting}, dead letters: ${dead}. They are gone with it, and nothing more is sent.`)
        await requireConfirmation(terminal, `Delete the webhook to ${(await calls.show(id)).url}?`, options.yes)
      }
      await calls.remove(id)
      terminal.say('The webhook is deleted.')
    })
  addRotate(group, terminal, open)
  addDeliveries(group, terminal, open)
}

function addCreate(group: Command, terminal: Terminal, open: Open): void {
  addConnectionOptions(group.command('create').description('make a webhook; its signing secret is shown only now'))
    .argument('<url>', 'https address of the receiver')
    .option('--event <type>', 'such as application.registered, consent.* or * (repeatable; default: *)', collected)
    .option('--tenant <tenant>', 'tenant, id or name (default: the oldest, or your own)')
    .option('--secret-file <file>', 'write the signing secret to a new file (0600) instead of the output')
    .addOption(outputOption())
    .action(async (url: string, options: CreateOptions) => {
      const { calls, tenantId } = await open(options)
      const body = { url, events: options.event ?? ['*'], ...(tenantId === undefined ? {} : { tenantId }) }
      await printSecret(terminal, options, () => calls.create(body))
    })
}

function addRotate(group: Command, terminal: Terminal, open: Open): void {
  const rotating = group.command('rotate-secret').description('make another signing secret; it is shown only now')
  addYesOption(addConnectionOptions(rotating))
    .argument('<id>', idHelp)
    .option(
      '--overlap <duration>',
      'sign with the secret before, too, for so long (default: 24h; 0: not at all)',
      durationSeconds,
    )
    .option('--secret-file <file>', 'write the signing secret to a new file (0600) instead of the output')
    .addOption(outputOption())
    .action(async (id: string, options: CreateOptions & { overlap?: number }) => {
      const { calls } = await open(options)
      const { overlap } = options
      const body = overlap === undefined ? {} : { overlapSeconds: overlap }
      await printSecret(terminal, options, () => calls.rotate(id, body))
    })
}

/** Prints the webhook with its secret, or puts the secret into the file that was named. */
async function printSecret(
  terminal: Terminal,
  { secretFile, output }: CreateOptions,
  make: () => Promise<WebhookAnswer<'createdWebhook'>>,
): Promise<void> {
  const { answer, kept } = await askingForSecret(terminal, secretFile, async () => {
    const { secret, ...made } = await make()
    return { ...made, clientSecret: secret }
  })
  const { clientSecret, ...made } = answer
  printRecord(terminal, output, kept ? made : { ...made, secret: clientSecret }, [
    ...fieldsOf(made),
    ...(kept ? [] : [{ label: 'secret', value: clientSecret, variable: 'PORTCULLIS_WEBHOOK_SECRET' }]),
  ])
}

function fieldsOf(one: WebhookAnswer<'webhook'>): Field[] {
  return [
    { label: 'id', value: one.id, variable: 'PORTCULLIS_WEBHOOK' },
    { label: 'url', value: one.url },
    { label: 'events', value: one.events.join(' ') },
    { label: 'state', value: stateOf(one) },
    { label: 'tenant', value: one.tenantId },
  ]
}

function stateOf({ enabled, disabledBecause, failingSince }: WebhookAnswer<'webhook'>): string {
  if (!enabled) return disabledBecause === null ? 'disabled' : `disabled: ${disabledBecause}`
  return failingSince === null ? 'enabled' : `failing since ${failingSince}`
}

// `portcullis webhook …`: to which addresses the events of a tenant are sent.

import { type Command, Option } from 'commander'
import type { WebhookAnswer } from '../../../management/server/webhook-schemas.js'
import { collected } from '../../arguments.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { namesOf } from '../../calls/names.js'
import { type WebhookCalls, webhookCalls } from '../../calls/webhook-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type Field, type OutputFormat, outputOption, printList, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { askingForSecret } from '../applications/secret-file.js'

interface Options extends ConnectionOptions {
  output: OutputFormat
  tenant?: string
}

interface CreateOptions extends Options {
  event?: string[]
  secretFile?: string
}

const listed = {
  headings: ['ID', 'URL', 'EVENTS', 'STATE', 'TENANT', 'TENANT ID'],
  context: ['TENANT', 'TENANT ID'],
  empty: 'There are no webhooks. Make one: portcullis webhook create URL',
}

const deliveries = {
  headings: ['ID', 'TYPE', 'STATE', 'ATTEMPTS', 'LAST', 'REASON', 'STATUS', 'NEXT'],
  firstToGo: ['ATTEMPTS', 'STATUS', 'NEXT'],
  empty: 'Nothing was sent, and nothing waits. Try it: portcullis webhook test ID',
}

const idHelp = 'id of the webhook (see: webhook list)'

/** Adds `webhook` and its commands. */
export function addWebhookCommands(program: Command, terminal: Terminal): void {
  const group = program.command('webhook').description('send the events of a tenant to other services')
  const open = async (options: Options) => {
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
    addConnectionOptions(group.command(enabled ? 'enable' : 'disable').description(description))
      .argument('<id>', idHelp)
      .action(async (id: string, options: Options) => {
        await (await open(options)).calls.change(id, { enabled })
        terminal.say(enabled ? 'The webhook is enabled.' : 'The webhook is disabled.')
      })
  }
  addConnectionOptions(group.command('delete').description('delete a webhook with what is on its way to it'))
    .argument('<id>', idHelp)
    .action(async (id: string, options: Options) => {
      await (await open(options)).calls.remove(id)
      terminal.say('The webhook is deleted.')
    })
  addDeliveries(group, terminal, open)
}

type Open = (options: Options) => Promise<{ client: LocalClient; calls: WebhookCalls; tenantId: string | undefined }>

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
      const { answer, kept } = await askingForSecret(terminal, options.secretFile, async () => {
        const { secret, ...made } = await calls.create(body)
        return { ...made, clientSecret: secret }
      })
      const { clientSecret, ...made } = answer
      printRecord(terminal, options.output, kept ? made : { ...made, secret: clientSecret }, [
        ...fieldsOf(made),
        ...(kept ? [] : [{ label: 'secret', value: clientSecret, variable: 'PORTCULLIS_WEBHOOK_SECRET' }]),
      ])
    })
}

function addDeliveries(group: Command, terminal: Terminal, open: Open): void {
  addConnectionOptions(group.command('test').description('send a test event now'))
    .argument('<id>', idHelp)
    .action(async (id: string, options: Options) => {
      const { delivered, status, reason } = await (await open(options)).calls.test(id)
      const answered = status === null ? 'no answer' : `the receiver answered ${status}`
      if (!delivered) throw new CommandFailure(exitCodes.failed, `not delivered: ${answered} (${reason})`)
      terminal.say(`Delivered: ${answered}.`)
    })
  addConnectionOptions(group.command('deliveries').description('list the last events that were sent, or are to be'))
    .argument('<id>', idHelp)
    .addOption(new Option('--state <state>', 'only these').choices(['waiting', 'delivered', 'dead']))
    .addOption(listOption())
    .action(async (id: string, options: Options & { state?: string }) => {
      const value = await (await open(options)).calls.deliveries(id, options.state)
      const rows = value.map((one) => [
        ...[one.id, one.type, one.state, String(one.attempts), one.lastAttemptAt ?? ''],
        ...[one.lastReason ?? '', one.lastStatus === null ? '' : String(one.lastStatus), one.nextAttemptAt ?? ''],
      ])
      printList(terminal, options.output, { value }, { ...deliveries, rows })
    })
  addConnectionOptions(group.command('redeliver').description('send an event once more; it keeps its id'))
    .argument('<id>', idHelp)
    .argument('<delivery>', 'id of the delivery (see: webhook deliveries)')
    .action(async (id: string, delivery: string, options: Options) => {
      await (await open(options)).calls.redeliver(id, delivery)
      terminal.say('It is sent once more.')
    })
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

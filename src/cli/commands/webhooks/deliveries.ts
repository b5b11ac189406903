// `portcullis webhook test|deliveries|delivery|redeliver|replay`: what was sent, and having it sent again.

import { type Command, Option } from 'commander'
import type { WebhookAnswer } from '../../../management/server/webhook-schemas.js'
import { addConnectionOptions } from '../../calls/connection-options.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { outputOption, printList, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { idHelp, type Open, type Options } from './webhook-options.js'

const deliveries = {
  headings: ['ID', 'TYPE', 'STATE', 'ATTEMPTS', 'LAST', 'REASON', 'STATUS', 'MS', 'NEXT'],
  firstToGo: ['MS', 'ATTEMPTS', 'STATUS', 'NEXT'],
  empty: 'Nothing was sent, and nothing waits. Try it: portcullis webhook test ID',
}

const deliveryHelp = 'id of the delivery (see: webhook deliveries)'

/** Adds them to `webhook`. */
export function addDeliveries(group: Command, terminal: Terminal, open: Open): void {
  addTrying(group, terminal, open)
  addConnectionOptions(group.command('deliveries').description('list the last events that were sent, or are to be'))
    .argument('<id>', idHelp)
    .addOption(new Option('--state <state>', 'only these').choices(['waiting', 'delivered', 'dead']))
    .addOption(listOption())
    .action(async (id: string, options: Options & { state?: string }) => {
      const value = await (await open(options)).calls.deliveries(id, options.state)
      printList(terminal, options.output, { value }, { ...deliveries, rows: value.map(rowOf) })
    })
  addConnectionOptions(group.command('delivery').description('show a delivery and the event as it is sent'))
    .argument('<id>', idHelp)
    .argument('<delivery>', deliveryHelp)
    .addOption(outputOption(['table', 'json']))
    .action(async (id: string, delivery: string, options: Options) => {
      const shown = await (await open(options)).calls.readDelivery(id, delivery)
      const cells = rowOf(shown)
      const fields = deliveries.headings.map((heading, at) => ({
        label: heading.toLowerCase(),
        value: cells[at] ?? '',
      }))
      printRecord(terminal, options.output, shown, [
        ...fields.filter(({ value }) => value !== ''),
        { label: 'event', value: shown.body },
      ])
    })
  addRepeating(group, terminal, open)
}

function addTrying(group: Command, terminal: Terminal, open: Open): void {
  addConnectionOptions(group.command('test').description('send a test event now'))
    .argument('<id>', idHelp)
    .action(async (id: string, options: Options) => {
      const { delivered, status, reason, durationMs } = await (await open(options)).calls.test(id)
      const answered = status === null ? 'no answer' : `the receiver answered ${status}`
      if (!delivered) throw new CommandFailure(exitCodes.failed, `not delivered: ${answered} (${reason})`)
      terminal.say(`Delivered: ${answered} after ${durationMs} ms.`)
    })
}

function addRepeating(group: Command, terminal: Terminal, open: Open): void {
  addConnectionOptions(group.command('redeliver').description('send an event once more; it keeps its id'))
    .argument('<id>', idHelp)
    .argument('<delivery>', deliveryHelp)
    .action(async (id: string, delivery: string, options: Options) => {
      await (await open(options)).calls.redeliver(id, delivery)
      terminal.say('It is sent once more.')
    })
  addConnectionOptions(group.command('replay').description('send all dead letters again; they keep their ids'))
    .argument('<id>', idHelp)
    .action(async (id: string, options: Options) => {
      const { calls } = await open(options)
      let [sent, goesOn] = [0, true]
      while (goesOn) {
        const { count, more } = await calls.replay(id)
        sent += count
        goesOn = more && count > 0
      }
      const what = sent === 1 ? 'One dead letter is' : `${sent} dead letters are`
      terminal.say(sent === 0 ? 'There are no dead letters.' : `${what} sent again, the oldest first.`)
    })
}

function rowOf(one: WebhookAnswer<'delivery'>): string[] {
  return [
    ...[one.id, one.type, one.state, String(one.attempts), one.lastAttemptAt ?? '', one.lastReason ?? ''],
    ...[
      one.lastStatus === null ? '' : String(one.lastStatus),
      one.lastDurationMs == null ? '' : `${one.lastDurationMs}`,
    ],
    one.nextAttemptAt ?? '',
  ]
}

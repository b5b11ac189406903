// `portcullis app owner …`: who may change an application beside the administrators of its tenant (decision 84).

import type { Command } from 'commander'
import { parseGuid } from '../../../oauth/secrets/guid.js'
import { clientCalls } from '../../calls/client-calls.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls } from '../../calls/management-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

const listed = {
  headings: ['NAME', 'KIND', 'SINCE', 'ID'],
  empty: 'It has no owners: the administrators of its tenant change it.',
}

const applicationHelp = 'application id, public key or exact name'

interface OwnerOptions extends ConnectionOptions {
  application?: boolean
}

/** Adds `app owner` and its commands. */
export function addOwnerCommands(app: Command, terminal: Terminal): void {
  const owner = app.command('owner').description('who may change it, beside the administrators of its tenant')
  const open = async (options: ConnectionOptions, application: string) => {
    const client = await connect(options, terminal)
    const { applicationId } = await managementCalls(client).showApplication(application)
    return { calls: clientCalls(client), applicationId }
  }
  addConnectionOptions(owner.command('add').description('add a developer of its tenant, or another application of it'))
    .argument('<app>', applicationHelp)
    .argument('<owner>', 'e-mail address or id of the person, or with --application the application id')
    .option('--application', 'the owner is an application')
    .action(async (application: string, name: string, options: OwnerOptions) => {
      const body = ownerBody(name, options.application === true)
      const { calls, applicationId } = await open(options, application)
      const added = await calls.addOwner(applicationId, body)
      terminal.say(`${added.name} is an owner now.`)
    })
  addConnectionOptions(owner.command('list').description('list its owners'))
    .argument('<app>', applicationHelp)
    .addOption(listOption())
    .action(async (application: string, options: ConnectionOptions & { output: OutputFormat }) => {
      const { calls, applicationId } = await open(options, application)
      const value = await calls.listOwners(applicationId)
      const rows = value.map(({ ownerId, kind, name, addedAt }) => [name, kind, addedAt, ownerId])
      printList(terminal, options.output, { value }, { ...listed, rows })
    })
  addConnectionOptions(owner.command('remove').description('remove an owner; without any it is the administrators’'))
    .argument('<app>', applicationHelp)
    .argument('<id>', 'id of the owner (see: app owner list)')
    .action(async (application: string, id: string, options: ConnectionOptions) => {
      const { calls, applicationId } = await open(options, application)
      await calls.removeOwner(applicationId, id)
      terminal.say('Removed.')
    })
}

function ownerBody(name: string, isApplication: boolean) {
  const id = parseGuid(name)
  if (!isApplication && name.includes('@')) return { email: name }
  if (id === undefined) {
    throw new CommandFailure(exitCodes.usage, 'name the owner by e-mail address or id; an application by --application')
  }
  return isApplication ? { applicationId: id } : { userId: id }
}

// `portcullis tenant …` and `portcullis permission list`: the tenants, and the catalogue that applications choose from.

import { type Command, Option } from 'commander'
import { connect } from './connection.js'
import { addConnectionOptions, type ConnectionOptions } from './connection-options.js'
import { managementCalls, requireTenant } from './management-calls.js'
import { type OutputFormat, outputOption, printList, printRecord } from './output.js'
import type { Terminal } from './terminal.js'

interface SetOptions extends ConnectionOptions {
  userConsent: 'allowed' | 'administrators'
}

interface PrintOptions extends ConnectionOptions {
  output: OutputFormat
}

/** Adds `tenant` and its commands. */
export function addTenantCommands(program: Command, terminal: Terminal): void {
  const tenant = program.command('tenant').description('list, create, change, disable and enable tenants')
  const open = async (options: ConnectionOptions) => managementCalls(await connect(options, terminal))
  addConnectionOptions(tenant.command('list').description('list the tenants'))
    .addOption(outputOption(['table', 'json']))
    .action(async (options: PrintOptions) => {
      const value = await (await open(options)).listTenants()
      const rows = value.map((each) => [each.name, each.tenantId, each.state, each.createdAt])
      printList(terminal, options.output, { value }, { headings: ['NAME', 'TENANT ID', 'STATE', 'CREATED'], rows })
    })
  addConnectionOptions(tenant.command('create').description('create a tenant'))
    .argument('<name>')
    .addOption(outputOption())
    .action(async (name: string, options: PrintOptions) => {
      const created = await (await open(options)).createTenant({ name })
      printRecord(terminal, options.output, created, [
        { label: 'name', value: created.name },
        { label: 'tenant id', value: created.tenantId, variable: 'PORTCULLIS_TENANT_ID' },
        { label: 'state', value: created.state },
      ])
    })
  addConnectionOptions(tenant.command('set').description('change who may consent in a tenant'))
    .argument('<tenant>', 'tenant id or exact name')
    .addOption(
      new Option('--user-consent <who>', 'who may consent where no administrator is needed')
        .choices(['allowed', 'administrators'])
        .makeOptionMandatory(),
    )
    .action(async (reference: string, options: SetOptions) => {
      const calls = await open(options)
      await calls.changeTenant(await requireTenant(calls, reference), { userConsent: options.userConsent })
      terminal.say(
        options.userConsent === 'allowed'
          ? 'People may consent for themselves where a permission needs no administrator.'
          : 'Only administrators may consent from now on.',
      )
    })
  const addSwitch = (verb: string, state: 'enabled' | 'disabled', description: string) =>
    addConnectionOptions(tenant.command(verb).description(description))
      .argument('<tenant>', 'tenant id or exact name')
      .action(async (reference: string, options: ConnectionOptions) => {
        const calls = await open(options)
        await calls.changeTenant(await requireTenant(calls, reference), { state })
        terminal.say(`The tenant is ${state}.`)
      })
  addSwitch('disable', 'disabled', 'refuse its applications new tokens and refuse the ones they have')
  addSwitch('enable', 'enabled', 'let a disabled tenant in again')
}

/** Adds `permission list`. */
export function addPermissionCommands(program: Command, terminal: Terminal): void {
  const permission = program.command('permission').description('the catalogue of permissions')
  addConnectionOptions(permission.command('list').description('list the permissions that applications may ask for'))
    .addOption(outputOption(['table', 'json']))
    .action(async (options: PrintOptions) => {
      const value = await managementCalls(await connect(options, terminal)).listPermissions()
      const rows = value.map((each) => [each.id, each.kinds.join(', '), each.resource, each.description])
      printList(terminal, options.output, { value }, { headings: ['ID', 'KINDS', 'RESOURCE', 'DESCRIPTION'], rows })
    })
}

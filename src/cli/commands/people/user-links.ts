// The commands that make links: to invite, to choose a new password, to recover a tenant, to set up the first owner. A
// link lets in anybody who has it, so it goes to standard output only, and to nobody else.

import { type Command, Option } from 'commander'
import type { PeopleAnswer } from '../../../management/people/people-schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { namesOf } from '../../calls/names.js'
import { type PeopleCalls, peopleCalls } from '../../calls/people-calls.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, outputOption, printList, printRecord } from '../../output/output.js'
import { addYesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'

interface LinkOptions extends ConnectionOptions {
  output: OutputFormat
}

interface InviteOptions extends LinkOptions {
  tenant: string
  role: NonNullable<Parameters<PeopleCalls['invite']>[0]['role']>
}

const invitations = {
  headings: ['ID', 'E-MAIL', 'ROLE', 'TENANT', 'UNTIL', 'TENANT ID'],
  context: ['TENANT', 'TENANT ID'],
  empty: 'No invitation is open. Invite somebody: portcullis user invite --help',
}

/** Adds `user invite`, `user invitations`, `user uninvite`, `user reset-password`, `user link-provider`, `user recover` and `set-up-link`. */
export function addUserLinkCommands(program: Command, user: Command, terminal: Terminal): void {
  addConnectionOptions(user.command('invite').description('a link with which somebody joins a tenant, for 7 days'))
    .argument('<email>')
    .requiredOption('--tenant <tenant>', 'tenant, id or name')
    .addOption(
      new Option('--role <role>', 'their role there')
        .choices(['owner', 'administrator', 'developer', 'member'])
        .default('member'),
    )
    .addOption(outputOption())
    .action(async (email: string, options: InviteOptions) => {
      const client = await connect(options, terminal)
      const tenantId = await requireTenant(managementCalls(client), options.tenant)
      printLink(terminal, options.output, await peopleCalls(client).invite({ tenantId, email, role: options.role }))
    })
  addConnectionOptions(user.command('invitations').description('list the invitations that nobody has accepted yet'))
    .option('--tenant <tenant>', 'only those of this tenant, id or name')
    .addOption(listOption())
    .action(async (options: LinkOptions & { tenant?: string }) => {
      const client = await connect(options, terminal)
      const { tenant } = options
      const tenantId = tenant === undefined ? undefined : await requireTenant(managementCalls(client), tenant)
      const value = await peopleCalls(client).listInvitations(tenantId)
      const names = await namesOf(client, options.output, { tenants: value.map((one) => one.tenantId) })
      const rows = value.map((one) => [
        ...[one.id, one.email, one.role, names.tenant(one.tenantId), one.expiresAt, one.tenantId],
      ])
      printList(terminal, options.output, { value }, { ...invitations, rows })
    })
  addConnectionOptions(user.command('uninvite').description('take an invitation back; its link lets nobody in'))
    .argument('<id>', 'id of the invitation (see: user invitations)')
    .action(async (id: string, options: ConnectionOptions) => {
      await peopleCalls(await connect(options, terminal)).removeInvitation(id)
      terminal.say('The invitation is taken back.')
    })
  addConnectionOptions(user.command('reset-password').description('a link to choose a new password, for an hour'))
    .argument('<user>', 'user id or e-mail address')
    .addOption(outputOption())
    .action(async (reference: string, options: LinkOptions) => {
      const people = peopleCalls(await connect(options, terminal))
      printLink(terminal, options.output, await people.resetPassword(reference))
    })
  addConnectionOptions(
    user
      .command('link-provider')
      .description('a link with which somebody comes in through a provider, for 7 days')
      .addHelpText(
        'after',
        `
Where a tenant takes only sign-ins through a provider, its people do not link an account there by themselves. This link
says which one is theirs, by its e-mail address. They open it signed in here, and sign in at the provider once.`,
      ),
  )
    .argument('<user>', 'user id or e-mail address')
    .option('--tenant <tenant>', 'tenant, id or name; needed at the machine of the server')
    .option('--email <email>', 'their address at the provider; their own here unless given')
    .addOption(outputOption())
    .action(async (reference: string, options: LinkOptions & { tenant?: string; email?: string }) => {
      const client = await connect(options, terminal)
      const { tenant, email } = options
      const tenantId = tenant === undefined ? undefined : await requireTenant(managementCalls(client), tenant)
      const body = { ...(tenantId === undefined ? {} : { tenantId }), ...(email === undefined ? {} : { email }) }
      const link = await peopleCalls(client).linkProvider(reference, body)
      terminal.say('It works for this person only, signed in here, with the account of that address.')
      printRecord(terminal, options.output, link, linkLines(link))
    })
  addYesOption(
    addConnectionOptions(
      user.command('recover').description('a link that makes somebody owner, when no owner can sign in any more'),
    ),
  )
    .requiredOption('--tenant <tenant>', 'tenant, id or name')
    .requiredOption('--email <email>', 'who becomes owner; an account that exists gets a new password')
    .addOption(outputOption())
    .addHelpText(
      'after',
      '\nOf an account that exists the second factor, passkeys and linked providers are removed, and it is enabled again.',
    )
    .action(async (options: LinkOptions & { tenant: string; email: string }) => {
      const client = await connect(options, terminal)
      const tenantId = await requireTenant(managementCalls(client), options.tenant)
      printLink(terminal, options.output, await peopleCalls(client).recover({ tenantId, email: options.email }))
    })
  addConnectionOptions(
    program.command('set-up-link').description('a link that makes the first owner, while there is none; for 24 hours'),
  )
    .addOption(outputOption())
    .action(async (options: LinkOptions) => {
      printLink(terminal, options.output, await peopleCalls(await connect(options, terminal)).setUpLink())
    })
}

function printLink(terminal: Terminal, output: OutputFormat, link: PeopleAnswer<'link'>): void {
  if (link.mailed) terminal.say('The link went by mail.')
  else terminal.say('The first person who opens this link gets in: give it only to the person it is for.')
  printRecord(terminal, output, link, linkLines(link))
}

function linkLines(link: PeopleAnswer<'link'>) {
  return [
    ...(link.url === undefined ? [] : [{ label: 'link', value: link.url, variable: 'PORTCULLIS_LINK' }]),
    { label: 'until', value: link.expiresAt, variable: 'PORTCULLIS_LINK_EXPIRES' },
  ]
}

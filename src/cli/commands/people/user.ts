// `portcullis user …`: accounts and who belongs where.

import { type Command, Option } from 'commander'
import { type Language, languages } from '../../../languages/language.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { type PeopleCalls, peopleCalls } from '../../calls/people-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, outputOption, printList } from '../../output/output.js'
import { addYesOption, unchanged } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import { printUser } from './print-user.js'
import { addUserActivityCommands } from './user-activity.js'
import { addUserLinkCommands } from './user-links.js'

type Role = Parameters<PeopleCalls['putMembership']>[2]

interface PrintOptions extends ConnectionOptions {
  output: OutputFormat
}

interface CreateOptions extends PrintOptions {
  name: string
  tenant?: string
  role?: Role
  passwordStdin?: boolean
  confirmed?: boolean
  language?: Language
}

interface RoleOptions extends ConnectionOptions {
  tenant: string
  role: Role
}

const listed = {
  headings: ['NAME', 'E-MAIL', 'USER ID', 'STATE', 'LAST SIGN-IN'],
  firstToGo: ['USER ID'],
  empty: 'There are no people yet. Make the first owner with: portcullis set-up-link',
}

const nobodyLacks = { empty: 'Everybody who has to have a second factor has one.' }

const userHelp = 'user id or e-mail address'
const tenantHelp = 'tenant, id or name'
const stopping: ReadonlySet<string> = new Set(['disable', 'drop-operator', 'sign-out'])
/** A language, or none: what their browser likes best. */
type Said = Language | 'none'

const languageOption = (choices: readonly string[]) =>
  new Option('--language <language>', 'of the pages and mails that they read').choices(choices)
const roles = ['owner', 'administrator', 'developer', 'member'] as const

/** Adds `user` and its commands, and `set-up-link`. */
export function addUserCommands(program: Command, terminal: Terminal): void {
  const user = program.command('user').description('people: create, invite, give roles, disable, delete')
  addCreate(user, terminal)
  addReading(user, terminal)
  addUserActivityCommands(user, terminal)
  addMemberships(user, terminal)
  addStates(user, terminal)
  addChanges(user, terminal)
  addUserLinkCommands(program, user, terminal)
}

function addCreate(user: Command, terminal: Terminal): void {
  addConnectionOptions(user.command('create').description('add a person; without a password they get in by a link'))
    .argument('<email>')
    .requiredOption('--name <name>', 'their name')
    .option('--tenant <tenant>', `${tenantHelp} that they belong to`)
    .addOption(new Option('--role <role>', 'their role there (default: member)').choices(roles))
    .option('--password-stdin', 'read their password from standard input')
    .addOption(languageOption([...languages]))
    .option('--confirmed', 'the address is known to be theirs, so applications may be told it')
    .addOption(outputOption())
    .action(async (email: string, options: CreateOptions) => {
      const { name, tenant, role = 'member', language } = options
      if (tenant === undefined && options.role !== undefined) {
        throw new CommandFailure(exitCodes.usage, 'a role is one in a tenant: say which with --tenant')
      }
      const client = await connect(options, terminal)
      const password = options.passwordStdin === true ? (await terminal.input()).replace(/\r?\n$/, '') : undefined
      const created = await peopleCalls(client).createUser({
        email,
        name,
        ...(password === undefined ? {} : { password }),
        ...(language === undefined ? {} : { language }),
        ...(options.confirmed === true ? { emailVerified: true } : {}),
        ...(tenant === undefined ? {} : { tenantId: await requireTenant(managementCalls(client), tenant), role }),
      })
      printUser(terminal, options.output, created)
    })
}

function addReading(user: Command, terminal: Terminal): void {
  addConnectionOptions(user.command('list').description('list the people'))
    .option('--tenant <tenant>', `only those of this ${tenantHelp}`)
    .option('--without-second-factor', 'only those who have to have a second factor and have none')
    .addOption(listOption())
    .action(async (options: PrintOptions & { tenant?: string; withoutSecondFactor?: boolean }) => {
      const client = await connect(options, terminal)
      const { tenant } = options
      const tenantId = tenant === undefined ? undefined : await requireTenant(managementCalls(client), tenant)
      const value = await peopleCalls(client).listUsers(tenantId, options.withoutSecondFactor === true)
      const rows = value.map((each) => [each.name, each.email, each.userId, each.state, each.lastSignInAt ?? 'never'])
      printList(
        terminal,
        options.output,
        { value },
        { ...listed, ...(options.withoutSecondFactor === true && nobodyLacks), rows },
      )
    })
  addConnectionOptions(user.command('show').description('show one person with their memberships'))
    .argument('<user>', userHelp)
    .addOption(outputOption())
    .action(async (reference: string, options: PrintOptions) => {
      const people = peopleCalls(await connect(options, terminal))
      printUser(terminal, options.output, await people.showUser(reference))
    })
}

function addMemberships(user: Command, terminal: Terminal): void {
  addYesOption(
    addConnectionOptions(user.command('set-role').description('give them a role in a tenant, also as a new member')),
  )
    .argument('<user>', userHelp)
    .requiredOption('--tenant <tenant>', tenantHelp)
    .addOption(new Option('--role <role>', 'their role there').choices(roles).makeOptionMandatory())
    .action(async (reference: string, options: RoleOptions) => {
      const client = await connect(options, terminal)
      const tenantId = await requireTenant(managementCalls(client), options.tenant)
      await peopleCalls(client).putMembership(reference, tenantId, options.role)
      terminal.say(`They are ${options.role} of the tenant.`)
    })
  addYesOption(addConnectionOptions(user.command('remove').description('take them out of a tenant; the account stays')))
    .argument('<user>', userHelp)
    .requiredOption('--tenant <tenant>', tenantHelp)
    .action(async (reference: string, options: ConnectionOptions & { tenant: string }) => {
      const client = await connect(options, terminal)
      const tenantId = await requireTenant(managementCalls(client), options.tenant)
      await peopleCalls(client).removeMembership(reference, tenantId)
      terminal.say('Removed from the tenant.')
    })
}

function addStates(user: Command, terminal: Terminal): void {
  const act = (
    name: string,
    description: string,
    done: string,
    work: (people: PeopleCalls, user: string) => Promise<unknown>,
  ) =>
    (stopping.has(name) ? addYesOption : unchanged)(addConnectionOptions(user.command(name).description(description)))
      .argument('<user>', userHelp)
      .action(async (reference: string, options: ConnectionOptions) => {
        await work(peopleCalls(await connect(options, terminal)), reference)
        terminal.say(done)
      })
  act('disable', 'refuse their sign-in, sessions and tokens at once', 'The user is disabled.', (people, reference) =>
    people.changeUser(reference, { state: 'disabled' }),
  )
  act('enable', 'let a disabled person in again', 'The user is enabled.', (people, reference) =>
    people.changeUser(reference, { state: 'enabled' }),
  )
  act('make-operator', 'let them look after the whole installation', 'They are an operator.', (people, reference) =>
    people.changeUser(reference, { operator: true }),
  )
  act('drop-operator', 'take the operator role away', 'They are no longer an operator.', (people, reference) =>
    people.changeUser(reference, { operator: false }),
  )
  act('sign-out', 'end all their sessions and what applications hold', 'They are signed out.', (people, reference) =>
    people.signOut(reference),
  )
}

function addChanges(user: Command, terminal: Terminal): void {
  addConnectionOptions(user.command('set').description('change their name, e-mail address or language'))
    .argument('<user>', userHelp)
    .option('--name <name>', 'their name')
    .option('--email <email>', 'their e-mail address; it counts when they open the link that is mailed to it')
    .addOption(languageOption([...languages, 'none']))
    .addOption(outputOption())
    .action(
      async (
        reference: string,
        { name, email, language, ...options }: PrintOptions & { name?: string; email?: string; language?: Said },
      ) => {
        const body = {
          ...(name === undefined ? {} : { name }),
          ...(email === undefined ? {} : { email }),
          ...(language === undefined ? {} : { language: language === 'none' ? null : language }),
        }
        if (Object.keys(body).length === 0) throw new CommandFailure(exitCodes.usage, 'say what to change: see --help')
        const people = peopleCalls(await connect(options, terminal))
        printUser(terminal, options.output, await people.changeUser(reference, body))
      },
    )
  addConnectionOptions(user.command('confirm-email').description('say that an e-mail address is theirs'))
    .argument('<user>', userHelp)
    .argument('[email]', 'the address (default: the one they requested, or else their present one)')
    .addOption(outputOption())
    .action(async (reference: string, typed: string | undefined, options: PrintOptions) => {
      const people = peopleCalls(await connect(options, terminal))
      const { userId, email, pendingEmail } = await people.showUser(reference)
      const body = { email: typed ?? pendingEmail ?? email, emailVerified: true } as const
      printUser(terminal, options.output, await people.changeUser(userId, body))
    })
  addYesOption(addConnectionOptions(user.command('delete').description('remove the account with everything of theirs')))
    .argument('<user>', userHelp)
    .action(async (reference: string, options: ConnectionOptions) => {
      const people = peopleCalls(await connect(options, terminal))
      await people.deleteUser(reference)
      terminal.say('The user is deleted.')
    })
}

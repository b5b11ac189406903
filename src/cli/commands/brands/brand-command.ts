// `portcullis tenant brand …` and `portcullis app brand …`: what pages look like. What the commands do is loaded when they
// run.

import { type Command, Option } from 'commander'
import { addConnectionOptions } from '../../calls/connection-options.js'
import { outputOption } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { BrandOptions } from './brand-options.js'

/** Option, field of the API, and what it says. */
const links = [
  ['--terms <url>', 'https address of the terms; an empty text takes it away'],
  ['--privacy <url>', 'https address of the statement on privacy'],
] as const
const tenantOptions = [
  ['--name <name>', 'what the pages are headed with; an empty text: the tenant’s name'],
  ['--accent <colour>', 'colour of links and buttons, as #0b5cad; an empty text: that of the server'],
  ['--accent-dark <colour>', 'the same on dark pages'],
  ['--logo <file>', 'PNG, JPEG or WebP of at most 64 KiB; an empty text takes it away'],
  ['--logo-dark <file>', 'another one for dark pages'],
  ...links,
  ['--support <url>', 'https address, or mailto: and one address'],
] as const
const applicationOptions = [
  ['--logo <file>', 'PNG, JPEG or WebP of at most 64 KiB; an empty text takes it away'],
  ['--home <url>', 'https address of its home page'],
  ...links,
] as const

/** Adds `tenant brand` and its commands. */
export function addTenantBrandCommands(tenant: Command, terminal: Terminal): void {
  const brand = tenant.command('brand').description('what the pages look like on which people sign in')
  addCommands(brand, { of: 'tenant', argument: 'tenant id or exact name', options: tenantOptions }, terminal)
}

/** Adds `app brand` and its commands. */
export function addApplicationBrandCommands(app: Command, terminal: Terminal): void {
  const brand = app.command('brand').description('its logo and links where people decide about it')
  addCommands(
    brand,
    { of: 'app', argument: 'application id, public key or exact name', options: applicationOptions },
    terminal,
  )
}

interface Kind {
  of: 'tenant' | 'app'
  argument: string
  options: readonly (readonly [flags: string, description: string])[]
}

function addCommands(brand: Command, { of, argument, options }: Kind, terminal: Terminal): void {
  const add = (name: string, description: string) =>
    addConnectionOptions(brand.command(name).description(description)).argument(`<${of}>`, argument)
  add('show', 'what is said')
    .addOption(outputOption(['table', 'json']))
    .action(async (reference: string, given: BrandOptions) => (await commands()).show(of, reference, given, terminal))
  const set = add('set', 'change what the options name').addOption(outputOption(['table', 'json']))
  for (const [flags, description] of options) set.addOption(new Option(flags, description))
  set.action(async (reference: string, given: BrandOptions) => (await commands()).set(of, reference, given, terminal))
  add('remove', 'take all of it away')
    .addOption(new Option('--reason <text>', 'as an operator, because it imitates somebody: what its audit log says'))
    .action(async (reference: string, given: BrandOptions) => (await commands()).remove(of, reference, given, terminal))
}

const commands = () => import('./brand.js')

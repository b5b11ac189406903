// What `portcullis tenant brand` and `portcullis app brand` do.

import type { BrandAnswer } from '../../../management/brands/brand-schemas.js'
import { connect } from '../../calls/connection.js'
import type { LocalClient } from '../../calls/local-client.js'
import { managementCalls, requireTenant, segmentOf } from '../../calls/management-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import type { BrandOptions } from './brand-options.js'
import { pictureIn } from './picture-file.js'

type Of = 'tenant' | 'app'
type Brand = BrandAnswer<'tenant'> | BrandAnswer<'application'>

const texts = ['name', 'accent', 'accentDark', 'home', 'terms', 'privacy', 'support'] as const
const pictures = ['logo', 'logoDark'] as const

/** Shows it. */
export async function show(of: Of, reference: string, options: BrandOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  print(terminal, options, (await client.call('GET', await pathOf(client, of, reference))) as Brand)
}

/** Changes what the options name; an empty text takes away. Throws CommandFailure. */
export async function set(of: Of, reference: string, options: BrandOptions, terminal: Terminal): Promise<void> {
  const body: Record<string, string | null> = {}
  for (const field of texts) {
    const text = options[field]
    if (text !== undefined) body[field] = text === '' ? null : text
  }
  for (const field of pictures) {
    const file = options[field]
    if (file !== undefined) body[field] = file === '' ? null : await pictureIn(terminal, file)
  }
  if (Object.keys(body).length === 0) throw new CommandFailure(exitCodes.usage, 'say what to change: see --help')
  const client = await connect(options, terminal)
  print(terminal, options, (await client.call('PATCH', await pathOf(client, of, reference), body)) as Brand)
}

/** Takes all of it away; with a reason as an operator, of whatever tenant it is. */
export async function remove(of: Of, reference: string, options: BrandOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const path = await pathOf(client, of, reference)
  const { reason } = options
  await (reason === undefined ? client.call('DELETE', path) : client.call('POST', `${path}/removal`, { reason }))
  terminal.say(of === 'tenant' ? 'Its pages look like the server’s again.' : 'Its logo and links are gone.')
}

async function pathOf(client: LocalClient, of: Of, reference: string): Promise<string> {
  if (of === 'app') return `/applications/${segmentOf(reference)}/brand`
  return `/tenants/${await requireTenant(managementCalls(client), reference)}/brand`
}

function print(terminal: Terminal, { output = 'table' }: BrandOptions, brand: Brand): void {
  const picture = (logo: Brand['logo']) => (logo === null ? '–' : `${logo.width} × ${logo.height}, ${logo.path}`)
  const said = (text: string) => (text === '' ? '–' : text)
  const links = [
    { label: 'terms', value: said(brand.terms) },
    { label: 'privacy', value: said(brand.privacy) },
  ]
  const lines =
    'tenantId' in brand
      ? [
          { label: 'name', value: brand.shownName },
          { label: 'accent', value: said(brand.accent) },
          { label: 'on dark pages', value: said(brand.accentDark) },
          { label: 'logo', value: picture(brand.logo) },
          { label: 'on dark pages', value: picture(brand.logoDark) },
          ...links,
          { label: 'support', value: said(brand.support) },
        ]
      : [{ label: 'logo', value: picture(brand.logo) }, { label: 'home', value: said(brand.home) }, ...links]
  printRecord(terminal, output, brand, lines)
}

// What the pages of the server look like: the same rules that tenants are held to.

import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { accentProblem, accentSentence } from '../../branding/accent.js'
import { type LinkKind, linkProblem } from '../../branding/links.js'
import { type LogoType, mostLogoBytes, readLogo } from '../../branding/logo.js'
import type { Theme } from '../../branding/palette.js'
import type { FileReader } from '../read/file-reader.js'
import type { Report } from '../report/report.js'
import type { ConfigurationFile } from '../schema/file.js'
import type { BrandSettings, LogoSettings } from './brand-settings.js'

interface Context {
  /** Where the configuration file lies. */
  folder: string
  reader: FileReader
  report: Report
}

const longestName = 60
const endings: Readonly<Record<LogoType, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' }

/** Reads `brand`. Mistakes go to the report. */
export function compileBrand({ brand }: ConfigurationFile, context: Context): BrandSettings {
  const { report } = context
  const name = brand.name.normalize('NFC').trim()
  if (name === '' || [...name].length > longestName || /[\p{C}\p{Zl}\p{Zp}]/u.test(name)) {
    report.problem(['brand', 'name'], `must be a name of at most ${longestName} characters`)
  }
  return {
    name,
    accent: accentOf(brand.accent, 'light', report),
    accentDark: accentOf(brand.accentDark, 'dark', report),
    terms: linkOf(brand.terms, 'terms', report),
    privacy: linkOf(brand.privacy, 'privacy', report),
    support: linkOf(brand.support, 'support', report),
    logo: logoOf(brand.logo, 'logo', context),
    logoDark: logoOf(brand.logoDark, 'logoDark', context),
  }
}

function accentOf(text: string | undefined, theme: Theme, report: Report): string | undefined {
  if (text === undefined) return undefined
  const problem = accentProblem(text, theme)
  const path = ['brand', theme === 'light' ? 'accent' : 'accentDark']
  if (problem !== undefined) report.problem(path, accentSentence(problem, theme, 'the colour'))
  return text.toLowerCase()
}

function linkOf(text: string | undefined, kind: LinkKind, report: Report): string | undefined {
  const problem = text === undefined ? undefined : linkProblem(text, kind)
  if (problem !== undefined) report.problem(['brand', kind], problem)
  return text
}

function logoOf(
  file: string | undefined,
  field: 'logo' | 'logoDark',
  { folder, reader, report }: Context,
): LogoSettings | undefined {
  if (file === undefined) return undefined
  const read = reader.file(resolve(folder, file.replace(/^file:/, '')), mostLogoBytes, 'base64')
  const logo = 'text' in read ? readLogo(Buffer.from(read.text, 'base64')) : { wrong: unreadable(read.wrong) }
  if ('wrong' in logo) {
    report.problem(['brand', field], logo.wrong)
    return undefined
  }
  const { type, width, height, bytes } = logo
  const digest = createHash('sha256').update('server').update(bytes).digest('hex').slice(0, 40)
  const picture = Buffer.from(bytes).toString('base64')
  return { name: `${digest}.${endings[type]}`, type, width, height, picture }
}

function unreadable(code: string): string {
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'TOO_LARGE') return `is larger than ${mostLogoBytes} bytes`
  return `cannot be read (${code})`
}

// The licences of what production needs of others: which ones may be there, and the report that goes with a release.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProductionPackage } from './production-packages.js'

/**
 * They permit use in anything, for keeping the notice. What is not here needs somebody's judgement first: a choice
 * (`A OR B`) as well, since it has to be made.
 */
const permitted: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
])
const textNames = /^(?:licen[cs]e|copying|notice)/i

/** The packages whose licence is not one of the permitted, as `name@version: licence`. */
export function refusedLicences(packages: readonly ProductionPackage[]): readonly string[] {
  return packages
    .filter(({ licence }) => licence === undefined || !permitted.has(licence))
    .map(({ name, version, licence }) => `${name}@${version}: ${licence ?? 'names no licence'}`)
}

/**
 * The report as text: each package with its version and licence, then the texts of the licences, each once. The texts
 * are read from what `root` has installed; a package that is for other machines says so.
 */
export function licenceReport(packages: readonly ProductionPackage[], root: string): string {
  const byText = new Map<string, string[]>()
  const lines = packages.map(({ name, version, licence, paths }) => {
    const title = `${name} ${version}`
    const installed = paths.find((path) => existsSync(join(root, path)))
    const texts = installed === undefined ? [] : licenceTexts(join(root, installed))
    for (const { text } of texts) byText.set(text, [...(byText.get(text) ?? []), title])
    const where = texts.length > 0 ? texts.map(({ file }) => file).join(', ') : 'the package has no text of it'
    return `${title}: ${licence ?? 'none named'} (${installed === undefined ? 'for other machines' : where})`
  })
  const texts = [...byText].map(([text, titles]) => `${'='.repeat(80)}\n${titles.join('\n')}\n\n${text}\n`)
  const head = `The packages of others in Portcullis: ${packages.length}. Below are the texts of their licences.`
  return `${head}\n\n${lines.join('\n')}\n\n${texts.join('\n')}`
}

function licenceTexts(folder: string): readonly { file: string; text: string }[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && textNames.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim() }))
}

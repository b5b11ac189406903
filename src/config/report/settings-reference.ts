// The reference of every setting, written from the schema that checks the file: so it cannot say anything else.

import { ConfigurationFile } from '../schema/file.js'
import { isReloaded } from '../schema/rules.js'

/** What of a JSON Schema is told. */
interface Described {
  type?: string
  description?: string
  default?: unknown
  errorMessage?: string
  properties?: Readonly<Record<string, Described>>
  patternProperties?: Readonly<Record<string, Described>>
  items?: Described
  anyOf?: readonly Described[]
  required?: readonly string[]
}

/** Where a guide says more, by the end of the setting. */
const guides: readonly (readonly [setting: string, link: string])[] = [
  ['.mcp.tools.<name>.rule', '[Rules for tools](mcp-servers.md#rules-for-tools)'],
  ['.mcp.pins', '[When a tool changes](mcp-servers.md#when-a-tool-changes)'],
  ['.mcp.streams', '[Limits](limits.md#what-guards-the-server-itself)'],
]

/** In Markdown: a chapter for each key at the top of the file, a row for each setting below it. */
export function settingsReference(): string {
  const sections = Object.entries((ConfigurationFile as unknown as Described).properties ?? {})
  const single = sections.filter(([, schema]) => !isGroup(schema))
  const groups = sections.filter(([, schema]) => isGroup(schema))
  return [
    'Every setting of `config/portcullis.yaml`, with its default. A name in angle brackets is one that you choose, and `[]`',
    'stands for each entry of a list. A reload is `portcullis reload`, or a change of the file itself. How to check and',
    'change a configuration: [Configuration](configuration.md).',
    '',
    '## The top of the file',
    '',
    table(single.flatMap(([key, schema]) => withinOf(schema, key))),
    ...groups.map(([key, schema]) => chapter(key, schema)),
  ].join('\n')
}

function chapter(key: string, schema: Described): string {
  return ['', `## ${key}`, '', schema.description ?? '', '', table(rowsOf(schema, key))].join('\n')
}

function isGroup({ properties, patternProperties }: Described): boolean {
  return properties !== undefined || patternProperties !== undefined
}

function table(rows: readonly (readonly [path: string, schema: Described])[]): string {
  const lines = rows.map(
    ([path, schema]) =>
      `| \`${path}\` | ${cell(schema.description ?? '')}${guideOf(path)} | ${cell(expectedOf(schema))}${defaultOf(schema)} | ${effectOf(path)} |`,
  )
  return ['| setting | what it is | value | takes effect |', '|---|---|---|---|', ...lines].join('\n')
}

function guideOf(path: string): string {
  const [, link] = guides.find(([setting]) => path.endsWith(setting)) ?? []
  return link === undefined ? '' : ` More: ${link}.`
}

function effectOf(path: string): string {
  const [section = ''] = path.split(/[.[]/)
  return isReloaded(section) ? 'at a reload' : 'at the next start'
}

/** Each setting below `path`, in its order; groups have a row only where they say something. */
function rowsOf(schema: Described, path: string): [string, Described][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => withinOf(inner, `${path}.${key}`))
  const chosen = Object.values(schema.patternProperties ?? {}).flatMap((inner) => withinOf(inner, `${path}.<name>`))
  return [...own, ...chosen]
}

function withinOf(schema: Described, path: string): [string, Described][] {
  if (isGroup(schema)) {
    const { description = '' } = schema
    return [...(description === '' ? [] : ([[path, schema]] as [string, Described][])), ...rowsOf(schema, path)]
  }
  const alternatives = [schema, ...(schema.anyOf ?? [])]
  const grouped = alternatives.filter((one) => one !== schema && isGroup(one)).flatMap((one) => rowsOf(one, path))
  const entries = alternatives.flatMap(({ items }) => (items === undefined ? [] : listRows(items, `${path}[]`)))
  return [[path, schema], ...grouped, ...entries]
}

function listRows(items: Described, path: string): [string, Described][] {
  return [items, ...(items.anyOf ?? [])].filter(isGroup).flatMap((one) => rowsOf(one, path))
}

/** What it may be, in the words of the message about mistakes. */
function expectedOf(schema: Described): string {
  if (schema.errorMessage !== undefined) return schema.errorMessage.replace(/^must be /, '')
  if (schema.patternProperties !== undefined) return 'a mapping of names'
  if (schema.properties !== undefined) return 'a group of settings'
  if (schema.items?.properties !== undefined)
    return `a list of entries with ${Object.keys(schema.items.properties).join(', ')}`
  return schema.type ?? 'see below'
}

function defaultOf(schema: Described): string {
  if (schema.default === undefined || isGroup(schema)) return ''
  if (schema.default === '') return '; empty by default'
  const text = typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default)
  return `; \`${text.replaceAll('|', '\\|')}\` by default`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<').replaceAll('*', '\\*').replaceAll('\n', ' ')
}

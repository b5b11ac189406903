// A setting is described once, in the schema: the comments of the file that is shipped say the same.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { isMap, isScalar, LineCounter, parseDocument } from 'yaml'
import { editorSchemaText } from '../../src/config/read/json-schema.js'
import { defaultConfigFile } from '../../src/config/read/package-root.js'

interface Schema {
  $ref?: string
  description?: string
  properties?: Record<string, Schema>
  anyOf?: Schema[]
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
  [key: string]: unknown
}

interface Commented {
  path: string
  description: string
  comment: string
}

const root = JSON.parse(editorSchemaText()) as Schema
/** What stands below these are examples of what operators write themselves. */
const ofOperators = ['permissions', 'limits', 'routes']

function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const steps = schema.$ref.replace(/^#\//, '').split('/')
  return resolved(steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], root) as Schema)
}

/** The schema of a member: one of a section, or any of those that operators name. */
function memberOf(schema: Schema, key: string): Schema | undefined {
  for (const branch of [schema, ...(schema.anyOf ?? [])].map(resolved)) {
    const own = branch.properties?.[key]
    if (own !== undefined) return own
    const [named] = Object.values(branch.patternProperties ?? {})
    if (named !== undefined) return named
    if (typeof branch.additionalProperties === 'object') return branch.additionalProperties
  }
  return undefined
}

/** Every key of the file that the schema describes, with its comment: the lines above it, and what is behind it. */
function commented(text: string): Commented[] {
  const lines = text.split('\n')
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter })
  const found: Commented[] = []
  const walk = (node: unknown, schema: Schema, path: readonly string[]): void => {
    if (!isMap(node)) return
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue
      const member = memberOf(schema, String(key.value))
      if (member === undefined) continue
      const at = [...path, String(key.value)]
      const description = member.description ?? resolved(member).description
      const line = counter.linePos(key.range?.[0] ?? 0).line - 1
      if (description !== undefined) found.push({ path: at.join('.'), description, comment: commentAt(lines, line) })
      if (at.length > 1 || !ofOperators.includes(at[0] ?? '')) walk(value, resolved(member), at)
    }
  }
  walk(document.contents, root, [])
  return found.filter(({ path }) => !ofOperators.some((name) => path.startsWith(`${name}.`)))
}

function commentAt(lines: readonly string[], at: number): string {
  let first = at
  while (first > 0 && /^\s*#/.test(lines[first - 1] ?? '')) first -= 1
  const above = lines.slice(first, at).map((line) => line.replace(/^\s*#/, ''))
  const behind = / # (.*)$/.exec(lines[at] ?? '')?.[1] ?? ''
  return [...above, behind].join(' ')
}

/** Without what a comment and a sentence write differently: capitals, backticks, the last full stop, line breaks. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('`', '').replaceAll('’', "'").replace(/\s+/g, ' ').trim().replace(/\.$/, '')
}

function undescribed(text: string): string[] {
  return commented(text)
    .filter(({ description, comment }) => !plain(comment).includes(plain(description)))
    .map(({ path, description }) => `${path}: ${description}`)
}

t.test('every setting of the shipped file has the description of the schema as its comment', async (t) => {
  const text = readFileSync(defaultConfigFile(), 'utf8')
  t.ok(commented(text).length > 100, `${commented(text).length} settings`)
  t.same(undescribed(text), [])
})

t.test('a setting without its description is found, and one that says something else', async (t) => {
  const text = readFileSync(defaultConfigFile(), 'utf8')
  t.match(undescribed(text.replace(' # how far clocks may differ', '')), [/^tokens\.leeway: /])
  t.match(undescribed(text.replace('# how far clocks may differ', '# how far clocks differ')), [/^tokens\.leeway: /])
})

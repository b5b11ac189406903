// Reads the YAML of the file into plain data, remembering where everything stands. Duplicate keys, tags, aliases that
// grow without end and values that are missing are mistakes here; what the settings mean is not known yet.

import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLError,
} from 'yaml'
import { isReference, type ReferenceContext, resolveReferences } from './references.js'
import type { Path, Point } from './report.js'

interface Walk extends ReferenceContext {
  point(node: unknown): Point
  resolveAlias(node: Node): Node | undefined
  nodes: number
}

// A file with aliases of aliases can describe more than memory holds.
const MAX_NODES = 200_000
const MAX_DEPTH = 24

/**
 * The data of a YAML text with references resolved, and whether its syntax was whole. After a syntax error the data is what
 * could still be understood. Every mistake goes to the report.
 */
export function readYaml(text: string, context: ReferenceContext): { data: unknown; whole: boolean } {
  const lines = new LineCounter()
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, schema: 'core', merge: false } as const
  const document = parseDocument(text, options)
  const at = (offset: number): Point => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  for (const error of document.errors) context.report.problemAt(at(error.pos[0]), syntaxMessage(error))
  for (const warning of document.warnings) context.report.problemAt(at(warning.pos[0]), syntaxMessage(warning))

  const root = document.contents
  context.report.place([], { key: { line: 1, column: 1 }, value: { line: 1, column: 1 }, literal: true })
  const walk: Walk = {
    ...context,
    point: (node) => at((node as Node | null)?.range?.[0] ?? 0),
    resolveAlias: (node) => (isAlias(node) ? node.resolve(document) : node),
    nodes: 0,
  }
  return { data: root === null ? {} : valueOf(root, [], walk), whole: document.errors.length === 0 }
}

function valueOf(written: Node, path: Path, walk: Walk): unknown {
  const node = walk.resolveAlias(written)
  walk.nodes += 1
  if (walk.nodes === MAX_NODES || path.length > MAX_DEPTH) walk.report.problem(path, 'the file is nested too deeply')
  if (node === undefined || walk.nodes >= MAX_NODES || path.length > MAX_DEPTH) return undefined
  if (isMap(node)) return mappingOf(node.items, path, walk)
  if (isSeq(node)) return node.items.map((item, index) => elementOf(item, [...path, index], walk))
  if (!isScalar(node)) return undefined
  if (node.value === null) return walk.report.problem(path, 'has no value; remove the line or give it one')
  return typeof node.value === 'string' ? resolveReferences(node.value, path, walk) : node.value
}

function elementOf(item: unknown, path: Path, walk: Walk): unknown {
  const node = item as Node
  remember(node, node, path, walk)
  return isPair(item) ? undefined : valueOf(node, path, walk)
}

function mappingOf(pairs: readonly Pair[], path: Path, walk: Walk): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  const first = new Map<string, Point>()
  for (const pair of pairs) {
    const key = keyText(pair.key)
    const point = walk.point(pair.key)
    if (key === undefined || key === '__proto__') {
      walk.report.problemAt(point, 'a key is a plain text')
      continue
    }
    const below = [...path, key]
    const earlier = first.get(key)
    if (earlier !== undefined) {
      walk.report.problemAt(
        point,
        `${JSON.stringify(key)} stands here twice; first at ${earlier.line}:${earlier.column}`,
      )
      continue
    }
    first.set(key, point)
    remember(pair.key as Node, (pair.value ?? pair.key) as Node, below, walk)
    if (pair.value === null) walk.report.problem(below, 'has no value; remove the line or give it one')
    const value = pair.value === null ? undefined : valueOf(pair.value as Node, below, walk)
    if (value !== undefined) data[key] = value
  }
  return data
}

function keyText(key: unknown): string | undefined {
  if (!isScalar(key) || key.value === null) return undefined
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

function remember(key: Node, value: Node, path: Path, walk: Walk): void {
  const node = walk.resolveAlias(value)
  const place = { key: walk.point(key), value: walk.point(value) }
  if (!isScalar(node)) return walk.report.place(path, { ...place, literal: true })
  const text = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
  walk.report.place(path, { ...place, written: text, literal: !isReference(text) })
}

// The parser's own messages can quote the text around a mistake, which may be a secret: only their codes are used.
function syntaxMessage({ code }: YAMLError): string {
  return SYNTAX[code] ?? 'this is not YAML'
}

const SYNTAX: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'this alias has no anchor before it',
  BAD_INDENT: 'the indentation does not fit the lines around it',
  BAD_SCALAR_START: 'a plain text cannot begin with this character; quote it',
  BLOCK_AS_IMPLICIT_KEY: 'a key cannot have a block of lines here',
  BLOCK_IN_FLOW: 'inside brackets, no indented block can stand',
  MISSING_CHAR: 'a closing quote, bracket, colon or comma is missing',
  MULTILINE_IMPLICIT_KEY: 'a key must fit on one line',
  MULTIPLE_DOCS: 'the file holds more than one document',
  TAB_AS_INDENT: 'lines are indented with spaces, not with tabs',
  TAG_RESOLVE_FAILED: 'tags are not known here',
  UNEXPECTED_TOKEN: 'something stands here that does not belong',
}

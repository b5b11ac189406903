// Reads the YAML of the file into plain data, remembering where everything stands. Duplicate keys, tags, aliases that
// grow without end and values that are missing are mistakes here; what the settings mean is not known yet.

import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  parseAllDocuments,
  parseDocument,
  type Scalar,
  type YAMLError,
} from 'yaml'
import type { Report } from '../report/report.js'
import type { Path, Place, Point } from './places.js'
import { isReference, type ReferenceContext, resolveReferences } from './references.js'

type YamlDocument = Document.Parsed<ParsedNode>

/** How a text becomes a part of what was read before. */
export interface Joining {
  /** Why a key may not stand here; undefined when it may. */
  refuse(path: Path): string | undefined
  /** How many elements a list has already. */
  offset(path: Path): number
}

interface Walk {
  report: Report
  joining?: Joining | undefined
  /** What a text of the file stands for; undefined after a mistake that was reported. */
  resolved(text: string, path: Path): string | undefined
  point(node: unknown): Point
  resolveAlias(node: Node): Node | undefined
  nodes: number
}

const NO_VALUE = 'has no value; remove the line or give it one'

// A file with aliases of aliases can describe more than memory holds.
const MAX_NODES = 200_000
const MAX_DEPTH = 24

const OPTIONS = { prettyErrors: false, uniqueKeys: false, schema: 'core', merge: false } as const

/**
 * The data of a YAML text with references resolved. After a mistake of syntax it is what could still be understood.
 * Every mistake goes to the report.
 */
export function readYaml(text: string, context: ReferenceContext, joining?: Joining): unknown {
  const lines = new LineCounter()
  const document = parseDocument(text, { ...OPTIONS, lineCounter: lines })
  const resolved = (written: string, path: Path) => resolveReferences(written, path, context)
  return dataOfDocument(document, [], { text, lines, report: context.report, resolved, joining })
}

/**
 * The data of each document of a YAML or JSON text, taken as it stands: nothing is looked up in the environment or in
 * other files. In a text of several documents, the first part of every path is the number of the document. Every
 * mistake goes to the report.
 */
export function readDocuments(text: string, report: Report): { path: Path; data: unknown }[] {
  const lines = new LineCounter()
  const parsed = parseAllDocuments(text, { ...OPTIONS, lineCounter: lines })
  const documents = Array.isArray(parsed) ? parsed.filter(saysSomething) : []
  const resolved = (written: string, path: Path) => {
    if (written.includes('${')) report.problem(path, 'no references are resolved in this file: write the value itself')
    return written
  }
  return documents.map((document, index) => {
    const path = documents.length === 1 ? [] : [index]
    return { path, data: dataOfDocument(document, path, { text, lines, report, resolved }) }
  })
}

function saysSomething({ contents, errors }: YamlDocument): boolean {
  return errors.length > 0 || (contents !== null && !(isScalar(contents) && contents.value === null))
}

interface YamlContext extends Pick<Walk, 'report' | 'resolved' | 'joining'> {
  text: string
  lines: LineCounter
}

function dataOfDocument(document: YamlDocument, path: Path, reading: YamlContext): unknown {
  const { text, lines, report, resolved, joining } = reading
  const at = (offset: number): Point => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  for (const { point, message } of syntaxMistakes([...document.errors, ...document.warnings], text, at)) {
    report.problemAt(point, message)
  }
  const root = document.contents
  const point = (node: unknown) => at((node as Node | null)?.range?.[0] ?? 0)
  const top = path.length === 0 ? { line: 1, column: 1 } : point(root)
  report.places.put(path, { key: top, value: top, written: undefined, kind: 'mapping', literal: true })
  if (document.errors.length > 0) report.swallowed()
  const resolveAlias = (node: Node) => (isAlias(node) ? node.resolve(document) : node)
  return root === null ? {} : dataOf(root, path, { report, resolved, joining, point, resolveAlias, nodes: 0 })
}

function dataOf(written: Node, path: Path, walk: Walk): unknown {
  const node = walk.resolveAlias(written)
  walk.nodes += 1
  if (walk.nodes === MAX_NODES || path.length > MAX_DEPTH)
    walk.report.problem(path, 'is nested too deeply, or grows too large through aliases')
  if (node === undefined) walk.report.problem(path, 'this alias has no anchor before it')
  if (node === undefined || walk.nodes >= MAX_NODES || path.length > MAX_DEPTH) return undefined
  if (isMap(node)) return mappingOf(node.items, path, walk)
  if (isSeq(node)) {
    const offset = walk.joining?.offset(path) ?? 0
    return node.items.map((item, index) => elementOf(item, [...path, offset + index], walk))
  }
  if (!isScalar(node)) return undefined
  if (node.value === null) return walk.report.missing(path, NO_VALUE)
  if (typeof node.value !== 'string') return node.value
  // What is left of a reference that should have been quoted.
  if (!walk.report.isWhole() && node.value.endsWith('$')) return undefined
  return walk.resolved(node.value, path)
}

function elementOf(item: unknown, path: Path, walk: Walk): unknown {
  const node = item as Node
  remember(node, node, path, walk)
  return isPair(item) ? undefined : dataOf(node, path, walk)
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
      walk.report.problemAt(point, `stands here twice; first at ${earlier.line}:${earlier.column}`, below)
      continue
    }
    first.set(key, point)
    const refusal = walk.joining?.refuse(below)
    if (refusal !== undefined) {
      walk.report.problemAt(point, refusal, below)
      continue
    }
    remember(pair.key as Node, (pair.value ?? pair.key) as Node, below, walk)
    if (pair.value === null) walk.report.missing(below, NO_VALUE)
    const value = pair.value === null ? undefined : dataOf(pair.value as Node, below, walk)
    if (value !== undefined) data[key] = value
  }
  return data
}

function keyText(key: unknown): string | undefined {
  if (!isScalar(key) || key.value === null) return undefined
  return scalarText(key)
}

function scalarText({ value, source }: Scalar): string {
  return typeof value === 'string' ? value : (source ?? String(value))
}

function remember(key: Node, value: Node, path: Path, walk: Walk): void {
  walk.report.places.put(path, { key: walk.point(key), value: walk.point(value), ...writtenAt(value) })
}

function writtenAt(node: Node): Pick<Place, 'written' | 'kind' | 'literal'> {
  if (isAlias(node)) return { written: `*${node.source}`, kind: 'scalar', literal: false }
  if (!isScalar(node)) return { written: undefined, kind: isSeq(node) ? 'list' : 'mapping', literal: true }
  const written = scalarText(node)
  return { written, kind: 'scalar', literal: !isReference(written) }
}

// The parser's own messages can quote the text around a mistake, which may be a secret: only their codes are used. The
// braces of an unquoted reference within braces upset the rest of the line too; that is one mistake.
function syntaxMistakes(errors: readonly YAMLError[], text: string, at: (offset: number) => Point) {
  const upset = new Set<number>()
  return errors.flatMap(({ code, pos: [offset] }) => {
    const point = at(offset)
    if (upset.has(point.line)) return []
    const isReference = text.slice(offset - 1, offset + 1) === '${'
    if (isReference) upset.add(point.line)
    return [{ point, message: isReference ? UNQUOTED : (SYNTAX[code] ?? 'this is not YAML') }]
  })
}

const UNQUOTED = `inside {…} and […], a reference is quoted: "\${NAME}"`

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

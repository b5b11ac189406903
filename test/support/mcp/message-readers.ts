// Five readers of one request to an MCP server, each with a habit that some server has: the last of two members, the
// first, names folded as Go's decoder folds them, batches and streams of documents, or the header fields.

import type { Recorded } from '../rooms/http-gate.js'

/** An object keeps its members as they stand, twice where they stand twice. */
type Tree = { members: readonly (readonly [string, Tree])[] } | { items: readonly Tree[] } | { value: unknown }

/** What a server would carry out: the method and what it is about. */
export type Reading = string

type Choose = (members: readonly (readonly [string, Tree])[], name: string) => Tree | undefined

const last: Choose = (members, name) => members.findLast(([key]) => key === name)?.[1]
const first: Choose = (members, name) => members.find(([key]) => key === name)?.[1]
/** Go: without case, by Unicode's simple folding, the last wins; and a reader of C strings behind it. */
const folding: Choose = (members, name) => members.findLast(([key]) => simplyFolded(key) === name)?.[1]

/** What each of the five reads; several where a reader finds several. */
export function readings({ body, headers }: Pick<Recorded, 'body' | 'headers'>): Record<string, readonly Reading[]> {
  const documents = documentsOf(body)
  const whole = documents[0] ?? { value: undefined }
  const all = documents.flatMap((tree) => ('items' in tree ? tree.items : [tree]))
  const byBody = read(whole, last)
  return {
    last: [byBody],
    first: [read(whole, first)],
    folding: [read(whole, folding)],
    batch: all.map((tree) => read(tree, last)),
    fields: [byFields(headers, byBody)],
  }
}

function read(tree: Tree, pick: Choose): Reading {
  if (!('members' in tree)) return 'no message'
  const method = textOf(pick(tree.members, 'method'))
  const params = pick(tree.members, 'params')
  const within = (name: string) =>
    params !== undefined && 'members' in params ? pick(params.members, name) : undefined
  const reference = within('ref')
  const ofReference = (name: string) =>
    reference !== undefined && 'members' in reference ? textOf(pick(reference.members, name)) : undefined
  const abouts: Record<string, () => string | undefined> = {
    'tools/call': () => textOf(within('name')),
    'prompts/get': () => textOf(within('name')),
    'resources/read': () => textOf(within('uri')),
    'resources/subscribe': () => textOf(within('uri')),
    'completion/complete': () => ofReference('uri') ?? ofReference('name'),
  }
  const about = abouts[method ?? '']?.()
  return about === undefined ? String(method) : `${method} ${about}`
}

/** A server that routes by `Mcp-Method` and `Mcp-Name`, where it has them. */
function byFields(headers: Recorded['headers'], byBody: Reading): Reading {
  const method = headers['mcp-method']
  if (method === undefined) return byBody
  const name = headers['mcp-name']
  if (name === undefined) return byBody.startsWith(`${method} `) || byBody === method ? byBody : String(method)
  const encoded = /^=\?base64\?(.*)\?=$/.exec(String(name))?.[1]
  return `${method} ${encoded === undefined ? name : Buffer.from(encoded, 'base64').toString()}`
}

function textOf(tree: Tree | undefined): string | undefined {
  return tree !== undefined && 'value' in tree && typeof tree.value === 'string' ? tree.value : undefined
}

function simplyFolded(name: string): string {
  const upTo = name.indexOf('\0')
  const text = upTo === -1 ? name : name.slice(0, upTo)
  return text.replaceAll('ſ', 's').replaceAll('\u212A', 'k').toLowerCase()
}

/** All documents of a text, one behind the other; nothing is refused that some reader takes. */
function documentsOf(text: string): Tree[] {
  let at = 0
  const blanks = () => {
    while (/[\s\uFEFF,]/.test(text[at] ?? '')) at += 1
  }
  const scalar = (): unknown => {
    const found = /^(?:"(?:[^"\\]|\\.)*"|[^\s,\]}]+)/su.exec(text.slice(at))?.[0]
    if (found === undefined) throw new Error(`no JSON at ${at} of ${text}`)
    at += found.length
    return JSON.parse(found)
  }
  const list = <T>(end: string, item: () => T): T[] => {
    const items: T[] = []
    for (at += 1, blanks(); text[at] !== end; blanks()) items.push(item())
    at += 1
    return items
  }
  const tree = (): Tree => {
    blanks()
    if (text[at] === '[') return { items: list(']', tree) }
    if (text[at] !== '{') return { value: scalar() }
    return {
      members: list('}', () => {
        const name = String(scalar())
        blanks()
        at += 1
        return [name, tree()] as const
      }),
    }
  }
  const documents: Tree[] = []
  for (blanks(); at < text.length; blanks()) documents.push(tree())
  return documents
}

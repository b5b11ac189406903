// What a running MCP server becomes here: a permission for reading and, where its tools say that they do more, one for
// changing and one for destroying; each tool, prompt and resource under one of them. A proposal, for a person to read: a
// server says of itself what it likes. Pure.

import { reservedPathWithin } from '../../config/routes/reserved-paths.js'
import { parseRouteKey } from '../../config/routes/route-key.js'
import { isName } from '../../mcp/message.js'
import { resourceProblem } from '../../mcp/resource-uris.js'
import { eraOf, type McpVersion, mcpVersions, unsaidVersion } from '../../mcp/versions.js'
import type { McpServer, McpTool } from '../../mcp-client/server.js'

/** By how much a tool may do; each is a permission. */
export type Weight = 'read' | 'write' | 'destroy'

export interface ProposalOptions {
  /** The name of resource and upstream here. */
  name: string
  /** Of the route. */
  path: string
  /** An https origin. */
  baseUrl: string
  /** Where the server is. */
  url: URL
  /** Absolute path of the authorities to trust there. */
  ca: string | undefined
}

export interface McpProposal extends Omit<ProposalOptions, 'url' | 'baseUrl'> {
  /** The identifier of the resource: exactly what people give to their agents. */
  resource: string
  /** What people call it. */
  title: string
  /** Origin of the server, and its path where that is another one than the route's. */
  target: string
  rewrite: { from: string; to: string } | undefined
  /** Undefined: all that a route serves by itself. */
  versions: readonly McpVersion[] | undefined
  tools: Readonly<Record<Weight, readonly string[]>>
  prompts: readonly string[]
  resources: readonly string[]
  notes: readonly string[]
}

/** The proposal, or what is wrong with an option. */
export function proposeMcp(server: McpServer, options: ProposalOptions): McpProposal | string {
  const { name, path, baseUrl, url, ca } = options
  const serverPath = url.pathname.replace(/(?<=[^/])\/+$/, '')
  const wrong = pathProblem(path) ?? serverPathProblem(serverPath)
  if (wrong !== undefined) return wrong
  const notes: string[] = []
  if (serverPath !== url.pathname) notes.push('the server is called without the slash at the end of its path')
  const names = (kind: string, all: readonly string[]) =>
    distinct(kind, all, notes).filter((one) => isNameable(kind, one, notes))
  const tools = new Set(
    names(
      'tool',
      server.tools.map((tool) => tool.name),
    ),
  )
  const byWeight = (weight: Weight) =>
    server.tools.filter((tool) => weightOf(tool) === weight && tools.delete(tool.name)).map((tool) => tool.name)
  const contradicting = server.tools.filter(({ readOnly, destructive }) => readOnly === true && destructive === true)
  if (contradicting.length > 0) {
    notes.push(`${listed(contradicting)} both only read and destroy, by what they say: taken for the latter`)
  }
  return {
    name,
    path,
    ca,
    resource: baseUrl + path,
    title: server.title === '' ? name : server.title,
    target: url.origin,
    rewrite: serverPath === path ? undefined : { from: path, to: serverPath },
    versions: versionsOf(server),
    tools: { read: byWeight('read'), write: byWeight('write'), destroy: byWeight('destroy') },
    prompts: names('prompt', server.prompts),
    resources: names('resource', [...server.templates, ...server.resources]).filter((uri) => isUri(uri, notes)),
    notes,
  }
}

/** Without annotations a tool counts as one that may destroy (MCP 2026-07-28, schema, ToolAnnotations). */
export function weightOf({ readOnly, destructive }: McpTool): Weight {
  if (readOnly === true && destructive !== true) return 'read'
  return destructive === false ? 'write' : 'destroy'
}

/** A name for the things of a server, from what it calls itself. */
export function nameFrom(title: string, { hostname }: URL): string {
  const [name = ''] = [title, hostname.split('.')[0] ?? '']
    .map((text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-'))
    .map((text) =>
      text
        .replace(/^[^a-z]+|(?<!-)-+$/g, '')
        .slice(0, 32)
        .replace(/(?<!-)-+$/, ''),
    )
    .filter((text) => text !== '' && text !== 'localhost')
  return name === '' ? 'mcp' : name
}

function pathProblem(path: string): string | undefined {
  const parsed = parseRouteKey(path)
  if ('wrong' in parsed) return `--path: ${parsed.wrong}`
  if (path === '/' || /[{*]/.test(path)) return '--path is a plain path, such as /desk/mcp'
  const reserved = reservedPathWithin(path)
  return reserved === undefined ? undefined : `--path could reach ${reserved}, which is Portcullis's own`
}

function serverPathProblem(path: string): string | undefined {
  const parsed = parseRouteKey(path)
  return 'wrong' in parsed ? `the path of the server cannot stand in a route: ${parsed.wrong}` : undefined
}

function versionsOf({ versions }: McpServer): readonly McpVersion[] | undefined {
  const usual = mcpVersions.filter((version) => version !== unsaidVersion)
  const served = usual.filter((version) => versions.includes(version))
  if (served.length === usual.length) return undefined
  // Only where nothing newer is served: in it clients say nothing of the revision.
  return served.length > 0 ? served : versions.filter((version) => eraOf(version) === 'legacy')
}

/** A name that comes twice is one. */
function distinct(kind: string, all: readonly string[], notes: string[]): string[] {
  const once = [...new Set(all)]
  if (once.length < all.length) notes.push(`the server names a ${kind} twice`)
  return once
}

/** As the schema of the configuration, and its reader, have it. */
function isNameable(kind: string, name: string, notes: string[]): boolean {
  if (isName(name) && name !== '__proto__') return true
  notes.push(`a ${kind} was left out, because the file cannot name it: ${JSON.stringify(name.slice(0, 64))}`)
  return false
}

function isUri(uri: string, notes: string[]): boolean {
  const problem = resourceProblem(uri)
  if (problem !== undefined) notes.push(`the resource ${JSON.stringify(uri.slice(0, 128))} was left out: ${problem}`)
  return problem === undefined
}

function listed(tools: readonly McpTool[]): string {
  const names = tools.slice(0, 5).map(({ name }) => JSON.stringify(name.slice(0, 64)))
  return tools.length > names.length ? `${names.join(', ')} and ${tools.length - names.length} more` : names.join(', ')
}

// What a running MCP server has, as a client of either era finds it: by server/discover in 2026-07-28, else by a session
// that begins with `initialize` and is ended again (MCP 2026-07-28, versioning, backward compatibility). Lists are read
// page by page; how many there may be is bounded.

import { rpcCodes } from '../mcp/json-rpc.js'
import { eraOf, type McpVersion, mcpVersions } from '../mcp/versions.js'
import { endSession, isObject, type McpAnswer, type McpPlace, sendMessage } from './exchange.js'
import { McpFailure, quoted } from './failure.js'

/** What a tool says of itself. It is a hint: nothing is decided by it. */
export interface McpTool {
  name: string
  /** Absent: it does not say. */
  readOnly?: boolean
  destructive?: boolean
}

export interface McpServer {
  /** What it calls itself; empty when it does not say. */
  title: string
  /** The revision that it was read by. */
  version: McpVersion
  /** Those that it says it serves, newest first. */
  versions: readonly McpVersion[]
  tools: readonly McpTool[]
  prompts: readonly string[]
  /** URIs, and templates of URIs. */
  resources: readonly string[]
  templates: readonly string[]
}

/** How one server is spoken to, once its era is known. */
interface Connection {
  place: McpPlace
  version: McpVersion
  versions: readonly McpVersion[]
  client: string
  /** Of its first answer. */
  about: Record<string, unknown>
  fields: readonly [string, string][]
}

const [modern] = mcpVersions
const meta = 'io.modelcontextprotocol'
const mostPages = 100
const mostItems = 2_000

/**
 * Reads it. `client` is the version of the program, which servers are told. Throws McpFailure with what is wrong:
 * no server there, none of MCP, or one that wants to know who asks.
 */
export async function readServer(place: McpPlace, client: string): Promise<McpServer> {
  const connection = (await discovered(place, client)) ?? (await initialized(place, client))
  try {
    const { about, version, versions } = connection
    const offers = isObject(about['capabilities']) ? about['capabilities'] : {}
    const list = async (offer: string, method: string, key: string) =>
      isObject(offers[offer]) ? await listed(connection, method, key) : []
    const [tools, prompts] = [
      await list('tools', 'tools/list', 'tools'),
      await list('prompts', 'prompts/list', 'prompts'),
    ]
    const resources = await list('resources', 'resources/list', 'resources')
    const templates = await list('resources', 'resources/templates/list', 'resourceTemplates')
    return {
      title: titleOf(about),
      version,
      versions,
      tools: tools.flatMap(toolOf),
      prompts: textsOf(prompts, 'name'),
      resources: textsOf(resources, 'uri'),
      templates: textsOf(templates, 'uriTemplate'),
    }
  } finally {
    if (eraOf(connection.version) === 'legacy') await endSession(place, connection.fields)
  }
}

/** The items of its list of tools, as they come; none where it has no tools. Throws as readServer. */
export async function readToolItems(place: McpPlace, client: string): Promise<unknown[]> {
  const connection = (await discovered(place, client)) ?? (await initialized(place, client))
  try {
    const { capabilities } = connection.about
    return isObject(capabilities) && isObject(capabilities['tools'])
      ? await listed(connection, 'tools/list', 'tools')
      : []
  } finally {
    if (eraOf(connection.version) === 'legacy') await endSession(place, connection.fields)
  }
}

/** Undefined: nothing that the server answers is of a modern one. */
async function discovered(place: McpPlace, client: string): Promise<Connection | undefined> {
  const connection: Connection = { place, version: modern, versions: [modern], client, about: {}, fields: [] }
  const answer = await ask(connection, 'server/discover', {})
  requireAdmission(place, answer)
  const { result, error } = answer.message ?? {}
  if (isObject(result) && Array.isArray(result['supportedVersions'])) {
    const versions = knownVersions(result['supportedVersions'])
    if (versions.includes(modern)) return { ...connection, about: result, versions }
    return versions.length > 0 ? undefined : refuseVersions(place, result['supportedVersions'])
  }
  if (error?.code === rpcCodes.unsupportedVersion && isObject(error.data)) {
    const { supported } = error.data
    const versions = knownVersions(supported)
    if (versions.length === 0) refuseVersions(place, supported)
  } else if (error?.code === rpcCodes.headerMismatch) {
    const why = quoted(String(error.message ?? ''))
    throw new McpFailure('failed', `${place.url.href} refused the header fields of MCP: ${why}`)
  }
  return undefined
}

async function initialized(place: McpPlace, client: string): Promise<Connection> {
  const versions = mcpVersions.filter((version) => eraOf(version) === 'legacy')
  const [newest = '2025-11-25'] = versions
  const clientInfo = { name: 'portcullis', version: client }
  const params = { protocolVersion: newest, capabilities: {}, clientInfo }
  const answer = await sendMessage(place, { id: 1, method: 'initialize', params }, [])
  requireAdmission(place, answer)
  const { result } = answer.message ?? {}
  if (!isObject(result) || typeof result['protocolVersion'] !== 'string') throw noServer(place, answer)
  const version = versions.find((one) => one === result['protocolVersion'])
  if (version === undefined) return refuseVersions(place, [result['protocolVersion']])
  const id = answer.fields['mcp-session-id']
  const fields: [string, string][] = [
    ['mcp-protocol-version', version],
    ...(typeof id === 'string' ? [['mcp-session-id', id] as [string, string]] : []),
  ]
  await sendMessage(place, { method: 'notifications/initialized' }, fields)
  // Which further ones it serves it does not say; clients of older ones are answered with theirs.
  const older = versions.filter((one) => one <= version)
  return { place, version, versions: older, client, about: result, fields }
}

async function ask(connection: Connection, method: string, params: Record<string, unknown>): Promise<McpAnswer> {
  const { place, version, client, fields } = connection
  if (eraOf(version) === 'legacy') return sendMessage(place, { id: 2, method, params }, fields)
  const _meta = {
    [`${meta}/protocolVersion`]: version,
    [`${meta}/clientInfo`]: { name: 'portcullis', version: client },
    [`${meta}/clientCapabilities`]: {},
  }
  const repeated: [string, string][] = [
    ['mcp-protocol-version', version],
    ['mcp-method', method],
  ]
  return sendMessage(place, { id: 2, method, params: { ...params, _meta } }, repeated)
}

/** All pages. A list that the server does not have is empty. */
async function listed(connection: Connection, method: string, key: string): Promise<unknown[]> {
  const { place } = connection
  const items: unknown[] = []
  const seen = new Set<string>()
  for (let cursor: string | undefined, page = 0; page < mostPages; page += 1) {
    const answer = await ask(connection, method, cursor === undefined ? {} : { cursor })
    const { result, error } = answer.message ?? {}
    if (error?.code === rpcCodes.methodNotFound) return items
    const found = isObject(result) ? result[key] : undefined
    if (!isObject(result) || !Array.isArray(found)) throw noServer(place, answer, method)
    items.push(...found)
    if (items.length > mostItems) break
    const next = result['nextCursor']
    if (typeof next !== 'string') return items
    // A server that goes in circles would never be done with.
    if (seen.has(next)) break
    seen.add(next)
    cursor = next
  }
  const message = `${method} of ${place.url.href} does not end: more than ${mostItems} items, ${mostPages} pages, or a page twice`
  throw new McpFailure('failed', message)
}

function requireAdmission(place: McpPlace, { status, fields, message: answer }: McpAnswer): void {
  // What a gateway like this one says to plain HTTP, with a token and without.
  if (status === 403 && answer?.error?.code === 'HttpsRequired') {
    const said = quoted(String(answer.error.message ?? ''))
    const isPlain = place.url.protocol === 'http:'
    const why = isPlain
      ? said
      : 'a proxy before the gateway does not say that the request came by https (X-Forwarded-Proto)'
    throw new McpFailure('failed', `${place.url.href} is not served over plain HTTP: ${why}`)
  }
  if (status === 401 || status === 403) {
    const message = `${place.url.href} wants to know who asks (${status})`
    throw new McpFailure('denied', message)
  }
  if (status < 300 || status >= 400) return
  const to = quoted(String(fields.location ?? ''))
  throw new McpFailure('failed', `${place.url.href} leads elsewhere (${status}), and nothing is followed: ${to}`)
}

function noServer(place: McpPlace, { status, message }: McpAnswer, method = 'initialize'): McpFailure {
  const said = message?.error?.message
  const why = said === undefined ? '' : `: ${quoted(String(said))}`
  const text = `${place.url.href} did not answer ${method} as an MCP server does (${status})${why}`
  if (status >= 500) return new McpFailure('unreachable', text)
  return new McpFailure(message === undefined && method === 'initialize' ? 'foreign' : 'failed', text)
}

function refuseVersions(place: McpPlace, said: unknown): never {
  const theirs = quoted((Array.isArray(said) ? said : []).slice(0, 10).map(String).join(', '))
  const message = `${place.url.href} serves the revisions ${theirs || 'none'}; carried are ${mcpVersions.join(', ')}`
  throw new McpFailure('failed', message)
}

function knownVersions(said: unknown): readonly McpVersion[] {
  return Array.isArray(said) ? mcpVersions.filter((version) => said.includes(version)) : []
}

/** In 2026-07-28 it stands in `_meta`, before that beside the capabilities. */
function titleOf(about: Record<string, unknown>): string {
  const inMeta = isObject(about['_meta']) ? about['_meta'][`${meta}/serverInfo`] : undefined
  const info = [inMeta, about['serverInfo']].find(isObject) ?? {}
  const said = [info['title'], info['name']].find((one) => typeof one === 'string' && one.trim() !== '')
  return typeof said === 'string' ? said.trim().slice(0, 100) : ''
}

function toolOf(item: unknown): McpTool[] {
  if (!isObject(item) || typeof item['name'] !== 'string') return []
  const hints = isObject(item['annotations']) ? item['annotations'] : {}
  const { readOnlyHint: readOnly, destructiveHint: destructive } = hints
  return [
    {
      name: item['name'],
      ...(typeof readOnly === 'boolean' ? { readOnly } : {}),
      ...(typeof destructive === 'boolean' ? { destructive } : {}),
    },
  ]
}

function textsOf(items: readonly unknown[], key: string): string[] {
  return items.flatMap((item) => (isObject(item) && typeof item[key] === 'string' ? [item[key]] : []))
}

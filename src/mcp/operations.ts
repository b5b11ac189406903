// What a message asks for, as far as permissions tell it apart: a tool, a prompt, a resource, a list, or what every
// session needs. What is not named here is nothing that a caller may do.

import type { CallParams, McpMessage, Params } from './message.js'
import { isName } from './message.js'
import type { Era } from './versions.js'

export const mcpLists = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const
export type McpList = (typeof mcpLists)[number]

export type McpOperation =
  /** Open to all who may connect. */
  | { kind: 'session' }
  /** The same, with an answer that shows what the caller may have. */
  | { kind: 'list'; list: McpList }
  | { kind: 'tool'; name: string }
  | { kind: 'prompt'; name: string }
  /** All of the URIs. `isTemplate`: the text of a template, for a completion of its values. */
  | { kind: 'resources'; uris: readonly string[]; isTemplate: boolean }

/**
 * `method`: no such method is carried. `params`: what it is about is not said, or not as it has to be. `answer`: an
 * answer, where servers ask nothing.
 */
export type NoOperation = 'method' | 'params' | 'answer'

const mostUris = 100

const requests = new Map<string, (params: CallParams, era: Era) => McpOperation | NoOperation>([
  ['initialize', ofSession('legacy')],
  ['ping', ofSession('legacy')],
  ['logging/setLevel', ofSession('legacy')],
  ['server/discover', ofSession('modern')],
  ['tools/list', () => ({ kind: 'list', list: 'tools' })],
  ['prompts/list', () => ({ kind: 'list', list: 'prompts' })],
  ['resources/list', () => ({ kind: 'list', list: 'resources' })],
  ['resources/templates/list', () => ({ kind: 'list', list: 'resourceTemplates' })],
  ['resources/read', oneResource],
  ['resources/subscribe', (params, era) => (era === 'legacy' ? oneResource(params) : 'method')],
  ['resources/unsubscribe', (params, era) => (era === 'legacy' ? oneResource(params) : 'method')],
  ['completion/complete', referred],
  ['subscriptions/listen', (params, era) => (era === 'modern' ? listened(params) : 'method')],
])

/** Notifications that a client sends. Any other, above all a call without an id, is carried out by some servers. */
const notifications = new Set([
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
])

/** What it asks for (MCP 2026-07-28 and 2025-11-25, server features). */
export function operationOf(message: McpMessage, era: Era): McpOperation | NoOperation {
  if (message.kind === 'answer') return era === 'legacy' ? { kind: 'session' } : 'answer'
  if (message.kind === 'notification') return notifications.has(message.method) ? { kind: 'session' } : 'method'
  const { method, named: name } = message
  if (method === 'tools/call') return name === undefined ? 'params' : { kind: 'tool', name }
  if (method === 'prompts/get') return name === undefined ? 'params' : { kind: 'prompt', name }
  return requests.get(method)?.(message.params, era) ?? 'method'
}

function ofSession(only: Era) {
  return (_: CallParams, era: Era): McpOperation | NoOperation => (era === only ? { kind: 'session' } : 'method')
}

function oneResource({ uri }: CallParams): McpOperation | NoOperation {
  return uri === undefined ? 'params' : { kind: 'resources', uris: [uri], isTemplate: false }
}

/** Values that are proposed tell of what the prompt or resource guards. */
function referred({ ref }: Params): McpOperation | NoOperation {
  const { type, name, uri } = (ref ?? {}) as Params
  if (type === 'ref/prompt' && isName(name) && uri === undefined) return { kind: 'prompt', name }
  if (type === 'ref/resource' && isName(uri) && name === undefined)
    return { kind: 'resources', uris: [uri], isTemplate: true }
  return 'params'
}

function listened({ notifications: wanted = {} }: Params): McpOperation | NoOperation {
  const { resourceSubscriptions: uris = [] } = wanted as Params
  if (!Array.isArray(uris) || uris.length > mostUris || !uris.every(isName)) return 'params'
  return uris.length === 0 ? { kind: 'session' } : { kind: 'resources', uris, isTemplate: false }
}

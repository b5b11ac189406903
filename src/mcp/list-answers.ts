// An answer to a list, without the items that its reader is not to see. Nothing else changes: no order, no cursor (an
// empty page with one is fine), no member that is not known here. What depends on the reader is for the reader alone
// (MCP 2026-07-28, caching).

import type { RpcId } from './json-rpc.js'
import type { McpList } from './operations.js'
import type { Era } from './versions.js'

export interface ShownList {
  list: McpList
  /** Of the request: other messages in the same answer are not touched. */
  id: RpcId
  era: Era
  /** By the name, URI or template of an item. */
  shows(name: string): boolean
  /** Hears how many were not. */
  hid?(items: number): void
}

const keys: Readonly<Record<McpList, 'name' | 'uri' | 'uriTemplate'>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
}

/** The text of the answer as it is shown; the same text where nothing of it changes. Throws SyntaxError. */
export function shownAnswer(text: string, shown: ShownList): string {
  const message: unknown = JSON.parse(text)
  if (!isObject(message) || message['id'] !== shown.id || !isObject(message['result'])) return text
  const { result } = message
  const items = result[shown.list]
  if (!Array.isArray(items)) return text
  const key = keys[shown.list]
  const kept = items.filter((item) => isObject(item) && typeof item[key] === 'string' && shown.shows(item[key]))
  if (kept.length < items.length) shown.hid?.(items.length - kept.length)
  const isForAll = shown.era === 'modern' && result['cacheScope'] !== 'private'
  if (kept.length === items.length && !isForAll) return text
  const scope = shown.era === 'modern' ? { cacheScope: 'private' } : {}
  return JSON.stringify({ ...message, result: { ...result, [shown.list]: kept, ...scope } })
}

/** The same of a message that answers nobody knows which request of a session: every list in it is shown by its view. */
export function shownReplay(text: string, views: readonly Omit<ShownList, 'id' | 'era'>[]): string {
  const message: unknown = JSON.parse(text)
  if (!isObject(message) || !isObject(message['result'])) return text
  const { id, result } = message
  if (typeof id !== 'string' && typeof id !== 'number') return text
  const lists = views.filter(({ list }) => list in result)
  return lists.reduce((shown, view) => shownAnswer(shown, { ...view, id, era: 'legacy' }), text)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

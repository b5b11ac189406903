// An answer to a list, without the items that its reader is not to see. Nothing else changes: no order, no cursor (an
// empty page with one is fine), no member that is not known here. What depends on the reader is for the reader alone
// (MCP 2026-07-28, caching).

import type { RpcId } from './json-rpc.js'
import type { McpList } from './operations.js'
import type { Era } from './versions.js'

/** What a reader sees of a list. */
export interface ListView {
  list: McpList
  /** By the name, URI or template of an item, and the item. */
  shows(name: string, item: unknown): boolean
  /** Hears of all items before any is shown. */
  read?(items: readonly unknown[]): void
  /** It is the same for all readers, so it may be kept for all. */
  isForAll?: boolean
  /** It is written anew also where nothing of it changes. */
  isWrittenAnew?: boolean
  /** Hears how many were not. */
  hid?(items: number): void
}

export interface ShownList extends ListView {
  /** Of the request: other messages in the same answer are not touched. */
  id: RpcId
  era: Era
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
  shown.read?.(items)
  const isShown = (item: unknown) => isObject(item) && typeof item[key] === 'string' && shown.shows(item[key], item)
  const kept = items.filter(isShown)
  if (kept.length < items.length) shown.hid?.(items.length - kept.length)
  const isPrivate = shown.era === 'modern' && shown.isForAll !== true
  const isForAll = isPrivate && result['cacheScope'] !== 'private'
  if (kept.length === items.length && !isForAll && shown.isWrittenAnew !== true) return text
  const scope = isPrivate ? { cacheScope: 'private' } : {}
  return JSON.stringify({ ...message, result: { ...result, [shown.list]: kept, ...scope } })
}

/** The same of a message that answers nobody knows which request of a session: every list in it is shown by its view. */
export function shownReplay(text: string, views: readonly ListView[]): string {
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

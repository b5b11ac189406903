// An answer to a list, without the items that its reader is not to see. Nothing else changes: no order, no cursor (an
// empty page with one is fine), no member that is not known here. What depends on the reader is for the reader alone
// (MCP 2026-07-28, caching).

import { hasLookAlike, knownNames } from './member-names.js'
import { type McpList, mcpLists } from './operations.js'
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
  /** A list is written anew also where nothing of it changes. */
  isWrittenAnew?: boolean
  /** Hears how many were not. */
  hid?(items: number): void
}

export interface ShownList extends ListView {
  era: Era
}

const keys: Readonly<Record<McpList, 'name' | 'uri' | 'uriTemplate'>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
}

/** What is read of a message, and of its result, by names that others fold to (member-names.ts). */
const known = {
  message: knownNames('jsonrpc', 'id', 'method', 'params', 'result', 'error'),
  result: knownNames(...mcpLists),
}

/**
 * The text of an answer to a list as it is shown; the same text where nothing of it changes. Whatever ids the server
 * gives: `"1"` is 1 to some clients, and the answer to another request may come with it. Throws SyntaxError; RangeError
 * for what others read as another list.
 */
export function shownAnswer(text: string, shown: ShownList): string {
  const value: unknown = JSON.parse(text)
  const becomes = eachMessage(value, (message) => shownMessage(message, shown))
  return becomes === value && shown.isWrittenAnew !== true ? text : JSON.stringify(becomes)
}

/**
 * The same of a message that answers nobody knows which request of a session: every list in it is shown by its view.
 * `isOneReading`: whether all read the same in the text; else what was read here is what goes on.
 */
export function shownReplay(
  text: string,
  views: readonly ListView[],
  isOneReading: (text: string) => boolean = () => true,
): string {
  const value: unknown = JSON.parse(text)
  let isWrittenAnew = views.some((view) => view.isWrittenAnew === true) && !isOneReading(text)
  const becomes = eachMessage(value, (message) =>
    views.reduce((before, view) => {
      if (view.isWrittenAnew === true && listIn(before, view.list) !== undefined) isWrittenAnew = true
      return shownMessage(before, { ...view, era: 'legacy' })
    }, message),
  )
  return becomes === value && !isWrittenAnew ? text : JSON.stringify(becomes)
}

/** Some clients take a list of messages, though no revision here has one. */
function eachMessage(value: unknown, show: (message: unknown) => unknown): unknown {
  if (!Array.isArray(value)) return show(value)
  const shown = value.map(show)
  return shown.every((one, at) => one === value[at]) ? value : shown
}

/** The message without what is not shown; the same object where nothing of it changes. */
function shownMessage(message: unknown, shown: ShownList): unknown {
  const items = listIn(message, shown.list)
  if (items === undefined) return message
  const { result, ...others } = message as { result: Record<string, unknown> }
  const key = keys[shown.list]
  shown.read?.(items)
  const isShown = (item: unknown) => isObject(item) && typeof item[key] === 'string' && shown.shows(item[key], item)
  const kept = items.filter(isShown)
  if (kept.length < items.length) shown.hid?.(items.length - kept.length)
  const isPrivate = shown.era === 'modern' && shown.isForAll !== true
  const isForAll = isPrivate && result['cacheScope'] !== 'private'
  if (kept.length === items.length && !isForAll) return message
  const scope = isPrivate ? { cacheScope: 'private' } : {}
  return { ...others, result: { ...result, [shown.list]: kept, ...scope } }
}

/** The items of a list that a message answers with; undefined: it has none. */
function listIn(message: unknown, list: McpList): unknown[] | undefined {
  if (!isObject(message)) return undefined
  const { result } = message
  if (hasLookAlike(message, known.message) || (isObject(result) && hasLookAlike(result, known.result)))
    throw new RangeError('a member of an answer has a name that some would read as another one')
  const items = isObject(result) ? result[list] : undefined
  return Array.isArray(items) ? items : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

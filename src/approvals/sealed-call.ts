// A call as it is kept until its person has decided: encrypted, and for this request alone.

import { seal, unseal } from '../oauth/secrets/sealed-text.js'
import type { CallText } from './call.js'

/** What the person is shown, for the request with this id alone. Throws Error when there is no key. */
export function sealCall(
  keys: readonly Uint8Array[],
  id: string,
  { resource, tool, arguments: given, target }: CallText,
): string {
  return seal(keys, id, JSON.stringify([resource, tool, given, ...(target === undefined ? [] : [target])]))
}

/** It again; undefined for anything else. */
export function unsealCall(keys: readonly Uint8Array[], id: string, body: string): CallText | undefined {
  const text = unseal(keys, id, body)
  const parts: unknown = text === undefined ? undefined : JSON.parse(text)
  if (!Array.isArray(parts) || !isText(parts)) return undefined
  const [resource, tool, given, target] = parts
  return { resource, tool, arguments: given, target }
}

function isText(parts: readonly unknown[]): parts is [resource: string, tool: string, given: string, target?: string] {
  return (parts.length === 3 || parts.length === 4) && parts.every((part) => typeof part === 'string')
}

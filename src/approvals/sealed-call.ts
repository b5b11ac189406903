// A call as it is kept until its person has decided: encrypted, and for this request alone.

import { seal, unseal } from '../oauth/secrets/sealed-text.js'
import type { CallText } from './call.js'

/** What the person is shown, for the request with this id alone. Throws Error when there is no key. */
export function sealCall(
  keys: readonly Uint8Array[],
  id: string,
  { resource, tool, arguments: given }: CallText,
): string {
  return seal(keys, id, JSON.stringify([resource, tool, given]))
}

/** It again; undefined for anything else. */
export function unsealCall(keys: readonly Uint8Array[], id: string, body: string): CallText | undefined {
  const text = unseal(keys, id, body)
  const parts: unknown = text === undefined ? undefined : JSON.parse(text)
  if (!Array.isArray(parts) || parts.length !== 3 || !parts.every((part) => typeof part === 'string')) return undefined
  const [resource = '', tool = '', given = ''] = parts as string[]
  return { resource, tool, arguments: given }
}

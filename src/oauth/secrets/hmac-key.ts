// Keys of HMACs as native handles: Node 24 needs five times as long with the bytes of a key as with its handle.

import { createSecretKey, type KeyObject } from 'node:crypto'

const handles = new WeakMap<Uint8Array, KeyObject>()

/** The handle of a key that lives on, made once for the same array. */
export function hmacKey(key: Uint8Array): KeyObject {
  const known = handles.get(key)
  if (known !== undefined) return known
  const handle = createSecretKey(key)
  handles.set(key, handle)
  return handle
}

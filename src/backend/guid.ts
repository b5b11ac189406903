// Identifiers as the gate and the Store write them.

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether it is a GUID in lower case. */
export function isGuid(text: string): boolean {
  return guid.test(text)
}

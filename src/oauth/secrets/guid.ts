// GUIDs as they come over the wire: 8-4-4-4-12 hexadecimal digits, in any letter case, without braces.

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The GUID in lower case, which is how it is stored and compared; undefined when the text is not one. */
export function parseGuid(text: string | undefined): string | undefined {
  return text !== undefined && text.length === 36 && pattern.test(text) ? text.toLowerCase() : undefined
}

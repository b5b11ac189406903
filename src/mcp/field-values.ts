// A text as the value of a header field: as it is where a field can carry it, else in Base64 between two marks (MCP
// 2026-07-28, transports).

const [opening, closing] = ['=?base64?', '?='] as const

/** What the value of a field says; undefined when it is not what it claims to be. Other text stands for itself. */
export function decodeFieldValue(value: string): string | undefined {
  if (!value.startsWith(opening) || !value.endsWith(closing) || value.length < opening.length + closing.length)
    return value
  const encoded = value.slice(opening.length, -closing.length)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The value that says this text: as it is where a field can carry it and it looks like no encoded one, else encoded. */
export function encodeFieldValue(text: string): string {
  if (isFieldValue(text) && !text.startsWith(opening)) return text
  return `${opening}${Buffer.from(text).toString('base64')}${closing}`
}

/** ASCII that can be seen, with blanks between: by hand, because an expression takes several times as long. */
function isFieldValue(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e) return false
  }
  return text !== '' && !text.startsWith(' ') && !text.endsWith(' ')
}

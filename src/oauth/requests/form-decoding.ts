// application/x-www-form-urlencoded, strictly: what is not well-formed is refused instead of guessed at, because two
// parsers that guess differently are how one parameter becomes another behind a proxy.

/** Whatever is not what it says: most names and values have none of it. */
const encoded = /[+%\0]/

/**
 * One name or value: `+` is a space, `%XX` are octets of UTF-8. undefined when the encoding is broken or hides a NUL.
 */
export function decodeFormText(text: string): string | undefined {
  if (!encoded.test(text)) return text
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return decoded.includes('\0') ? undefined : decoded
  } catch {
    return undefined
  }
}

/**
 * The pairs in their order; undefined when any name or value is broken. Names are plain strings: `a[b]` means nothing.
 */
export function decodeForm(body: string): [name: string, value: string][] | undefined {
  const pairs: [string, string][] = []
  for (const part of body.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decodeFormText(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decodeFormText(part.slice(equals + 1))
    if (name === undefined || value === undefined) return undefined
    pairs.push([name, value])
  }
  return pairs
}

// Which configured resource of a server a URI means. What is decided on is the text that came, so a URI counts only in
// the one form that nobody reads otherwise; any other matches nothing. Templates are those of RFC 6570 level 1, and a
// variable stands for one or more unreserved characters: it never crosses a slash.

/** The configured texts that a URI means; more than one when several templates fit. */
export type ResourceMatcher = (uri: string) => readonly string[]

const variable = /\{[A-Za-z0-9_]{1,64}\}/g

/** Throws Error for a text that could match nothing, with the reason. */
export function compileResources(configured: readonly string[]): ResourceMatcher {
  const literal = new Set<string>()
  const templates: [text: string, parts: readonly string[]][] = []
  for (const text of configured) {
    const problem = resourceProblem(text)
    if (problem !== undefined) throw new Error(`${text}: ${problem}`)
    if (text.includes('{')) templates.push([text, text.split(variable)])
    else literal.add(text)
  }
  return (uri) => {
    if (!isCanonicalUri(uri)) return []
    if (literal.has(uri)) return [uri]
    return templates.filter(([, parts]) => fits(uri, parts)).map(([text]) => text)
  }
}

/** What is wrong with a URI or template of the configuration. */
export function resourceProblem(text: string): string | undefined {
  const filled = text.replace(variable, 'x')
  if (/[{}]/.test(filled)) return 'a template has variables such as {id}, and nothing else in braces'
  if (/\}\{/.test(text)) return 'two variables have something between them'
  return isCanonicalUri(filled) ? undefined : 'it is not a URI in its canonical form'
}

/**
 * Whether a variable fits between each two parts. A step for each character and variable: a regular expression tries them
 * all against each other where what stands between two variables may stand in one too, as in `{owner}-{name}`.
 */
function fits(uri: string, [first = '', ...others]: readonly string[]): boolean {
  if (!uri.startsWith(first)) return false
  /** The places up to which the parts so far may reach, 1 for each, and the least of them. */
  let reached = new Uint8Array(uri.length + 1)
  let least = first.length
  reached[least] = 1
  for (const part of others) {
    const next = new Uint8Array(uri.length + 1)
    let leastNext: number | undefined
    /** Whether a variable that begins further left may end here. */
    let isWithin = false
    for (let at = least; at <= uri.length; at++) {
      if (isWithin && uri.startsWith(part, at)) {
        next[at + part.length] = 1
        leastNext ??= at + part.length
      }
      isWithin = (isWithin || reached[at] === 1) && isUnreserved(uri.charCodeAt(at))
    }
    if (leastNext === undefined) return false
    least = leastNext
    reached = next
  }
  return reached[uri.length] === 1
}

/** RFC 3986 §2.3; not for NaN, which stands behind the last character. */
function isUnreserved(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
  // - . _ ~
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e || code === 0x5f || code === 0x7e
}

/**
 * Scheme and host in lower case, no user info, query or fragment, no empty or dot segment, nothing encoded that need
 * not be, no slash or backslash in disguise (RFC 3986 §6.2.2). A scheme without an authority has no hierarchy to read.
 */
export function isCanonicalUri(uri: string): boolean {
  const parts = /^[a-z][a-z0-9+.-]*:(?:\/\/([a-z0-9._~:[\]-]*)(\/.*)?|([^/].*))$/.exec(uri)
  if (parts === null) return false
  const [, host = '', path, opaque] = parts
  const rest = path ?? opaque ?? ''
  if (!/^(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*$/.test(rest)) return false
  if (/%(?:2[DEF]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE]|5C|0[0-9A-F]|1[0-9A-F]|7F)/.test(rest)) return false
  // Of `note://..` and `note:..` some servers make the name of a file.
  if (isDots(host)) return false
  const segments = opaque === undefined ? rest.split('/').slice(1) : rest.split('/')
  return segments.every((segment, at) => !isDots(segment) && (segment !== '' || at === segments.length - 1))
}

function isDots(segment: string): boolean {
  return segment === '.' || segment === '..'
}

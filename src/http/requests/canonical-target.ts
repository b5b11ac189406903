// One function turns the raw request target into the path and query that everything downstream uses: routing,
// permission, limits, log, metric and forwarding. What could be read in two ways is refused, never repaired, because
// a guard that reads a path in one way in front of a server that reads it in another is no guard.

export type CanonicalTarget =
  /**
   * `path` begins with a slash and is fully normalised; `query` is the raw query without `?`, or undefined.
   * `authority` is there when the target was in absolute form (RFC 9112 §3.2.2); the Host check must cover it. With
   * `encodedSlash` the path holds `%2F`, and only a route that says so takes it: everybody else has to refuse.
   */
  | { ok: true; path: string; query: string | undefined; authority?: string; encodedSlash?: true }
  /** `reason` is a stable id for log and metric. */
  | { ok: false; reason: TargetRefusal }

export type TargetRefusal =
  | 'target_form'
  | 'target_too_long'
  | 'bad_escape'
  | 'bad_utf8'
  | 'double_encoding'
  | 'encoded_separator'
  | 'encoded_control'
  | 'backslash'
  | 'fragment'
  | 'path_parameter'
  | 'dot_segment'
  | 'illegal_character'

/** Paths that need no work: every segment begins with something that is not a dot, and nothing is escaped. */
const alreadyCanonical = /^(?:\/[A-Za-z0-9_~!$&'()*+,=:@-][A-Za-z0-9._~!$&'()*+,=:@-]*)+\/?$/
const absoluteForm = /^https?:\/\/([A-Za-z0-9.:[\]-]+)(\/.*)?$/is
/** RFC 3986 pchar without `;` and `%`: what may stand unescaped in a segment. */
const plainInPath = /[A-Za-z0-9._~!$&'()*+,=:@/-]/
/** Escapes of these mean the same as the character: RFC 3986 §2.3, and the marks that routers decode too. */
const decodedInPath = /[A-Za-z0-9._~!'()*-]/
/** RFC 3986 query, and the brackets, braces and bars that browsers leave alone. */
const plainQuery = /^[\x21\x24-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/
const brokenEscape = /%(?![0-9A-Fa-f]{2})/
/** A segment that some file system or server reads as `.` or `..`. */
const dotSegment = /^\.(?:\.|%20)+$/
/** A segment that vanishes, or leads upwards, where `%2F` is read as a slash. */
const structuralSlash = /(?:\/|%2F)(?:\.|%20)*%2F|%2F(?:\.|%20)*(?:\/|$)/

/** `raw` is the request target as it stood on the wire. Throws nothing: a bad target is a result. */
export function canonicalTarget(raw: string): CanonicalTarget {
  if (raw.charCodeAt(0) === 0x2f) return fromOrigin(raw)
  const absolute = absoluteForm.exec(raw)
  if (absolute === null) return { ok: false, reason: 'target_form' }
  const target = fromOrigin(absolute[2] ?? '/')
  return target.ok ? { ...target, authority: absolute[1] ?? '' } : target
}

function fromOrigin(raw: string): CanonicalTarget {
  const mark = raw.indexOf('?')
  const path = mark === -1 ? raw : raw.slice(0, mark)
  const query = mark === -1 ? undefined : raw.slice(mark + 1)
  if (query !== undefined) {
    const reason = refuseQuery(query)
    if (reason !== undefined) return { ok: false, reason }
  }
  if (path === '/' || alreadyCanonical.test(path)) return { ok: true, path, query }
  const decoded = decodeOnce(path)
  if (!decoded.ok) return decoded
  const joined = joinSegments(decoded.path, query)
  if (!joined.ok || !joined.path.includes('%2F')) return joined
  return structuralSlash.test(joined.path)
    ? { ok: false, reason: 'encoded_separator' }
    : { ...joined, encodedSlash: true }
}

function refuseQuery(query: string): TargetRefusal | undefined {
  if (!plainQuery.test(query)) {
    if (query.includes('#')) return 'fragment'
    return query.includes('\\') ? 'backslash' : 'illegal_character'
  }
  if (!query.includes('%')) return undefined
  if (brokenEscape.test(query)) return 'bad_escape'
  return query.includes('%00') ? 'encoded_control' : undefined
}

/**
 * Decodes escapes of plain characters, writes the others in upper case, and refuses what changes a path's structure.
 */
function decodeOnce(path: string): { ok: true; path: string } | { ok: false; reason: TargetRefusal } {
  let out = ''
  for (let i = 0; i < path.length; i++) {
    const char = path.charAt(i)
    if (char === '%') {
      const read = readEscape(path.slice(i + 1, i + 3))
      if (read.refused !== undefined) return { ok: false, reason: read.refused }
      out += read.text
      i += 2
    } else if (plainInPath.test(char)) out += char
    else return { ok: false, reason: illegal(char) }
  }
  // A second decoder behind us would see another path.
  if (/%25[0-9A-Fa-f]{2}/.test(out)) return { ok: false, reason: 'double_encoding' }
  return isUtf8(out) ? { ok: true, path: out } : { ok: false, reason: 'bad_utf8' }
}

function readEscape(digits: string): { text: string; refused?: undefined } | { refused: TargetRefusal } {
  if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return { refused: 'bad_escape' }
  const byte = Number.parseInt(digits, 16)
  if (byte === 0x5c) return { refused: 'encoded_separator' }
  if (byte < 0x20 || byte === 0x7f) return { refused: 'encoded_control' }
  const char = String.fromCharCode(byte)
  return { text: decodedInPath.test(char) ? char : `%${digits.toUpperCase()}` }
}

function illegal(char: string): TargetRefusal {
  if (char === '\\') return 'backslash'
  if (char === '#') return 'fragment'
  // Servlet containers cut `;…` off before they route, so `admin;x` would be `admin` behind us.
  return char === ';' ? 'path_parameter' : 'illegal_character'
}

function isUtf8(path: string): boolean {
  if (!/%[89A-F]/.test(path)) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/** Removes `.` and empty segments; `..` is refused, because nobody who means well sends it. */
function joinSegments(path: string, query: string | undefined): CanonicalTarget {
  const segments = path.split('/')
  const kept: string[] = []
  for (const segment of segments) {
    if (dotSegment.test(segment)) return { ok: false, reason: 'dot_segment' }
    if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const last = segments[segments.length - 1]
  const slash = kept.length > 0 && (last === '' || last === '.') ? '/' : ''
  return { ok: true, path: `/${kept.join('/')}${slash}`, query }
}

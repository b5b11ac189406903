// Methods that a query asks for beside the request's own: frameworks behind the gate (Symfony, Laravel, Rails, Spring,
// WordPress) would do what that one says, and the decision was about the other. A body may hold the same; bodies are
// not read here, so a service that takes methods from bodies needs for POST what it needs for all of them (decision
// 0087).

const overrides = new Set([
  '_method',
  '__method',
  '_httpmethod',
  '_http_method',
  'x_http_method',
  'x_http_method_override',
  'x_method_override',
  'http_method_override',
])
/** Almost no query holds the word, and none is taken apart without it or an escape that could spell it. */
const worthReading = /method|%[46][0-9a-f]|%5f/i

/** Whether a canonical query names another method, in a spelling that some framework reads so. */
export function overridesMethod(query: string): boolean {
  return worthReading.test(query) && query.split(/[&;]/).some((pair) => overrides.has(nameIn(pair)))
}

/**
 * PHP reads blanks, dots and an opening bracket in a name as `_`, after it has cut blanks off its beginning; Rack cuts
 * at `[`.
 */
function nameIn(pair: string): string {
  const [raw = ''] = pair.split('=', 1)
  const name = decoded(raw).trim().replace(/\[.*$/s, '')
  return name
    .replace(/[ .+-]/g, '_')
    .replaceAll('\0', '')
    .toLowerCase()
}

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch {
    return unescape(raw.replaceAll('+', ' '))
  }
}

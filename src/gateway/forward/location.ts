// Redirects of an upstream name the upstream; the client must only ever hear the gate's own name (P13).

/** The Location to send, or undefined when the one that came cannot be said in the gate's words. */
export function publicLocation(
  value: string,
  upstream: { origin: string; basePath: string; baseUrl: string },
): string | undefined {
  // `//host`, `/\host`, and control characters: read as another host by some and as a path by others.
  if (/^[/\\]{2}|^[/\\]*\\|[\u0000-\u0020\u007f]/.test(value)) return undefined
  if (value.startsWith('/')) return withoutBase(value, upstream.basePath)
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(value)) return value
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (parsed === undefined || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return undefined
  if (parsed.origin !== upstream.origin) return parsed.username === '' ? value : undefined
  const path = withoutBase(`${parsed.pathname}${parsed.search}${parsed.hash}`, upstream.basePath)
  return path === undefined ? undefined : `${upstream.baseUrl}${path}`
}

/** A path outside the base is one that the gate does not lead to. */
function withoutBase(path: string, basePath: string): string | undefined {
  if (basePath === '') return path
  if (!path.startsWith(basePath)) return undefined
  const rest = path.slice(basePath.length)
  if (rest === '') return '/'
  if (rest.startsWith('/')) return rest
  return rest.startsWith('?') || rest.startsWith('#') ? `/${rest}` : undefined
}

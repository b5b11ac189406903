// Redirects of an upstream name the upstream; the client must only ever hear the gate's own name (P13).

import { type Prefix, publicPath } from '../../routes/prefix.js'

/** Read as a path by some and as another host by others. */
const twoSlashes = /^[/\\]{2}/

/** The Location to send, or undefined when the one that came cannot be said in the gate's words. */
export function publicLocation(
  value: string,
  upstream: { origins: ReadonlySet<string>; basePath: string; baseUrl: string; prefix?: Prefix | undefined },
): string | undefined {
  if (twoSlashes.test(value) || /^\\|[\u0000-\u0020\u007f]/.test(value)) return undefined
  if (value.startsWith('/')) {
    const path = pathAtGate(value, upstream)
    // What stood between the two may have been the base.
    return path === undefined || twoSlashes.test(path) ? undefined : path
  }
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(value)) return isRelativeWithin(value, upstream.prefix) ? value : undefined
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (parsed === undefined || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return undefined
  if (!upstream.origins.has(parsed.origin)) return parsed.username === '' ? value : undefined
  const path = pathAtGate(`${parsed.pathname}${parsed.search}${parsed.hash}`, upstream)
  return path === undefined ? undefined : `${upstream.baseUrl}${path}`
}

/** Where paths begin otherwise at the upstream, the way up may lead out of what the two have in common. */
function isRelativeWithin(value: string, prefix: Prefix | undefined): boolean {
  return prefix === undefined || !/(?:^|\/)(?:\.|%2e){2}(?:$|[/?#])/i.test(value)
}

function pathAtGate(
  path: string,
  { basePath, prefix }: { basePath: string; prefix?: Prefix | undefined },
): string | undefined {
  const below = withoutBase(path, basePath)
  return below === undefined || prefix === undefined ? below : publicPath(prefix, below)
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

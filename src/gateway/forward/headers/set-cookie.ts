// Cookies of services on their way to a browser.

/** Browsers take no attribute that is longer, and then what stands beside it counts (RFC 6265bis §5.6). */
const longestPath = 1024

/**
 * The cookie for this host alone and for `path` or below it, as the service says where that is so already. Undefined where
 * the path is empty, so that it would be for every page, and for a name that begins with `__Host-`: the origin's own cookies
 * do, and nobody behind the gate may set or end one (U6). As browsers read it (RFC 6265 §5.2): the last of two attributes
 * counts, and quotes mean nothing.
 */
export function confinedCookie(value: string, path: string): string | undefined {
  // `=__Host-a=b` is a nameless cookie that some send back as one of ours.
  if (path === '' || /^[\s=]*__host-/i.test(value)) return undefined
  const [pair = '', ...attributes] = value.split(';')
  let wanted = ''
  const kept = attributes.filter((attribute) => {
    const [name = '', ...text] = attribute.split('=')
    const lower = name.trim().toLowerCase()
    if (lower === 'path') wanted = text.join('=').trim()
    return lower !== 'path' && lower !== 'domain'
  })
  const isWithin = wanted.length <= longestPath && (wanted === path || wanted.startsWith(`${path}/`))
  return [pair, ...kept, ` Path=${isWithin ? wanted : path}`].join(';')
}

// A path that a route's pattern matches, for a question about the route and not about one thing behind it.

/** `/a/{b}/**` with something unlikely in its place holders, so that no plainer route takes it. */
export function sampleTarget(pattern: string): string {
  return pattern.replace(/\/\*\*$/, '/__any').replace(/\{[^{}]+\}/g, '__any')
}

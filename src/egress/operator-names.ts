// Names that the operator's configuration has. The system's resolver finds them, /etc/hosts included, in one of the few
// threads that it has; a name whose DNS is silent takes one of them at most, however often callers need it.

import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { ResolveAll } from './tenant-names.js'

type Found = Parameters<ResolveAll>[2]

const lookups = new Map<string, Found[]>()

/** Callers that need a name that is being looked up share that answer. */
export function systemLookup(...[name, { family }, found]: Parameters<ResolveAll>): void {
  const key = `${family ?? 0} ${name}`
  const before = lookups.get(key)
  if (before !== undefined) return void before.push(found)
  const waiting = [found]
  lookups.set(key, waiting)
  // Looked up on the module at each call, as the runtime does it for callers that bring no look-up.
  dns.lookup(name, { all: true, ...(family === undefined ? {} : { family }) }, (error, addresses) => {
    lookups.delete(key)
    for (const one of waiting) one(error, addresses)
  })
}

/** The same for `lookup` of a connection. */
export const operatorLookup: LookupFunction = (name, { all, ...options }, callback) => {
  systemLookup(name, options, (error, addresses) => {
    const [first] = addresses ?? []
    if (error !== null) callback(error, '')
    else if (all === true) callback(null, addresses)
    else callback(null, first?.address ?? '', first?.family)
  })
}

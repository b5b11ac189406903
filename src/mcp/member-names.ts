// Names of members that another reader would take for one that is read here. Go's decoder matches names without case
// and by Unicode folding, and some end a name at a NUL: `Method` and `paramſ` are `method` and `params` there
// (CVE-2026-27896, GHSA-q382-vc8q-7jhj); others take a member by the name of its field too, `resource_subscriptions` for
// `resourceSubscriptions`. What two readers read differently was not decided on.

/** The names that are read of one object. */
export interface KnownNames {
  /** A list, because it is short: comparing costs less than a look-up. */
  names: readonly string[]
  /** What others fold them to. */
  folded: ReadonlySet<string>
  /** Length of the shortest of what they are folded to; a shorter name of ASCII is none of them. */
  shortest: number
}

export function knownNames(...names: readonly string[]): KnownNames {
  const all = names.map(folded)
  return { names, folded: new Set(all), shortest: Math.min(...all.map(({ length }) => length)) }
}

/** Whether a member is none of the known ones, but would be read as one of them. */
export function hasLookAlike(members: object, known: KnownNames): boolean {
  for (const name in members) if (!isOneOf(known.names, name) && known.folded.has(folded(name))) return true
  return false
}

/** By hand: `includes` takes half as long again. */
function isOneOf(names: readonly string[], name: string): boolean {
  for (const one of names) if (one === name) return true
  return false
}

/** Whether some reader would take two of these names for one. */
export function haveTwins(names: readonly string[]): boolean {
  return new Set(names.map(folded)).size < names.length
}

/** Whether a member is one of the known ones, or would be read as one. */
export function readsAs(name: string, known: KnownNames): boolean {
  return isOneOf(known.names, name) || known.folded.has(folded(name))
}

/**
 * Without regard to case, width, what joins words, and what comes after a NUL. More is folded than any reader does; that
 * refuses more.
 */
function folded(name: string): string {
  if (/^[\x21-\x7e]*$/.test(name)) return withoutJoints(name.toLowerCase())
  const beforeNul = name.split('\0', 1)[0] ?? ''
  return withoutJoints(beforeNul.normalize('NFKC').toUpperCase().toLowerCase().trim())
}

function withoutJoints(name: string): string {
  return name.includes('_') || name.includes('-') ? name.replace(/[_-]/g, '') : name
}

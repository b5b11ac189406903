// Names of members that another reader would take for one that is read here. Go's decoder matches names without case
// and by Unicode folding, and some end a name at a NUL: `Method` and `paramſ` are `method` and `params` there
// (CVE-2026-27896, GHSA-q382-vc8q-7jhj). What two readers read differently was not decided on.

/** The names that are read of one object, by what others fold them to. */
export type KnownNames = ReadonlyMap<string, string>

export function knownNames(...names: readonly string[]): KnownNames {
  return new Map(names.map((name) => [folded(name), name]))
}

/** Whether a member is none of the known ones, but would be read as one of them. */
export function hasLookAlike(members: object, known: KnownNames): boolean {
  return Object.keys(members).some((name) => (known.get(folded(name)) ?? name) !== name)
}

/** Without regard to case, width, and what comes after a NUL. More is folded than any reader does; that refuses more. */
function folded(name: string): string {
  const beforeNul = name.split('\0', 1)[0] ?? ''
  return beforeNul.normalize('NFKC').toUpperCase().toLowerCase().trim()
}

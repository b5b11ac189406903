// npm-shrinkwrap.json, which npm follows when it installs the server's package: the versions of the lock file, so that
// what is installed is what was tested. Overrides of a package.json hold for its own checkout alone.

/** What of a lock file (its version 3) is read here. */
interface Lock {
  name: string
  version: string
  packages: Readonly<Record<string, LockedPackage>>
}

interface LockedPackage {
  dev?: boolean
  /** Where it came from; a lock file may name a registry that nobody else reaches. */
  resolved?: string
  devDependencies?: unknown
  [about: string]: unknown
}

/** Its text, from that of package-lock.json: what production needs, without what only development has. */
export function shrinkwrapOf(lockFile: string): string {
  const { name, version, packages } = JSON.parse(lockFile) as Lock
  const kept = Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { resolved, devDependencies, ...about }]) => [path, about])
  const lock = { name, version, lockfileVersion: 3, requires: true, packages: Object.fromEntries(kept) }
  return `${JSON.stringify(lock, undefined, 2)}\n`
}

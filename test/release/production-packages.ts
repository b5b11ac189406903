// What production needs of other projects, as package-lock.json has it: the packages, and who needs whom. Pure.

/** What of a lock file (its version 3) is read here. */
export interface Lock {
  name: string
  version: string
  /** By path; the project itself has the empty one. */
  packages: Readonly<Record<string, LockedPackage>>
}

interface LockedPackage {
  /** Where it is not that of the path: an alias. */
  name?: string
  version?: string
  license?: string
  /** As `sha512-` and base64. */
  integrity?: string
  dev?: boolean
  optional?: boolean
  dependencies?: Readonly<Record<string, string>>
  optionalDependencies?: Readonly<Record<string, string>>
  peerDependencies?: Readonly<Record<string, string>>
}

/** A package of production. One version that lies in several places is one package. */
export interface ProductionPackage {
  name: string
  version: string
  /** Package URL: `pkg:npm/%40scope/name@version`. */
  purl: string
  /** An SPDX identifier or expression; undefined where the package names none. */
  licence: string | undefined
  integrity: string | undefined
  /** Only some machines install it. */
  isOptional: boolean
  /** Where it lies, from the root of the project. */
  paths: readonly string[]
  /** The purls of the packages that it needs, sorted. */
  needs: readonly string[]
}

const modules = 'node_modules/'

/** The packages that an installation without the development's ones can have, sorted by name and version. */
export function productionPackages(lock: Lock): readonly ProductionPackage[] {
  const byPurl = new Map<string, ProductionPackage>()
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (path === '' || locked.dev === true) continue
    const purl = purlAt(lock, path)
    const same = byPurl.get(purl)
    byPurl.set(purl, {
      name: nameAt(lock, path),
      version: locked.version ?? '',
      purl,
      licence: locked.license,
      integrity: locked.integrity,
      isOptional: locked.optional === true && same?.isOptional !== false,
      paths: [...(same?.paths ?? []), path],
      needs: [...new Set([...(same?.needs ?? []), ...needsAt(lock, path)])].sort(),
    })
  }
  return [...byPurl.values()].sort((one, other) => (one.purl < other.purl ? -1 : 1))
}

/** The purls of the packages that the one at `path` needs; the empty path is the project itself. */
export function needsAt(lock: Lock, path: string): readonly string[] {
  const { dependencies, optionalDependencies, peerDependencies } = lock.packages[path] ?? {}
  const peers = path === '' ? {} : peerDependencies
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peers })
  const found = names.flatMap((name) => {
    const at = locate(lock, path, name)
    return at === undefined || lock.packages[at]?.dev === true ? [] : [purlAt(lock, at)]
  })
  return [...new Set(found)].sort()
}

/** As Node finds it: beside what needs it, then one folder further out, up to the root. */
function locate(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; ) {
    const path = `${folder === '' ? '' : `${folder}/`}${modules}${name}`
    if (lock.packages[path] !== undefined) return path
    if (folder === '') return undefined
    const end = folder.lastIndexOf(`/${modules}`)
    folder = end === -1 ? '' : folder.slice(0, end)
  }
}

function nameAt(lock: Lock, path: string): string {
  return lock.packages[path]?.name ?? path.slice(path.lastIndexOf(modules) + modules.length)
}

function purlAt(lock: Lock, path: string): string {
  return `pkg:npm/${nameAt(lock, path).replace('@', '%40')}@${lock.packages[path]?.version ?? ''}`
}

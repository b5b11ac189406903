// What this server gives away: its client library and itself, each made once, when somebody first asks, and kept in
// memory.

import { createHash } from 'node:crypto'
import { clientPackageName, readClientPackage } from './client-package.js'
import { readServerPackage } from './server-package.js'
import { type PackageFile, packTarball } from './tarball.js'

export interface Download {
  name: string
  version: string
  /** `<name>-<version>.tgz`. */
  file: string
  bytes: Buffer
  /** Subresource Integrity, as npm's lock files have it: `sha512-` and base64. */
  integrity: string
  /** SHA-256 in hexadecimal; part of an address that never means anything else. */
  digest: string
}

export interface Downloads {
  /** The client library; undefined when this server runs without its build. */
  client(): Promise<Download | undefined>
  /** All that there is, the client first. */
  list(): Promise<Download[]>
}

/** `root`: the folder of the server's package. Its files are read once. */
export function createDownloads({ root, version }: { root: string; version: string }): Downloads {
  const client = once(async () => toDownload(clientPackageName, version, await readClientPackage(root, version)))
  const server = once(async () => toDownload('portcullis', version, await readServerPackage(root)))
  return {
    client,
    async list() {
      const both = await Promise.all([client(), server()])
      return both.filter((download) => download !== undefined)
    },
  }
}

async function toDownload(
  name: string,
  version: string,
  files: readonly PackageFile[] | undefined,
): Promise<Download | undefined> {
  if (files === undefined) return undefined
  const bytes = await packTarball(files)
  return {
    name,
    version,
    file: `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`,
    bytes,
    integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
    digest: createHash('sha256').update(bytes).digest('hex'),
  }
}

/** Callers meanwhile wait for the same; after a failure the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

// Where a machine keeps the authorities that it trusts, and by which commands one comes in and goes out: the system's
// store, and those of browsers that keep their own (NSS). All of it is done by the tools of the system, so that what
// --print shows is what would run.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** An authority that is brought in or taken out. */
export interface Trusted {
  file: string
  name: string
  /** Of its file in a system's folder, without folder. */
  fileName: string
}

export interface Step {
  command: readonly string[]
  /** Needs the rights of the administrator of the machine. */
  asRoot: boolean
  /** Failing is no failure: it takes away what may not be there. */
  mayFail?: boolean
}

export interface TrustStore {
  kind: 'system' | 'browser'
  /** For people. */
  name: string
  /** The program that its steps need, and how one gets it. */
  needs: string
  advice: string
  add(authority: Trusted): Step[]
  remove(authority: Trusted): Step[]
}

/** What stores are looked for by; a test names folders of its own. */
export interface Surroundings {
  platform: NodeJS.Platform
  home: string
  /** Where the system's folders are: `/`. */
  root: string
}

/** Those of this machine, the system's first. */
export function trustStores(surroundings: Surroundings): TrustStore[] {
  const system = surroundings.platform === 'darwin' ? keychain(surroundings) : linuxSystem(surroundings)
  return [...(system === undefined ? [] : [system]), ...nssFolders(surroundings).map(nssStore)]
}

const linuxKinds = [
  {
    folder: 'usr/local/share/ca-certificates',
    extension: 'crt',
    refresh: ['update-ca-certificates'],
    // Otherwise what is gone stays in the bundle.
    whole: ['--fresh'],
  },
  { folder: 'etc/pki/ca-trust/source/anchors', extension: 'pem', refresh: ['update-ca-trust', 'extract'], whole: [] },
  {
    folder: 'etc/ca-certificates/trust-source/anchors',
    extension: 'pem',
    refresh: ['update-ca-trust', 'extract'],
    whole: [],
  },
] as const

function linuxSystem({ root }: Surroundings): TrustStore | undefined {
  const kind = linuxKinds.find(({ folder }) => existsSync(join(root, folder)))
  if (kind === undefined) return undefined
  const { folder, extension, refresh, whole } = kind
  const place = ({ fileName }: Trusted) => join(root, folder, `${fileName}.${extension}`)
  return {
    kind: 'system',
    name: `the system's authorities (${join(root, folder)})`,
    needs: refresh[0],
    advice: 'install the package ca-certificates',
    add: (one) => [
      { command: ['install', '-m', '0644', one.file, place(one)], asRoot: true },
      { command: [...refresh], asRoot: true },
    ],
    remove: (one) => [
      { command: ['rm', '-f', place(one)], asRoot: true },
      { command: [...refresh, ...whole], asRoot: true },
    ],
  }
}

/** Of the person, which asks for their password itself. */
function keychain({ home }: Surroundings): TrustStore {
  const chain = join(home, 'Library/Keychains/login.keychain-db')
  return {
    kind: 'system',
    name: 'the login keychain',
    needs: 'security',
    advice: 'it is part of macOS',
    add: ({ file }) => [
      {
        command: ['security', 'add-trusted-cert', '-r', 'trustRoot', '-p', 'ssl', '-k', chain, file],
        asRoot: false,
      },
    ],
    remove: ({ file, name }) => [
      { command: ['security', 'remove-trusted-cert', file], asRoot: false, mayFail: true },
      { command: ['security', 'delete-certificate', '-c', name, chain], asRoot: false },
    ],
  }
}

/** Folders in which each subfolder is a profile. */
const profileFolders = [
  '.mozilla/firefox',
  '.config/mozilla/firefox',
  'snap/firefox/common/.mozilla/firefox',
  '.var/app/org.mozilla.firefox/.mozilla/firefox',
  'Library/Application Support/Firefox/Profiles',
] as const

const chromiumFolders = ['.pki/nssdb', 'snap/chromium/current/.pki/nssdb', '.local/share/pki/nssdb'] as const

function nssFolders({ home }: Surroundings): string[] {
  const profiles = profileFolders.flatMap((folder) =>
    foldersIn(join(home, folder)).map((name) => join(home, folder, name)),
  )
  return [...chromiumFolders.map((folder) => join(home, folder)), ...profiles].filter((folder) =>
    existsSync(join(folder, 'cert9.db')),
  )
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []))
  } catch {
    return []
  }
}

function nssStore(folder: string): TrustStore {
  const database = `sql:${folder}`
  return {
    kind: 'browser',
    name: `a browser's authorities (${folder})`,
    needs: 'certutil',
    advice: 'install libnss3-tools (Debian), nss-tools (Fedora) or nss (Homebrew)',
    // C: an authority for servers; nothing for mail and programs.
    add: ({ file, name }) => [
      { command: ['certutil', '-A', '-d', database, '-t', 'C,,', '-n', name, '-i', file], asRoot: false },
    ],
    remove: ({ name }) => [{ command: ['certutil', '-D', '-d', database, '-n', name], asRoot: false, mayFail: true }],
  }
}

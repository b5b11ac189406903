// References in the scalars of the file: `${NAME}`, `${NAME:-default}` and `file:/path`. They are resolved after YAML
// was parsed, so a value can change neither the structure of the file nor the type of a setting, and lines stay
// countable.

import { relative, resolve, sep } from 'node:path'
import type { Report } from '../report/report.js'
import type { FileReader } from './file-reader.js'
import type { PartGrant } from './part-grants.js'
import { isSecret, type Path } from './places.js'

export interface ReferenceContext {
  env: NodeJS.ProcessEnv
  /** Folder that relative `file:` references start from. */
  folder: string
  reader: FileReader
  report: Report
  /** What an included file was given; absent: this is the main one. */
  part?: PartGrant
}

const SPELLING = `a reference is written \${NAME} or \${NAME:-default}; $\${ stands for a plain \${`

// Far more than any key or bundle of certificates; a mistyped path may be a database.
const FILE_BYTES = 1024 * 1024
// Documents of large services.
const DOCUMENT_BYTES = 4 * FILE_BYTES
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g

/**
 * The text of a scalar with its references resolved; `$${` stands for a plain `${`. An unset variable without default
 * and an unreadable file are reported at `path`, and the answer is undefined.
 */
export function resolveReferences(text: string, path: Path, context: ReferenceContext): string | undefined {
  const value = interpolated(text, path, context)
  if (value === undefined || !value.startsWith('file:') || namesFile(path)) return value
  return fileContent(value.slice('file:'.length), text, path, context)
}

/** Whether a text contains a reference, so that its value did not come from the file itself. */
export function isReference(text: string): boolean {
  return text.includes('${') || text.startsWith('file:')
}

/** Settings that name a file to be read again later; for them `file:` is only another spelling. */
function namesFile(path: Path): boolean {
  return path[0] === 'server' && ['tls', 'certificates', 'clientCertificates'].includes(String(path[1]))
}

function interpolated(text: string, path: Path, { env, report, part }: ReferenceContext): string | undefined {
  const wrong: string[] = []
  const value = text.replace(REFERENCE, (match, name: string | undefined, fallback: string | undefined) => {
    if (match === '$${') return '${'
    if (name === undefined) wrong.push(SPELLING)
    else if (part !== undefined && !part.variables.has(name)) {
      wrong.push(`${name} is not among the variables that this included file may read; include gives them`)
      return ''
    }
    const set = name === undefined ? undefined : env[name]
    if (fallback !== undefined) return set === undefined || set === '' ? fallback : set
    if (name !== undefined && set === undefined) wrong.push(`the environment variable ${name} is not set`)
    return set ?? ''
  })
  for (const message of wrong) report.problem(path, message)
  return wrong.length === 0 ? value : undefined
}

function fileContent(name: string, written: string, path: Path, context: ReferenceContext): string | undefined {
  const { folder, reader, report, part } = context
  const file = resolve(folder, name)
  if (part !== undefined && !isOpenTo(part, file, path, context)) {
    const shown = relative(folder, part.folder)
    report.problem(path, `this included file may refer to files in ${shown} only; include may give it another folder`)
    return undefined
  }
  // A name that came from the environment is not for messages.
  const shown = written.includes('${') ? 'the file that it refers to' : JSON.stringify(name)
  const isDocument = path[0] === 'upstreams' && path[2] === 'openapi'
  const read = reader.file(file, isDocument ? DOCUMENT_BYTES : FILE_BYTES)
  if ('wrong' in read) {
    const why = isDocument && read.wrong === 'TOO_LARGE' ? 'is larger than 4 MiB' : UNREADABLE[read.wrong]
    report.problem(path, `${shown} ${why ?? `cannot be read (${read.wrong})`}`)
    return undefined
  }
  if (isSecret(path) && read.openToAll)
    report.warning(path, `${shown} holds a secret and everybody on this machine may read it; chmod 600 fixes that`)
  return read.text.trimEnd()
}

/**
 * Links lead nowhere else. Certificates of authorities may lie where a whole machine has them: they are shown to
 * nobody.
 */
function isOpenTo({ folder }: PartGrant, file: string, path: Path, { reader }: ReferenceContext): boolean {
  if (path[0] === 'upstreams' && path[2] === 'ca') return true
  const [real, realFolder] = [reader.real(file), reader.real(folder)]
  return real !== undefined && realFolder !== undefined && real.startsWith(realFolder + sep)
}

const UNREADABLE: Record<string, string> = {
  NOT_A_FILE: 'is not a file',
  TOO_LARGE: 'is larger than 1 MiB',
  ENOENT: 'cannot be read (there is no such file)',
  EACCES: 'cannot be read (permission denied)',
  NOT_UTF8: 'cannot be read (it is not UTF-8)',
}

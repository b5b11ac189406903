// References in the scalars of the file: `${NAME}`, `${NAME:-default}` and `file:/path`. They are resolved after YAML was
// parsed, so a value can change neither the structure of the file nor the type of a setting, and lines stay countable.

import { resolve, sep } from 'node:path'
import { isSecret, type Path } from './places.js'
import type { Reading } from './reading.js'
import type { Report } from './report.js'

export interface ReferenceContext {
  env: NodeJS.ProcessEnv
  /** Folder that relative `file:` references start from. */
  folder: string
  reading: Reading
  report: Report
  /** An included file, which may be another team's: what the server itself is told is not for it. */
  isPart?: true
}

/** Variables of the server, its keys among them. */
const OWN_VARIABLE = /^PORTCULLIS_/
const SPELLING = `a reference is written \${NAME} or \${NAME:-default}; $\${ stands for a plain \${`

// Far more than any key or bundle of certificates; a mistyped path may be a database.
const FILE_BYTES = 1024 * 1024
// Documents of large services.
const DOCUMENT_BYTES = 4 * FILE_BYTES
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g

/**
 * The text of a scalar with its references resolved; `$${` stands for a plain `${`. An unset variable without default and
 * an unreadable file are reported at `path`, and the answer is undefined.
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

function interpolated(text: string, path: Path, { env, report, isPart }: ReferenceContext): string | undefined {
  const wrong: string[] = []
  const value = text.replace(REFERENCE, (match, name: string | undefined, fallback: string | undefined) => {
    if (match === '$${') return '${'
    if (name === undefined) wrong.push(SPELLING)
    else if (isPart && OWN_VARIABLE.test(name)) {
      wrong.push(`${name} is a variable of the server, which an included file may not read`)
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

function fileContent(
  name: string,
  written: string,
  path: Path,
  { folder, reading, report, isPart }: ReferenceContext,
): string | undefined {
  const file = resolve(folder, name)
  if (isPart && !file.startsWith(folder + sep) && !isOfUpstream(path)) {
    report.problem(
      path,
      'an included file may refer to files beside it, and elsewhere to certificates of upstreams only',
    )
    return undefined
  }
  // A name that came from the environment is not for messages.
  const shown = written.includes('${') ? 'the file that it refers to' : JSON.stringify(name)
  const isDocument = path[0] === 'upstreams' && path[2] === 'openapi'
  const read = reading.file(file, isDocument ? DOCUMENT_BYTES : FILE_BYTES)
  if ('wrong' in read) {
    const why = isDocument && read.wrong === 'TOO_LARGE' ? 'is larger than 4 MiB' : UNREADABLE[read.wrong]
    report.problem(path, `${shown} ${why ?? `cannot be read (${read.wrong})`}`)
    return undefined
  }
  if (isSecret(path) && read.openToAll)
    report.warning(path, `${shown} holds a secret and everybody on this machine may read it; chmod 600 mends that`)
  return read.text.trimEnd()
}

/** Certificates may lie where a whole machine has them; what is in there is shown to nobody. */
function isOfUpstream(path: Path): boolean {
  return path[0] === 'upstreams' && ['ca', 'cert', 'key', 'openapi'].includes(String(path[2]))
}

const UNREADABLE: Record<string, string> = {
  NOT_A_FILE: 'is not a file',
  TOO_LARGE: 'is larger than 1 MiB',
  ENOENT: 'cannot be read (there is no such file)',
  EACCES: 'cannot be read (permission denied)',
  NOT_UTF8: 'cannot be read (it is not UTF-8)',
}

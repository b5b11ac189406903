// References in the scalars of the file: `${NAME}`, `${NAME:-default}` and `file:/path`. They are resolved after YAML was
// parsed, so a value can change neither the structure of the file nor the type of a setting, and lines stay countable.

import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isSecret, type Path } from './places.js'
import type { Report } from './report.js'

export interface ReferenceContext {
  env: NodeJS.ProcessEnv
  /** Folder that relative `file:` references start from. */
  folder: string
  report: Report
}

const SPELLING = `a reference is written \${NAME} or \${NAME:-default}; $\${ stands for a plain \${`

// Far more than any key or bundle of certificates; a mistyped path may be a database.
const FILE_BYTES = 1024 * 1024
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
  return path[0] === 'server' && path[1] === 'tls'
}

function interpolated(text: string, path: Path, { env, report }: ReferenceContext): string | undefined {
  const wrong: string[] = []
  const value = text.replace(REFERENCE, (match, name: string | undefined, fallback: string | undefined) => {
    if (match === '$${') return '${'
    if (name === undefined) wrong.push(SPELLING)
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
  { folder, report }: ReferenceContext,
): string | undefined {
  const file = resolve(folder, name)
  // A name that came from the environment is not for messages.
  const shown = written.includes('${') ? 'the file that it refers to' : JSON.stringify(name)
  try {
    const stat = statSync(file)
    if (!stat.isFile()) return refuse(`${shown} is not a file`)
    if (stat.size > FILE_BYTES) return refuse(`${shown} is larger than 1 MiB`)
    if (isSecret(path) && (stat.mode & 0o004) !== 0) {
      report.warning(path, `${shown} holds a secret and everybody on this machine may read it; chmod 600 mends that`)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)).trimEnd()
  } catch (error) {
    return refuse(`${shown} cannot be read (${reason(error)})`)
  }

  function refuse(message: string): undefined {
    report.problem(path, message)
  }
}

function reason(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    if (error.code === 'ENOENT') return 'there is no such file'
    if (error.code === 'EACCES') return 'permission denied'
    return error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : error.code
  }
  return 'unknown reason'
}

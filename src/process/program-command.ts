// How this program was run, as words that a person can paste: the banner's commands must work where it was started.

import { readFileSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path'

export interface HowItRuns {
  /** `process.argv[1]`: a link of npm's, or the program's own file. */
  script: string
  cwd: string
  /** The search path of the shell. */
  path: string | undefined
}

/**
 * `npx --yes ./portcullis-1.2.3.tgz` when npx fetched it for this run, `npx portcullis` when it is installed in a
 * project around the working directory, `portcullis` when the shell finds it, else `node` and its file.
 */
export function programCommand({ script, cwd, path }: HowItRuns): string {
  const folder = dirname(script)
  if (folder.endsWith(join('node_modules', '.bin'))) {
    const project = dirname(dirname(folder))
    const wanted = wantedByNpx(project)
    // Of a file npx asks each time whether it may be installed.
    if (wanted !== undefined) return `npx --yes ${shellWord(wanted)}`
    if (isWithin(cwd, project)) return `npx ${basename(script)}`
  } else if ((path ?? '').split(delimiter).includes(folder)) return basename(script)
  return `node ${shellWord(relative(cwd, script) || script)}`
}

/** What npx was told to run, from the note that it leaves in the folder of its own; undefined in any other project. */
function wantedByNpx(project: string): string | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      _npx?: { packages?: unknown }
    }
    const [wanted] = Array.isArray(manifest._npx?.packages) ? manifest._npx.packages : []
    return typeof wanted === 'string' ? wanted : undefined
  } catch {
    return undefined
  }
}

function isWithin(inner: string, outer: string): boolean {
  const way = relative(outer, inner)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function shellWord(text: string): string {
  return /^[\w@./:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

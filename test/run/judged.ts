// The judge over a test run: every answer of every process is held against the document of the API (judge/). What is
// outside of it fails the run.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface Judged {
  /** For the environment of every test file. */
  environment: Readonly<Record<string, string>>
  /** Prints what was found; whether all answers were as documented. */
  settle(): boolean
}

/**
 * Makes the document that the run is judged by. Without one every answer would pass, so that is a failure too, and so
 * is a whole run in which nothing was heard.
 */
export function startJudging(root: string, { isWhole }: { isWhole: boolean }): Judged {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-judged-'))
  const judge = join(root, 'dist/test/run/judge')
  const written = spawnSync(process.execPath, [join(judge, 'write-document.js'), folder], { encoding: 'utf8' })
  const preload = pathToFileURL(join(judge, 'preload.js'))
  preload.searchParams.set('folder', folder)
  return {
    environment:
      written.status === 0
        ? { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${preload.href}`.trim() }
        : {},
    settle() {
      if (written.status !== 0) console.log(`\nthere is no document to judge by\n${written.stderr}`)
      const isGood = written.status === 0 && print(folder, isWhole)
      rmSync(folder, { recursive: true, force: true })
      return isGood
    },
  }
}

function print(folder: string, isWhole: boolean): boolean {
  const reports = linesOf(folder, 'judged').flatMap(reportIn)
  const answers = reports.reduce((sum, report) => sum + report.answers, 0)
  const operations = new Set(reports.flatMap((report) => report.operations))
  const outside = [...new Set(linesOf(folder, 'outside'))].sort()
  console.log(`\njudged ${answers} answers of ${operations.size} operations, ${outside.length} outside`)
  for (const line of outside) console.log(`outside the document: ${line}`)
  return outside.length === 0 && !(isWhole && answers === 0)
}

/** What a process reported; of one that was killed while it wrote there is a piece of a line, which counts nothing. */
function reportIn(line: string): { answers: number; operations: string[] }[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

/** What the processes of the run wrote to their files of that name. */
function linesOf(folder: string, name: string): string[] {
  const files = readdirSync(folder).filter((file) => file.startsWith(`${name}.`))
  return files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean))
}

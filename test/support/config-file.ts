// Configuration files for tests: written into a folder of the test, loaded, and their mistakes read back.

import { join } from 'node:path'
import { loadSettings } from '../../src/config/load.js'
import { ConfigurationErrors, formatProblem } from '../../src/config/problem.js'
import type { Settings } from '../../src/config/settings.js'

/** What is needed of a tap test. */
interface Folder {
  testdir(content: Record<string, string>): string
}

/** Loads a configuration from text; `files` lie beside it. Throws ConfigurationErrors. */
export function settingsFrom(
  t: Folder,
  text: string,
  env: NodeJS.ProcessEnv = {},
  files: Record<string, string> = {},
): Settings {
  const folder = t.testdir({ 'portcullis.yaml': text, ...files })
  return loadSettings({ file: join(folder, 'portcullis.yaml'), env, cwd: folder })
}

/** The mistakes of a configuration as `line:column path: what`; empty when it loads. */
export function mistakesOf(
  t: Folder,
  text: string,
  env: NodeJS.ProcessEnv = {},
  files: Record<string, string> = {},
): string[] {
  try {
    settingsFrom(t, text, env, files)
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationErrors)) throw error
    return error.problems.map((problem) => formatProblem({ ...problem, file: '' }).slice(1))
  }
}

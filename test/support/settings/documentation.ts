// The texts that people read before and while they use Portcullis: README.md, the pages of src/docs, deploy/README.md.
// Their blocks of code are cut out here, so that tests run what stands there and not a copy of it.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../src/config/read/package-root.js'

const root = String(packageRoot())

/** One block between fences. */
export interface DocumentedBlock {
  /** From the root of the repository. */
  file: string
  /** `sh`, `js`, `yaml`; empty for a drawing. */
  language: string
  text: string
  /** Whether a comment before it says that no test runs it. */
  isOnlyChecked: boolean
}

/** The files, from the root of the repository. */
export function documentationFiles(): string[] {
  const pages = readdirSync(join(root, 'src/docs')).map((name) => `src/docs/${name}`)
  return ['README.md', ...pages.sort(), 'deploy/README.md']
}

/** Every fenced block of them, in order. */
export function documentedBlocks(files = documentationFiles()): DocumentedBlock[] {
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(<!-- Checked [^>]*-->\n)?^```(\w*)\n([\s\S]*?)^```$/gm)].map(
      ([, comment, language = '', text = '']) => ({ file, language, text, isOnlyChecked: comment !== undefined }),
    ),
  )
}

/** The first block in which `marker` stands. */
export function documentedBlock(marker: string): string | undefined {
  return documentedBlocks().find(({ text }) => text.includes(marker))?.text
}

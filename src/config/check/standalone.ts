// The module that takes the place of file-check.ts in a bundle: the same validator, written down by its compiler.

import standalone from 'ajv/dist/standalone/index.js'
import { compileFileCheck } from './compiler.js'

/** Its text, for a file in this folder. */
export function fileCheckModule(): string {
  const { ajv, check } = compileFileCheck(true)
  const text = standalone.default(ajv, check)
  return `import { isBetween } from './between.js'\n${text}\nexport const fileCheck = () => validate\n`
}

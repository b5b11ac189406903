// What a child process of a test gets to see.

import { join } from 'node:path'
import { packageRoot } from '../../../src/config/read/package-root.js'

/**
 * Our environment without what the test runner puts into it: a child is what an operator starts. What it answers is
 * judged all the same (run/judge/preload.ts), which changes nothing about it.
 */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => !/^(NODE_OPTIONS|NODE_V8_COVERAGE|TAP|_TAP)/.test(name))
  const judge = /--import=\S*\/judge\/preload\.js\S*/.exec(process.env['NODE_OPTIONS'] ?? '')?.[0]
  // A child that runs from source in a folder of its own does not find how the pages' JSX is meant.
  return {
    ...Object.fromEntries(ours),
    ...(judge === undefined ? {} : { NODE_OPTIONS: judge }),
    TSX_TSCONFIG_PATH: join(String(packageRoot()), 'tsconfig.json'),
  }
}

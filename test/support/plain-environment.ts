// What a child process of a test gets to see.

import { fileURLToPath } from 'node:url'

/** Our environment without what the test runner puts into it: a child is what an operator starts. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(([name]) => !/^(NODE_OPTIONS|NODE_V8_COVERAGE|TAP|_TAP)/.test(name))
  // A child that runs from source in a folder of its own does not find how the pages' JSX is meant.
  return {
    ...Object.fromEntries(ours),
    TSX_TSCONFIG_PATH: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)),
  }
}

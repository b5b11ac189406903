// What a child process of a test gets to see.

/** Our environment without what the test runner puts into it: a child is what an operator starts. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(NODE_OPTIONS|NODE_V8_COVERAGE|TAP|_TAP)/.test(name)),
  )
}

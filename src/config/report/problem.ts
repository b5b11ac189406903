// What is wrong with a configuration, and where. Messages name settings and quote what the file itself says; they never
// quote a value that came from the environment, from another file, or from a place that holds a secret.

/** One mistake. Line and column count from 1; `path` reads like `routes["GET /api/v2/me"].require`. */
export interface Problem {
  file: string
  line: number
  column: number
  path: string
  message: string
}

/** Thrown by loadSettings: every mistake of the file, in its order. `problems` is never empty. */
export class ConfigurationErrors extends Error {
  override readonly name = 'ConfigurationErrors'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

/** `file:line:column path: what`, on one line, as editors and terminals know how to open. */
export function formatProblem(problem: Problem): string {
  const place = `${problem.file}:${problem.line}:${problem.column}`
  const line = problem.path === '' ? `${place} ${problem.message}` : `${place} ${problem.path}: ${problem.message}`
  return line.replace(UNPRINTABLE, '?')
}

// A key of the file may hold an escape sequence; a terminal must not act on it.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

// Regular expressions of a document. The operator has chosen them, but the texts are anybody's: what an expression takes can grow
// with the square of a text's length, so longer texts fit none.

const longest = 4_096

/** As validators want it. Throws SyntaxError. */
export function boundedPattern(pattern: string): { test(text: string): boolean; toString(): string } {
  const expression = expressionOf(pattern)
  // By its text a validator remembers it: two that say the same of themselves are one to it.
  return { test: (text) => text.length <= longest && expression.test(text), toString: () => String(expression) }
}
boundedPattern.code = 'boundedPattern'

/** Whether it is one. */
export function isPattern(pattern: unknown): boolean {
  try {
    return typeof pattern === 'string' && expressionOf(pattern) instanceof RegExp
  } catch {
    return false
  }
}

/** Many were written without the flag and are none with it. */
function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return new RegExp(pattern)
  }
}

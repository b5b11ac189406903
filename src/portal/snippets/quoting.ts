// What others chose, as texts of a language.

/** A text of JavaScript, Python, Go and Java, with its quotation marks. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

/**
 * For a shell: a redirect URI may contain what ends a word there or begins a command, and somebody else may have chosen
 * it.
 */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

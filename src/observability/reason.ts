// Why something failed, as one line for people: what a log says where a stack would only be noise.

/** The error's message and that of its cause. Only for errors that are known to carry nothing secret. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

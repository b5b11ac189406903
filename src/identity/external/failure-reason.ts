// Why signing in at a provider failed, as the operator reads it in the log: the reason of DNS, TLS or the connection,
// the status of an answer, and the OAuth error in it. Nothing else that the provider sent.

const deepest = 5
const longest = 300

/** `why`: each message of the chain with its code; `providerError`: such as invalid_client (RFC 6749 §5.2). */
export interface FailureReason {
  why: string
  providerError?: string
  providerStatus?: number
}

/** What is known of it. A cause that is no Error is an answer of the provider, and stays outside. */
export function failureReason(thrown: unknown): FailureReason {
  const said: string[] = []
  const answer: Pick<FailureReason, 'providerError' | 'providerStatus'> = {}
  let error = thrown
  for (let depth = 0; error instanceof Error && depth < deepest; depth += 1) {
    const { message, code, error: word, status, cause } = error as Error & Record<string, unknown>
    const name = typeof code === 'string' && !message.includes(code) ? ` (${code})` : ''
    if (!said.includes(message + name)) said.push(message + name)
    // A word of the registry and nothing longer, which would be a text of theirs.
    if (typeof word === 'string' && /^[a-z_]{1,40}$/.test(word)) answer.providerError ??= word
    if (typeof status === 'number') answer.providerStatus ??= status
    error = cause
  }
  const why = said.length === 0 ? String(thrown) : said.join(': ')
  return { why: why.slice(0, longest), ...answer }
}

// Why an MCP server could not be read.

/**
 * `unreachable`: nobody answered. `late`: not in time. `untrusted`: its certificate is not trusted. `denied`: it wants to
 * know who asks. `foreign`: what answers speaks no MCP. `failed`: it speaks MCP, and not as it should.
 */
export type FailureKind = 'unreachable' | 'late' | 'untrusted' | 'denied' | 'foreign' | 'failed'

/** `message` is safe to show on a terminal: what a server says is written out in it. */
export class McpFailure extends Error {
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

/** Words of a server, without what a terminal might obey. */
export function quoted(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
    .slice(0, 200)
}

// Why one of the rooms below the edges does not do what was requested: one shape, so that each edge makes one answer of
// it. The rooms have their own codes (directory, users, events).

/** The HTTP status of each kind, wherever it is said. */
const statusOfKind = { not_found: 404, invalid: 400, forbidden: 403, conflict: 409 } as const

export type RefusalKind = keyof typeof statusOfKind

/**
 * What a room says. Nothing in it is secret: `message` is safe to send and to show, `target` names the field it is
 * about.
 */
export interface RefusalText<Code extends string> {
  code: Code
  message: string
  target: string | undefined
}

/** Each room has a class of its own, so that code that catches one catches no other. */
export abstract class Refusal<Code extends string = string> extends Error {
  readonly code: Code
  readonly target: string | undefined
  /** For the edge that answers. */
  readonly status: (typeof statusOfKind)[RefusalKind]

  constructor(kinds: Readonly<Record<Code, RefusalKind>>, { code, message, target }: RefusalText<Code>) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.target = target
    this.status = statusOfKind[kinds[code]]
  }
}

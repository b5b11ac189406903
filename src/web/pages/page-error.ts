// A refusal that a person sees: what happened and how to go on, in a page of its own. browser/page-routes.ts writes it.

export interface PageErrorDetails {
  status: number
  /** The heading. */
  title: string
  /** What happened, in a sentence. Shown as text: it may name things, and never a secret. */
  what: string
  /** What to do about it. */
  remedy: string
  /** Where to go from here: paths of this origin. */
  links?: readonly { href: string; text: string }[]
  /** Stable id for the log. */
  reason?: string
  /** Seconds, for Retry-After. */
  retryAfterSeconds?: number
  /** Response fields that belong to this refusal, such as Allow. */
  headers?: readonly (readonly [name: string, value: string])[]
  cause?: unknown
}

/** Thrown by whatever answers a browser; becomes a page. */
export class PageError extends Error {
  readonly status: number
  readonly title: string
  readonly what: string
  readonly remedy: string
  readonly links: readonly { href: string; text: string }[]
  readonly reason: string
  readonly retryAfterSeconds: number | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]

  constructor(details: PageErrorDetails) {
    super(details.what, { cause: details.cause })
    this.name = 'PageError'
    this.status = details.status
    this.title = details.title
    this.what = details.what
    this.remedy = details.remedy
    this.links = details.links ?? []
    this.reason = details.reason ?? `page:${details.status}`
    this.retryAfterSeconds = details.retryAfterSeconds
    this.headers = details.headers ?? []
  }
}

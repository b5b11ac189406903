// A refusal that a person sees: what happened and how to go on, in a page of its own. browser/page-routes.ts writes it.

import type { Texts } from '../../languages/english/texts.js'
import { type Said, say, textsIn } from '../../languages/texts.js'

/** A way to go on: a path of this origin, and what it says. */
export interface PageLink {
  href: string
  text: Said
}

export interface PageErrorDetails {
  status: number
  /** The heading. */
  title: Said
  /** What happened, in a sentence. Shown as text: it may name things, and never a secret. */
  what: Said
  /** What to do about it. */
  remedy: Said
  /** Where to go from here: paths of this origin. */
  links?: readonly PageLink[]
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
  readonly title: Said
  readonly what: Said
  readonly remedy: Said
  readonly links: readonly PageLink[]
  readonly reason: string
  readonly retryAfterSeconds: number | undefined
  readonly headers: readonly (readonly [name: string, value: string])[]

  constructor(details: PageErrorDetails) {
    super(say(textsIn('en'), details.what), { cause: details.cause })
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

interface ErrorText {
  title: string
  what: string
  remedy: string
}

/** Heading, what happened and what to do, as one entry of the catalogues has them. */
export function errorText(pick: (texts: Texts) => ErrorText): { title: Said; what: Said; remedy: Said } {
  return {
    title: (texts) => pick(texts).title,
    what: (texts) => pick(texts).what,
    remedy: (texts) => pick(texts).remedy,
  }
}

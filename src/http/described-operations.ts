// How a room tells what its routes are for: one table beside their owner, from which management/openapi/ makes the
// document of the API (decision 0063). Types alone; a route that no table has makes test/openapi.test.ts fail.

/** What is written down of an answer that no route schema knows. */
export interface DescribedAnswer {
  description: string
  /** Media type; `application/json` when there is a schema and no type. Neither: the answer has no body. */
  type?: string
  /** JSON Schema. */
  schema?: object
  /** A page instead, for clients that accept one. */
  orPage?: true
}

/** What a route's own registration does not say. */
export interface MoreOnOperation {
  /** More than the summary, in sentences. */
  description?: string
  /** Good answers by status, instead of those that follow from the route's schema and the family. */
  answers?: Readonly<Record<number, DescribedAnswer>>
  /** Statuses of refusals beside the usual ones of the family. */
  refusals?: readonly number[]
  /** Of these statuses, clients that accept a page get one. */
  refusedByPage?: readonly number[]
  body?: { type: string; schema: object }
  /** Parameters of the query by name, with what they are. */
  query?: Readonly<Record<string, string>>
  /** Says its ETag; answers 304 to If-None-Match and, where it changes something, 412 to If-Match. */
  tagged?: true
  /** OpenAPI security requirements, instead of those of the group. */
  security?: readonly Readonly<Record<string, readonly string[]>>[]
}

/** operationId, one sentence for people, and whatever else. */
export type DescribedOperation = readonly [id: string, summary: string, more?: MoreOnOperation]

/** Operations that belong together: a chapter of the reference. */
export interface OperationGroup {
  tag: string
  description: string
  /** How it refuses: ApiError, OAuthError or a page; `document` is public and refuses nobody. */
  family: 'api' | 'oauth' | 'page' | 'document'
  security: readonly Readonly<Record<string, readonly string[]>>[]
  /** Pages that may send the browser back to an application, by 302. */
  leavesHere?: true
  /** By `METHOD /path`, with parameters in braces; a key that ends in `/**` is for all below. */
  operations: Readonly<Record<string, DescribedOperation>>
  /** By path: a page has one title, whether it is shown (GET) or its form is sent (POST). */
  pages?: Readonly<Record<string, string>>
}

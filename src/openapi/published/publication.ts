// A service's document as readers get it: what it says of its operations, in the words of OpenAPI 3.1. Types alone.

/** A value of one media type. */
export interface PublishedMedia {
  schema: object
  example?: unknown
}

export interface PublishedParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  deprecated?: true
  style?: string
  explode?: boolean
  /** One of the two. */
  schema?: object
  content?: Readonly<Record<string, PublishedMedia>>
  example?: unknown
}

export interface PublishedAnswer {
  description: string
  headers?: Readonly<Record<string, object>>
  content?: Readonly<Record<string, PublishedMedia>>
}

export interface PublishedOperation {
  summary: string | undefined
  description: string | undefined
  deprecated: boolean
  /** Those of the path under the names of the service's own path. */
  parameters: readonly PublishedParameter[]
  body: { required: boolean; description?: string; content: Readonly<Record<string, PublishedMedia>> } | undefined
  /** By status, `4XX` or `default`. */
  answers: Readonly<Record<string, PublishedAnswer>>
}

/** Who answers for a service, as far as its document says. `url` is http or https. */
export interface PublishedContact {
  name?: string
  url?: string
  email?: string
}

export interface PublishedService {
  title: string | undefined
  description: string | undefined
  /** Its own; one line. */
  version: string | undefined
  contact: PublishedContact | undefined
  /** By upper-case method and path, which begins with that of its servers; not those that are marked internal. */
  operations: readonly { method: string; path: string }[]
  /** One of `operations`. Undefined when so much of the document was written that there is no room for it. */
  operation(method: string, path: string): PublishedOperation | undefined
  /** The components that what was written so far refers to. */
  schemas(): Record<string, object>
}

// What an OpenAPI document says of requests, as the gate asks it: which operation a request is, and what belongs to it.

import type { PublishedService } from './published/publication.js'

/**
 * What is wrong with a value: where in it (a JSON pointer, empty for the whole) and why. It holds nothing of the value.
 */
export interface Wrong {
  pointer: string
  message: string
}

/**
 * Undefined: the value is as its schema says. `steps` bounds the work: each schema that another one refers to is one,
 * each time that it is called; a value that takes more is wrong.
 */
export type SchemaCheck = (value: unknown, steps: number) => Wrong | undefined

export interface DescribedParameter {
  in: 'path' | 'query' | 'header'
  /** Of a header in lower case. */
  name: string
  required: boolean
  /**
   * `one` text; `json`: a text that is JSON; `repeated`: the parameter stands once for each element; `separator`:
   * elements in one text. `there`: a form that is not taken apart, only missed.
   */
  form: 'one' | 'json' | 'repeated' | 'there' | { separator: string }
  check: SchemaCheck
  /** Of an element of a list. */
  checkItem: SchemaCheck
}

export interface DescribedBody {
  required: boolean
  /**
   * What bodies of a media type are to be, by its essence in lower case (`application/json`); undefined: none may come.
   */
  ofType(type: string): SchemaCheck | undefined
}

export interface DescribedOperation {
  parameters: readonly DescribedParameter[]
  /** Undefined: it has none. */
  body: DescribedBody | undefined
}

export interface FoundOperation {
  operation: DescribedOperation
  /** Decoded values of the parameters in the path. */
  values: ReadonlyMap<string, string>
}

export interface ServiceDescription {
  /** The same for the same document. */
  digest: string
  /** The operation of a canonical path as the service gets it; HEAD without one of its own is GET. */
  find(method: string, path: string): FoundOperation | undefined
  /** For readers. The names of its components begin with what `prefixOf` makes of its title, letters and digits. */
  publish(prefixOf: (title: string | undefined) => string): PublishedService
}

/**
 * The text describes no service that requests could be compared with; the message says why, and where in the document.
 */
export class NoDescription extends Error {}

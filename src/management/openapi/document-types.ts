// The document of the API as far as this server writes and reads it: OpenAPI 3.1, a part of it.

type JsonSchema = object

/** A value of one media type. */
export interface ApiMedia {
  schema: JsonSchema
  example?: unknown
}

/** It has a schema, or what it is in one media type. */
export interface ApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  deprecated?: true
  style?: string
  explode?: boolean
  schema?: JsonSchema
  content?: Readonly<Record<string, ApiMedia>>
  example?: unknown
}

export interface ApiResponse {
  description: string
  headers?: Readonly<Record<string, object>>
  content?: Readonly<Record<string, ApiMedia>>
}

/** A reference to one of the components, mostly with a description of its own. */
export interface ReferredResponse {
  $ref: string
  description?: string
}

export interface ApiOperation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  parameters?: readonly ApiParameter[]
  requestBody?: { required: boolean; description?: string; content: Readonly<Record<string, ApiMedia>> }
  responses: Readonly<Record<string, ApiResponse | ReferredResponse>>
  security: readonly Readonly<Record<string, readonly string[]>>[]
  /** It will end. */
  deprecated?: true
  /** What the caller must hold: any of these lists is enough, of a list all. */
  'x-permissions'?: readonly (readonly string[])[]
  /** The API that those permissions are of, where it is another one than the server's own. */
  'x-resource'?: string
  /** Days, in UTC: since when it should not be used any more, and from when on it may be gone; where that is explained. */
  'x-end'?: { deprecated?: string; sunset?: string; link?: string }
}

/** What the document of a service says of itself; empty where there is none. Only chapters behind the gate have it. */
export interface ApiFacts {
  version?: string
  contact?: { name?: string; url?: string; email?: string }
}

export interface ApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: readonly { url: string }[]
  tags: readonly { name: string; description: string; 'x-api'?: ApiFacts }[]
  /** By path, then by method in lower case. */
  paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  components: {
    schemas: Readonly<Record<string, JsonSchema>>
    responses: Readonly<Record<string, ApiResponse>>
    securitySchemes: Readonly<Record<string, object>>
  }
}

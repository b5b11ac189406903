// Answers send what their schema lists, and nothing else: the serializer is the allow-list. As validators
// (body-checks.ts) it is compiled when it is first needed, and once for all transports.

import buildSerializer from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'

type Serialize = (answer: unknown) => string

const serializers = new WeakMap<object, Serialize>()

/** Sets the serializer of this scope. */
export function listedAnswers(app: FastifyInstance): void {
  app.setSerializerCompiler(
    ({ schema }) =>
      (answer: unknown) =>
        serializerOf(schema as object)(answer),
  )
}

function serializerOf(schema: object): Serialize {
  const known = serializers.get(schema)
  if (known !== undefined) return known
  const made: Serialize = buildSerializer(schema)
  serializers.set(schema, made)
  return made
}

// How the queries of a contract run: the same on every engine, so their answers can be held against each other.

import type { Statements, Store } from '../../src/storage/sql/store.js'

export type Query = (tx: Statements) => Promise<unknown>

/**
 * Runs each query in a transaction of its own; their answers as JSON, because the rows of one engine have a prototype
 * and those of the other have none. What a query throws is what `refused` makes of it; without it, it is thrown.
 */
export async function answersOf(
  store: Store,
  queries: readonly Query[],
  refused: (error: unknown) => unknown = rethrow,
): Promise<string[]> {
  const answers: string[] = []
  for (const query of queries) {
    const answer = await store.transaction(query).catch(refused)
    answers.push(JSON.stringify(answer ?? 'nothing'))
  }
  return answers
}

/** The code of what was thrown, which every engine has. */
export function refusedByCode(error: unknown): { refused: string | undefined } {
  return { refused: (error as { code?: string }).code }
}

function rethrow(error: unknown): never {
  throw error
}

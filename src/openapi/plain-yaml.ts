// Reads YAML or JSON that is no configuration of ours, such as another product's document: plain data, nothing
// resolved, and null may stand where it likes.

import { LineCounter, parseDocument } from 'yaml'

/** Aliases that a document may have in all: few have any, and a few can grow without end. */
const mostAliases = 1_000

/** The text is not YAML; the message says where, and quotes nothing of it. */
export class NotYaml extends Error {}

/** The data of the first document. Throws NotYaml. */
export function readPlainYaml(text: string): unknown {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent' })
  const [first] = document.errors
  if (first !== undefined) {
    const { line, col } = lines.linePos(first.pos[0])
    throw new NotYaml(`${line}:${col}: this is not YAML (${first.code})`)
  }
  try {
    return document.toJS({ maxAliasCount: mostAliases })
  } catch (error) {
    throw new NotYaml('it grows too large through aliases, or has one without an anchor', { cause: error })
  }
}

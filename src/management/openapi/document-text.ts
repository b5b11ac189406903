// The document of the API as JSON, in steps: of thousands of routes it is many megabytes, which one call would write
// and hash while requests wait.

import { createHash } from 'node:crypto'
import type { Steps } from '../../config/reload/steps.js'
import type { PreparedText } from '../../identity/metadata/public-document.js'
import type { ApiDocument } from './document-types.js'

/** Texts are put together until they are so long. */
const pieceChars = 65_536

/** The bytes that JSON.stringify has for it, and their hash. A step is a path. */
export function* documentText(document: ApiDocument): Steps<PreparedText> {
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  let text = '{'
  const flush = () => {
    const piece = Buffer.from(text)
    hash.update(piece)
    pieces.push(piece)
    text = ''
  }
  for (const [at, [name, part]] of Object.entries(document).entries()) {
    text += `${at === 0 ? '' : ','}${JSON.stringify(name)}:`
    if (name !== 'paths') text += JSON.stringify(part)
    else {
      text += '{'
      for (const [index, [path, methods]] of Object.entries(document.paths).entries()) {
        text += `${index === 0 ? '' : ','}${JSON.stringify(path)}:${JSON.stringify(methods)}`
        if (text.length > pieceChars) flush()
        yield
      }
      text += '}'
    }
    yield
  }
  text += '}'
  flush()
  return { body: Buffer.concat(pieces), etag: `"${hash.digest('base64url')}"` }
}

// What was just done, said once on the page that one comes back to (`?done=word`). Each page has its own list of words.

import type { VNode } from 'preact'
import { Notice } from '../web/pages/elements.js'
import type { PortalContext } from './context.js'

/** The notice for the page's word, when it is one of `texts`. */
export function Done({
  context,
  texts,
}: {
  context: PortalContext
  texts: Readonly<Record<string, string>>
}): VNode | null {
  const word = context.query.get('done') ?? ''
  const text = Object.hasOwn(texts, word) ? texts[word] : undefined
  if (text === undefined) return null
  return (
    <Notice id="done" kind="success">
      <p>{text}</p>
    </Notice>
  )
}

/** Where to go after something was done: `path` with the word and the tenant. Answer it with status 303. */
export function doneLink(context: PortalContext, path: string, word: string): string {
  return context.link(`${path}?done=${word}`)
}

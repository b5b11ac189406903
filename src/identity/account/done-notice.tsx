// What was just done, said once on the page that one comes back to. The address has a word of this list and nothing
// else.

import type { FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import type { Texts } from '../../languages/english/texts.js'
import { textsIn } from '../../languages/texts.js'
import { useTexts } from '../../web/language/texts.js'
import { queryOf } from '../../web/page-address.js'
import { Notice } from '../../web/pages/elements.js'

/** What can have been done: the words of the address. */
export type DoneWord = keyof Texts['account']['done']

function isDone(word: string): word is DoneWord {
  return Object.hasOwn(textsIn('en').account.done, word)
}

/** The word in `?done=`, when it is one of ours. */
export function doneOf(request: FastifyRequest): DoneWord | undefined {
  const word = queryOf(request).get('done') ?? ''
  return isDone(word) ? word : undefined
}

/** The notice for it. */
export function Done({ done }: { done: DoneWord | undefined }): VNode | null {
  const { account } = useTexts()
  if (done === undefined) return null
  return (
    <Notice id="done" kind="success">
      <p>{account.done[done]}</p>
    </Notice>
  )
}

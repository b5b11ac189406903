// What was wrong with a form that was sent: said at the field that it is about, or above the form.

import type { VNode } from 'preact'
import { type Said, say } from '../../languages/texts.js'
import { useTexts } from '../language/texts.js'
import { Notice } from './elements.js'

/** `message` is shown as it is; `target` is the id of a field, absent when it is about all of the form. */
export interface Problem {
  message: Said
  target: string | undefined
}

/** What to say at the field `id`. */
export function problemAt(problem: Problem | undefined, id: string): Said | undefined {
  return problem?.target === id ? problem.message : undefined
}

/** What to say above a form; nothing when one of its `fields` says it. */
export function ProblemNotice({
  problem,
  fields = [],
}: {
  problem: Problem | Said | undefined
  fields?: readonly string[]
}): VNode | null {
  const texts = useTexts()
  const { message, target } = typeof problem === 'object' ? problem : { message: problem, target: undefined }
  if (message === undefined || (target !== undefined && fields.includes(target))) return null
  return (
    <Notice id="problem" kind="error">
      <p>{say(texts, message)}</p>
    </Notice>
  )
}

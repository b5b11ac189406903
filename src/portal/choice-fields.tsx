// Fields that elements.tsx of web/pages/ has not: one of several, and text of several lines.

import type { VNode } from 'preact'
import { describedBy, Labelled, type LabelledProps, OneOf } from '../web/pages/labelled.js'

/** `id` is also the name that it is sent under. */
interface Common extends LabelledProps {
  value?: string | undefined
}

/** One of `options`, the first unless `value` names another. */
export function Select(props: Common & { options: readonly (readonly [value: string, text: string])[] }): VNode {
  return <OneOf {...props} />
}

/** Several lines. */
export function TextArea(props: Common & { rows?: number; required?: boolean; maxLength?: number }): VNode {
  const { id, value = '', rows = 6, required = true, maxLength = 16_000 } = props
  return (
    <Labelled {...props}>
      <textarea
        id={id}
        name={id}
        class="code"
        rows={rows}
        required={required}
        maxLength={maxLength}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        {...describedBy(props)}
      >
        {value}
      </textarea>
    </Labelled>
  )
}

// The field for a code of an authenticator app.

import type { VNode } from 'preact'
import { useTexts } from '../language/texts.js'
import { Field, type FieldProps } from './elements.js'

/** Sent as `code`. */
export function CodeField(props: Pick<FieldProps, 'error' | 'autofocus'>): VNode {
  return (
    <Field
      {...props}
      id="code"
      label={useTexts().frame.code}
      autocomplete="one-time-code"
      inputMode="numeric"
      maxLength={16}
    />
  )
}

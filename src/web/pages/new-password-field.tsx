// Where somebody chooses a password. The page's script (scripts.ts) can show what was typed; the rules are in
// users/credentials/password-rules.ts.

import type { VNode } from 'preact'
import type { Said } from '../../languages/texts.js'
import { useTexts } from '../language/texts.js'
import { Field } from './elements.js'

/** A field `password`; `length` is the fewest characters that will do. */
export function NewPasswordField({
  label,
  length,
  error,
  autofocus = false,
}: {
  label: string
  length: number
  error: Said | undefined
  autofocus?: boolean
}): VNode {
  return (
    <Field
      id="password"
      label={label}
      type="password"
      hint={useTexts().frame.passwordHint(length)}
      error={error}
      autocomplete="new-password"
      minLength={length}
      maxLength={1024}
      autofocus={autofocus}
    />
  )
}

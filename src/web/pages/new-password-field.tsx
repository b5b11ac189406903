// Where somebody chooses a password. The page's script (scripts.ts) can show what was typed; the rules are in
// users/credentials/password-rules.ts.

import type { VNode } from 'preact'
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
  error: string | undefined
  autofocus?: boolean
}): VNode {
  return (
    <Field
      id="password"
      label={label}
      type="password"
      hint={`At least ${length} characters. A few unrelated words are good.`}
      error={error}
      autocomplete="new-password"
      minLength={length}
      maxLength={1024}
      autofocus={autofocus}
    />
  )
}

// Fields that elements.tsx of identity/ has not: one of several, and text of several lines.

import type { ComponentChildren, VNode } from 'preact'

interface Common {
  /** Also the name that it is sent under. */
  id: string
  label: string
  hint?: ComponentChildren
  /** What is wrong with it, in words. */
  error?: string | undefined
  value?: string | undefined
}

/** One of `options`, the first unless `value` names another. */
export function Select(props: Common & { options: readonly (readonly [value: string, text: string])[] }): VNode {
  const { id, value, options } = props
  return (
    <Around {...props}>
      <select id={id} name={id} {...described(props)}>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </Around>
  )
}

/** Several lines. */
export function TextArea(props: Common & { rows?: number; required?: boolean; maxLength?: number }): VNode {
  const { id, value = '', rows = 6, required = true, maxLength = 16_000 } = props
  return (
    <Around {...props}>
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
        {...described(props)}
      >
        {value}
      </textarea>
    </Around>
  )
}

function Around({ id, label, hint, error, children }: Common & { children?: ComponentChildren }): VNode {
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <label for={id}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {error === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

function described({ id, hint, error }: Common) {
  const ids = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter((x) => x !== '')
  return {
    ...(ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') }),
    ...(error === undefined ? {} : { 'aria-invalid': 'true' as const }),
  }
}

// What every control of a form has around it: its label, its hint, and in words what is wrong with it. Assistive
// technology reads all three with the control.

import type { ComponentChildren, VNode } from 'preact'
import { type Said, say } from '../../languages/texts.js'
import { useTexts } from '../language/texts.js'

export interface LabelledProps {
  /** Of the control. */
  id: string
  label: string
  hint?: ComponentChildren
  /** What is wrong with what was entered, in words. */
  error?: Said | undefined
}

/** `children` is the control. It takes `describedBy` of the same properties. */
export function Labelled({ id, label, hint, error, children }: LabelledProps & { children: ComponentChildren }): VNode {
  const texts = useTexts()
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
          {say(texts, error)}
        </p>
      )}
    </div>
  )
}

/** The attributes by which a control names its hint and its error. */
export function describedBy({ id, hint, error }: Omit<LabelledProps, 'label'>): {
  'aria-describedby'?: string
  'aria-invalid'?: 'true'
} {
  const ids = [hint === undefined ? [] : `${id}-hint`, error === undefined ? [] : `${id}-error`].flat()
  return {
    ...(ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') }),
    ...(error === undefined ? {} : { 'aria-invalid': 'true' }),
  }
}

/** One of `options`, the first unless `value` names another. `id` is also the name that it is sent under. */
export function OneOf(
  props: LabelledProps & {
    value?: string | undefined
    options: readonly (readonly [value: string, text: string, language?: string])[]
  },
): VNode {
  const { id, value, options } = props
  return (
    <Labelled {...props}>
      <select id={id} name={id} {...describedBy(props)}>
        {options.map(([each, text, language]) => (
          <option
            key={each}
            value={each}
            selected={each === value}
            {...(language === undefined ? {} : { lang: language })}
          >
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

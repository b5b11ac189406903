// The parts that pages are made of. Each has a stable id, says in words what is wrong, and works without scripts.

import type { ComponentChildren, VNode } from 'preact'
import { useTexts } from '../language/texts.js'
import { describedBy, Labelled, type LabelledProps } from './labelled.js'

/** `id` is also the name that it is sent under. */
export interface FieldProps extends LabelledProps {
  type?: 'text' | 'email' | 'password' | 'search' | 'url'
  autocomplete?: string
  value?: string | undefined
  /** False: it may be left empty. */
  required?: boolean
  inputMode?: 'text' | 'numeric' | 'email'
  minLength?: number
  maxLength?: number
  readOnly?: boolean
  autofocus?: boolean
  spellcheck?: boolean
}

/** A labelled input. Passwords are never filled in. */
export function Field(props: FieldProps): VNode {
  const { id, type = 'text', autocomplete = 'off', value, required = true } = props
  const { frame } = useTexts()
  return (
    <Labelled {...props}>
      <input
        id={id}
        name={id}
        // The types of preact know one shape for each type of input.
        type={type as 'text'}
        autocomplete={autocomplete}
        required={required}
        autocapitalize="none"
        {...(type === 'password' || value === undefined ? {} : { value })}
        {...(type === 'password' ? { 'data-show': frame.show, 'data-hide': frame.hide } : {})}
        {...describedBy(props)}
        {...(props.inputMode === undefined ? {} : { inputmode: props.inputMode })}
        {...(props.minLength === undefined ? {} : { minlength: props.minLength })}
        maxlength={props.maxLength ?? 320}
        {...(props.readOnly === true ? { readonly: true } : {})}
        {...(props.autofocus === true ? { autofocus: true } : {})}
        spellcheck={props.spellcheck === true}
      />
    </Labelled>
  )
}

/** Sends its form. Those that accept and those that refuse have the same weight; `danger` cannot be undone. */
export function Button({
  id,
  kind = 'primary',
  name,
  value,
  skipsCheck,
  children,
}: {
  id: string
  kind?: 'primary' | 'plain' | 'danger'
  name?: string
  value?: string
  /** Sends the form although required fields are empty. */
  skipsCheck?: boolean
  children?: ComponentChildren
}): VNode {
  return (
    <button
      id={id}
      type="submit"
      class={kind}
      {...(name === undefined ? {} : { name })}
      {...(value === undefined ? {} : { value })}
      {...(skipsCheck === true ? { formnovalidate: true } : {})}
    >
      {children}
    </button>
  )
}

/** Something to know before going on. Errors are announced. */
export function Notice({
  id,
  kind = 'info',
  title,
  children,
}: {
  id?: string
  kind?: 'info' | 'error' | 'success'
  title?: string
  children?: ComponentChildren
}): VNode {
  return (
    <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'} {...(id === undefined ? {} : { id })}>
      {title === undefined ? null : <p class="notice-title">{title}</p>}
      {children}
    </div>
  )
}

/** Pairs of a name and what it is. */
export function Facts({
  rows,
  id,
}: {
  rows: readonly (readonly [name: string, value: ComponentChildren])[]
  id?: string
}): VNode {
  return (
    <dl class="facts" {...(id === undefined ? {} : { id })}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

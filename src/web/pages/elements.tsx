// The parts that pages are made of. Each has a stable id, says in words what is wrong, and works without scripts.

import type { ComponentChildren, VNode } from 'preact'

export interface FieldProps {
  /** Also the name that it is sent under. */
  id: string
  label: string
  type?: 'text' | 'email' | 'password' | 'search' | 'url'
  autocomplete?: string
  /** What is wrong with it, in words. */
  error?: string | undefined
  hint?: ComponentChildren
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

/**
 * A labelled input with its hint and its error, which assistive technology reads with it. Passwords are never filled
 * in.
 */
export function Field(props: FieldProps): VNode {
  const { id, label, type = 'text', autocomplete = 'off', error, hint, value, required = true } = props
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
  const describedBy = described.filter((each) => each !== '').join(' ')
  return (
    <div class={error === undefined ? 'field' : 'field wrong'}>
      <label for={id}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <input
        id={id}
        name={id}
        // The types of preact know one shape for each type of input.
        type={type as 'text'}
        autocomplete={autocomplete}
        required={required}
        autocapitalize="none"
        {...(type === 'password' || value === undefined ? {} : { value })}
        {...(describedBy === '' ? {} : { 'aria-describedby': describedBy })}
        {...(error === undefined ? {} : { 'aria-invalid': 'true' })}
        {...(props.inputMode === undefined ? {} : { inputmode: props.inputMode })}
        {...(props.minLength === undefined ? {} : { minlength: props.minLength })}
        maxlength={props.maxLength ?? 320}
        {...(props.readOnly === true ? { readonly: true } : {})}
        {...(props.autofocus === true ? { autofocus: true } : {})}
        spellcheck={props.spellcheck === true}
      />
      {error === undefined ? null : (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
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

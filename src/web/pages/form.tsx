// Forms of pages: always POST, always with the token that says this browser was shown this form
// (browser/form-token.ts).

import { type ComponentChildren, createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'

/** The name that the token is sent under. */
export const formTokenField = 'form_token'

/** The token, for a form written by hand. */
export function HiddenForm({ token }: { token: string }): VNode {
  return <input type="hidden" name={formTokenField} value={token} />
}

/** False around what somebody may look at and not change: no form is shown there. */
export const FormsShown = createContext(true)

/** A form that posts to `action`, a path of this origin with its query. */
export function Form({
  id,
  action,
  token,
  hidden = {},
  label,
  files = false,
  children,
}: {
  id: string
  action: string
  token: string
  /** Further fields that are only handed back. */
  hidden?: Readonly<Record<string, string>>
  label?: string
  /** It has a file, or is long: the page says so too (page-routes.ts). */
  files?: boolean
  children?: ComponentChildren
}): VNode | null {
  if (!useContext(FormsShown)) return null
  return (
    <form
      id={id}
      method="post"
      action={action}
      {...(files ? { enctype: 'multipart/form-data' } : {})}
      {...(label === undefined ? {} : { 'aria-label': label })}
    >
      <HiddenForm token={token} />
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  )
}

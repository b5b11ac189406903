// The field of a logo: what there is now, another file, and taking it away.

import type { VNode } from 'preact'
import { mostLogoBytes } from '../../branding/logo.js'
import type { BrandAnswer } from '../../management/brands/brand-schemas.js'
import type { FormFields } from '../../web/form-token.js'
import { describedBy, Labelled } from '../../web/pages/labelled.js'
import { type Problem, problemAt } from '../../web/pages/problem.js'

type Logo = BrandAnswer<'application'>['logo']

/** `id` is also what the API calls it. */
export function LogoField({
  id,
  label,
  hint,
  logo,
  problem,
}: {
  id: string
  label: string
  hint: string
  logo: Logo
  problem: Problem | undefined
}): VNode {
  const field = { id, label, hint, error: problemAt(problem, id) }
  return (
    <fieldset>
      <Labelled {...field}>
        {logo === null ? null : (
          <span class={`logo-now ${id === 'logoDark' ? 'in-dark' : 'in-light'}`}>
            <img
              id={`${id}-now`}
              src={logo.path}
              width={logo.width}
              height={logo.height}
              alt={`${label}, as it is now`}
            />
          </span>
        )}
        <input id={id} name={id} type="file" accept="image/png,image/jpeg,image/webp" {...describedBy(field)} />
      </Labelled>
      {logo === null ? null : (
        <label class="choice" for={`remove-${id}`}>
          <input type="checkbox" id={`remove-${id}`} name={`remove-${id}`} value="yes" />
          <span>Take it away</span>
        </label>
      )}
    </fieldset>
  )
}

/** What the form says of a logo, for the API: a new one in base64, null to take it away, nothing to leave it. */
export function logoChange<Field extends string>(
  form: FormFields,
  field: Field,
): { changes: { [name in Field]?: string | null }; problem?: Problem } {
  const [file, removed] = [form.get(field), form.get(`remove-${field}`) === 'yes']
  const none = {} as { [name in Field]?: string | null }
  if (file === undefined) return { changes: removed ? { ...none, [field]: null } : none }
  if (removed)
    return { changes: none, problem: { message: 'Choose a file or take the logo away, not both.', target: field } }
  const bytes = Buffer.byteLength(file, 'base64')
  if (bytes <= mostLogoBytes) return { changes: { ...none, [field]: file } }
  const message = `The file has ${bytes.toLocaleString('en')} bytes, and may have ${mostLogoBytes.toLocaleString('en')} (64 KiB).`
  return { changes: none, problem: { message, target: field } }
}

// Another private key: in place of those that live, with an overlap, or beside them.

import type { VNode } from 'preact'
import type { Body } from '../../../management/schemas.js'
import type { FormFields } from '../../../web/form-token.js'
import { Button, Field } from '../../../web/pages/elements.js'
import { Form } from '../../../web/pages/form.js'
import { type Problem, problemAt } from '../../../web/pages/problem.js'
import { Select } from '../../choice-fields.js'

/** What was typed into one of the two forms, and what is wrong with it. */
export interface EnteredSecret {
  form: 'rotate' | 'add'
  label: string | undefined
  days: string | undefined
  overlap: string | undefined
  problem?: Problem
}

const lifetimes = [
  ['180', '180 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
  ['730', '2 years'],
] as const

const overlaps = [
  ['86400', '24 hours'],
  ['0', 'None: they end now, and their tokens too'],
  ['3600', '1 hour'],
  ['604800', '7 days'],
] as const

/** The fields of one of the two forms. */
export function enteredSecret(form: FormFields): EnteredSecret {
  const kind = form.get('form') === 'rotate' ? 'rotate' : 'add'
  const named = (name: string) => form.get(`${kind}-${name}`)
  return { form: kind, label: named('label'), days: named('days'), overlap: named('overlap') }
}

/** What to ask the API for. What is no number is left to the API to refuse. */
export function secretBody({ form, label, days, overlap }: EnteredSecret): Body<'addSecret'> {
  return {
    ...(label === undefined ? {} : { label }),
    expiresInDays: Number(days ?? lifetimes[0][0]),
    ...(form === 'rotate' ? { rotate: true, overlapSeconds: Number(overlap ?? overlaps[0][0]) } : {}),
  }
}

interface Given {
  action: string
  token: string
  entered: EnteredSecret | undefined
}

/** The form that rotates. */
export function RotateForm({ action, token, entered }: Given): VNode {
  const own = entered?.form === 'rotate' ? entered : undefined
  return (
    <Form id="rotate-form" action={action} token={token} hidden={{ form: 'rotate' }}>
      <Select
        id="rotate-overlap"
        label="The others stay good for"
        hint="Long enough to bring the new one to every place that uses it."
        options={overlaps}
        value={own?.overlap}
        error={problemAt(own?.problem, 'overlapSeconds')}
      />
      <Common kind="rotate" own={own} />
      <Button id="rotate">Rotate</Button>
    </Form>
  )
}

/** The form that adds one beside the others. */
export function AddForm({ action, token, entered }: Given): VNode {
  const own = entered?.form === 'add' ? entered : undefined
  return (
    <Form id="add-form" action={action} token={token} hidden={{ form: 'add' }}>
      <Common kind="add" own={own} />
      <Button id="add" kind="plain">
        Add a private key
      </Button>
    </Form>
  )
}

function Common({ kind, own }: { kind: EnteredSecret['form']; own: EnteredSecret | undefined }): VNode {
  return (
    <>
      <Field
        id={`${kind}-label`}
        label="Label (optional)"
        hint="Where it will be used, such as “production”."
        required={false}
        maxLength={120}
        value={own?.label}
        error={problemAt(own?.problem, 'label')}
      />
      <Select
        id={`${kind}-days`}
        label="Good for"
        options={lifetimes}
        value={own?.days}
        error={problemAt(own?.problem, 'expiresInDays')}
      />
    </>
  )
}

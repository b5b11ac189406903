// The form of a tenant's brand.

import type { VNode } from 'preact'
import { accentProblem } from '../../branding/accent.js'
import { entityTag } from '../../management/answers/entity-tag.js'
import type { BrandAnswer } from '../../management/brands/brand-schemas.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import type { PortalContext } from '../context.js'
import { LogoField } from './logo-field.js'

const texts = ['name', 'accent', 'accentDark', 'terms', 'privacy', 'support'] as const
const links = [
  ['terms', 'Terms', 'https:// and an address. Empty: none is shown.'],
  ['privacy', 'Statement on privacy', 'https:// and an address. Empty: none is shown.'],
  ['support', 'Support', 'https:// and an address, or mailto: and one to write to. Empty: none is shown.'],
] as const
const accents = [
  ['accent', 'Accent', 'light', 'For links and buttons, as #rrggbb. Empty: the accent of this server.'],
  [
    'accentDark',
    'Accent on dark pages',
    'dark',
    'For readers whose system is dark. Empty: the accent of this server on dark pages, not the one above.',
  ],
] as const

export type BrandTexts = Record<(typeof texts)[number], string>

/** The texts of a form, or of an answer of the API. */
export function brandTexts(read: (name: (typeof texts)[number]) => string | undefined): BrandTexts {
  const [name, accent, accentDark, terms, privacy, support] = texts.map((field) => read(field) ?? '')
  const said = { name, accent, accentDark, terms, privacy, support }
  return said as BrandTexts
}

/** `entered`: what was typed, after a refusal. */
export function BrandForm({
  context,
  brand,
  entered,
  problem,
}: {
  context: PortalContext
  brand: BrandAnswer<'tenant'>
  entered: BrandTexts | undefined
  problem: Problem | undefined
}): VNode {
  const values = entered ?? brandTexts((name) => brand[name])
  const link = (id: keyof BrandTexts, label: string, hint: string) => (
    <Field
      key={id}
      id={id}
      label={label}
      hint={hint}
      required={false}
      maxLength={512}
      value={values[id]}
      error={problemAt(problem, id)}
    />
  )
  return (
    <section class="card" aria-labelledby="change-title">
      <h2 id="change-title">Change it</h2>
      <ProblemNotice problem={problem} fields={[...texts, 'logo', 'logoDark']} />
      <Form
        id="brand-form"
        action={context.address}
        token={context.token}
        files={true}
        hidden={{ seen: entityTag(brand) }}
      >
        {link('name', 'Name', 'What the pages are headed with. Empty: the name of the tenant.')}
        <LogoField id="logo" label="Logo" hint={pictures} logo={brand.logo} problem={problem} />
        <LogoField
          id="logoDark"
          label="Logo on dark pages"
          hint="Where the other one cannot be seen on dark. The same kinds of files. Without one: the other one."
          logo={brand.logoDark}
          problem={problem}
        />
        {accents.map(([id, label, , hint]) => link(id, label, hint))}
        {links.map(([id, label, hint]) => link(id, label, hint))}
        <div class="buttons">
          <Button id="save">Save</Button>
          <Nearest values={values} />
        </div>
      </Form>
    </section>
  )
}

const pictures =
  'PNG, JPEG or WebP, at most 64 KiB and 1,024 pixels a side. Nothing but the picture is kept. Without one: the name.'

/** Buttons that save with the nearest colour that everybody can read, after one that they cannot. */
function Nearest({ values }: { values: BrandTexts }): VNode {
  const shown = accents.flatMap(([field, , theme]) => {
    const problem = values[field].trim() === '' ? undefined : accentProblem(values[field].trim(), theme)
    return problem?.kind === 'contrast' ? [{ field, nearest: problem.nearest }] : []
  })
  return (
    <>
      {shown.map(({ field, nearest }) => (
        <Button key={field} id={`take-${field}`} kind="plain" name={`take-${field}`} value={nearest}>
          Save with <Swatch colour={nearest} /> {nearest}
        </Button>
      ))}
    </>
  )
}

/** A colour to look at; its name stands beside it. */
export function Swatch({ colour }: { colour: string }): VNode {
  return (
    <svg class="swatch" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <rect width="16" height="16" fill={colour} />
    </svg>
  )
}

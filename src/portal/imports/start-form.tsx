// Where an import begins: whose export it is, the file or its text, and what to do with applications that exist.

import type { VNode } from 'preact'
import { Button } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { describedBy, Labelled } from '../../web/pages/labelled.js'
import { type Problem, ProblemNotice, problemAt } from '../../web/pages/problem.js'
import { Select, TextArea } from '../choice-fields.js'
import type { PortalContext } from '../context.js'
import { type Entered, importPath } from './entered.js'
import { UpdateChoice } from './update-choice.js'

const sources = [
  ['', 'Found out by the file'],
  ['keycloak', 'Keycloak: a realm export or a client export'],
  ['entra', 'Microsoft Entra ID: application manifests'],
  ['hydra', 'Ory Hydra: OAuth 2.0 clients'],
  ['auth0', 'Auth0: clients of its API or its Deploy CLI'],
] as const

/** The card. */
export function StartForm({
  context,
  values,
  problem,
}: {
  context: PortalContext
  values?: Entered
  problem?: Problem
}): VNode {
  const file = {
    id: 'file',
    label: 'The file',
    hint: 'JSON, at most 1 MiB: export clients, without users. Nothing is registered before you have seen what would be.',
    error: problemAt(problem, 'file'),
  }
  return (
    <section class="card" aria-labelledby="start-title">
      <h2 id="start-title">What another product exported</h2>
      <ProblemNotice problem={problem} fields={['file', 'text', 'map', 'source']} />
      <Form id="import-form" action={context.link(importPath)} token={context.token} files={true}>
        <Select
          id="source"
          label="Exported from"
          options={sources}
          value={values?.source}
          error={problemAt(problem, 'source')}
        />
        <Labelled {...file}>
          <input id="file" name="file" type="file" accept=".json,application/json" {...describedBy(file)} />
        </Labelled>
        <details open={values !== undefined && values.text !== ''}>
          <summary>Paste it instead</summary>
          <TextArea
            id="text"
            label="What was exported"
            value={values?.text}
            rows={8}
            required={false}
            maxLength={1_048_576}
            error={problemAt(problem, 'text')}
          />
        </details>
        <details open={values !== undefined && values.map !== ''}>
          <summary>Permissions that have another name here</summary>
          <TextArea
            id="map"
            label="A line for each: name = permission"
            hint={
              <>
                Such as <code>crm.read = User.Read.All</code>; <code>-</code> leaves one out. Others are found by an
                equal name.
              </>
            }
            value={values?.map}
            rows={4}
            required={false}
            error={problemAt(problem, 'map')}
          />
        </details>
        <UpdateChoice checked={values?.update === true} />
        <Button id="look">Show what would be imported</Button>
      </Form>
    </section>
  )
}

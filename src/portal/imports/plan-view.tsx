// What an import would do: in numbers, application by application, with what has no place here, and the import itself.

import type { VNode } from 'preact'
import type { ImportAnswer } from '../../management/imports/import-schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Facts, Notice } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { CancelLink } from '../cancel-link.js'
import { TextArea } from '../choice-fields.js'
import type { PortalContext } from '../context.js'
import { EmptyState } from '../empty-state.js'
import { importPath } from './entered.js'
import { counted, LeftOut, ResultTable } from './result-table.js'
import { UpdateChoice } from './update-choice.js'

type Plan = ImportAnswer<'plan'>

interface PlanProps {
  context: PortalContext
  plan: Plan
  map: string
  update: boolean
}

/** The page's content. */
export function PlanView(props: PlanProps): VNode {
  const { context, plan } = props
  const { counts, value } = plan
  const does = counts.created + counts.changed
  if (value.length === 0) {
    return (
      <>
        <EmptyState
          id="nothing"
          title="No application in this export"
          action={
            <a class="button" href={context.link(importPath)}>
              Choose another file
            </a>
          }
        >
          <p>Nothing of it could be registered here.</p>
        </EmptyState>
        <LeftOut left={plan.left} />
      </>
    )
  }
  return (
    <>
      <section class="card" aria-labelledby="plan-title">
        <h2 id="plan-title">{does === 0 ? 'Nothing would change' : 'This would be done'}</h2>
        <Facts id="counts" rows={counted(counts)} />
        {does === 0 ? null : <ImportNow {...props} />}
      </section>
      <div class="card import-lines">
        <ResultTable context={context} rows={value} />
      </div>
      <LeftOut left={plan.left} />
      <LookAgain {...props} />
    </>
  )
}

function ImportNow({ context, plan, map, update }: PlanProps): VNode {
  const { created, changed } = plan.counts
  const secrets = plan.value.filter(({ makesSecret }) => makesSecret).length
  const losing = plan.value.filter(({ result, differences }) => {
    return result === 'changed' && differences.some(({ removed }) => removed.length > 0)
  }).length
  const button = [
    ...(created === 0 ? [] : [`import ${created}`]),
    ...(changed === 0 ? [] : [`change ${changed}`]),
  ].join(' and ')
  const hidden = { step: 'import', prepared: plan.prepared, map, ...(update ? { update: 'yes' } : {}) }
  return (
    <>
      {losing === 0 ? null : (
        <Notice id="losing" kind="error" title="Something that works now would stop">
          <p>
            {losing === 1 ? 'One application loses' : `${losing} applications lose`} what stands under “goes” below.
            Programs that rely on it fail from then on.
          </p>
        </Notice>
      )}
      <p class="fine">
        {secrets === 0
          ? 'No private key is made.'
          : `${secrets === 1 ? 'One private key is' : `${secrets} private keys are`} made and shown once, on the next page.`}{' '}
        Nobody consents to anything by this.
      </p>
      <Form id="carry-out" action={context.link(importPath)} token={context.token} hidden={hidden} files={true}>
        <div class="buttons">
          <Button id="import" kind={losing === 0 ? 'primary' : 'danger'}>
            {button.charAt(0).toUpperCase() + button.slice(1)}
          </Button>
          <CancelLink context={context} to={importPath} />
        </div>
      </Form>
    </>
  )
}

/** With other words for permissions, or another choice, and without the file. */
function LookAgain({ context, plan, map, update }: PlanProps): VNode {
  const named = new Set(plan.value.flatMap(({ unknownPermissions }) => unknownPermissions))
  // A name with a line end in it would be lines of the map that nobody wrote (a scope has no space, RFC 6749 §3.3).
  const unknown = [...named].filter((name) => !/[\s=\p{C}]/u.test(name))
  const lines = [map.trim(), ...unknown.map((name) => `${name} = `)].filter((line) => line !== '').join('\n')
  return (
    <section class="card" aria-labelledby="again-title">
      <h2 id="again-title">Look again with other choices</h2>
      {plan.unusedNames.length === 0 ? null : (
        <Notice id="unused" title="Nothing asks for these">
          <p>{plan.unusedNames.map((name) => displayName(name, 120)).join(', ')}</p>
        </Notice>
      )}
      <Form
        id="again-form"
        action={context.link(importPath)}
        token={context.token}
        hidden={{ prepared: plan.prepared }}
        files={true}
      >
        <TextArea
          id="map"
          label="Permissions that have another name here"
          hint={
            unknown.length === 0
              ? 'A line for each: name = permission.'
              : 'Nobody knows these here yet. Say what each is here, or - to leave it out.'
          }
          value={lines}
          rows={Math.min(12, Math.max(3, unknown.length + 1))}
          required={false}
        />
        <UpdateChoice checked={update} />
        <Button id="look" kind="plain">
          Look again
        </Button>
      </Form>
    </section>
  )
}

// The form of Explain.

import type { VNode } from 'preact'
import type { Said } from '../../languages/texts.js'
import type { Answer } from '../../management/schemas.js'
import { displayName } from '../../web/pages/display-name.js'
import { Button, Field } from '../../web/pages/elements.js'
import { Form } from '../../web/pages/form.js'
import { describedBy, Labelled } from '../../web/pages/labelled.js'
import { type Problem, problemAt } from '../../web/pages/problem.js'
import { Select } from '../choice-fields.js'
import type { PortalContext } from '../context.js'
import { operations } from './operation.js'
import { callers, type Typed, type Who } from './question.js'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, method] as const)

/**
 * `applications`: those that one may choose from; others are named by their identifier. The stylesheet shows the fields
 * of who calls and hides the others; a browser that cannot shows them all, with hints that say when each counts.
 */
export function QuestionForm({
  context,
  typed,
  problem,
  applications,
}: {
  context: PortalContext
  typed: Typed
  problem: Problem | undefined
  applications: Answer<'applications'>['value']
}): VNode {
  return (
    <Form id="explain-form" action={context.link('/portal/explain')} token={context.token}>
      <div class="call-line">
        <Select id="method" label="Method" value={typed.method} options={methods} />
        <div class="path">
          <Field
            id="path"
            label="Path"
            value={typed.path}
            maxLength={8192}
            error={problemAt(problem, 'path') ?? problemAt(problem, 'method')}
          />
        </div>
      </div>
      <OperationFields typed={typed} error={problemAt(problem, 'operationName')} />
      <fieldset class="choices compact who">
        <legend>Who calls</legend>
        {(Object.keys(callers) as Who[]).map((who) => (
          <label key={who} class="choice" for={`who-${who}`}>
            <input type="radio" id={`who-${who}`} name="who" value={who} checked={who === typed.who} />
            {callers[who]}
          </label>
        ))}
      </fieldset>
      <div class="columns">
        <div class="of-application">
          <ApplicationField
            value={typed.application}
            error={problemAt(problem, 'application')}
            applications={applications}
          />
        </div>
        <div class="of-person">
          <Field
            id="user"
            label="Person"
            value={typed.user}
            required={false}
            hint="E-mail address; only where it calls for a person."
            error={problemAt(problem, 'user')}
          />
        </div>
        <div class="of-application">
          <Field
            id="scope"
            label="Scope of the token"
            value={typed.scope}
            required={false}
            maxLength={4096}
            hint="As the application would ask for it. Empty: all that it may have."
            error={problemAt(problem, 'scope')}
          />
        </div>
        <div class="of-token">
          <Field
            id="token"
            label="Token"
            type="password"
            required={false}
            maxLength={16_384}
            hint="Only for “The holder of this token”. It is looked at and forgotten."
            error={problemAt(problem, 'token')}
          />
        </div>
      </div>
      <Button id="explain">Explain</Button>
    </Form>
  )
}

/** Few routes lead to an MCP server, so it is folded up until somebody asks. */
function OperationFields({ typed, error }: { typed: Typed; error: Said | undefined }): VNode {
  return (
    <details id="mcp-operation" open={typed.operationName !== '' || error !== undefined}>
      <summary>A tool, prompt or resource of an MCP server</summary>
      <div class="call-line">
        <Select id="operation" label="Kind" value={typed.operation} options={Object.entries(operations)} />
        <div class="path">
          <Field
            id="operationName"
            label="Name or URI"
            value={typed.operationName}
            required={false}
            maxLength={1024}
            hint="With the method POST. Empty: no more than connecting."
            error={error}
          />
        </div>
      </div>
    </details>
  )
}

function ApplicationField({
  value,
  error,
  applications,
}: {
  value: string
  error: Said | undefined
  applications: Answer<'applications'>['value']
}): VNode {
  const field = { id: 'application', label: 'Application', hint: 'Its name or its identifier.', error }
  return (
    <Labelled {...field}>
      <input
        id="application"
        name="application"
        type="text"
        list="applications"
        value={value}
        maxLength={256}
        autocomplete="off"
        spellcheck={false}
        {...describedBy(field)}
      />
      <datalist id="applications">
        {applications.map(({ applicationId, name }) => (
          <option key={applicationId} value={applicationId}>
            {displayName(name)}
          </option>
        ))}
      </datalist>
    </Labelled>
  )
}

// One operation as a part of the page that opens: what it takes, what it answers, who may, and a call to copy.

import type { VNode } from 'preact'
import type { ApiDocument, ApiOperation } from '../../management/openapi/document-types.js'
import { CopyBlock } from '../copy.js'
import { curlText } from './curl.js'
import { type Schemas, schemaText } from './schema-text.js'

export interface OperationAt {
  method: string
  path: string
  operation: ApiOperation
}

/** The operation, closed. Its id is its operationId, for links from elsewhere. */
export function OperationView({ at, document }: { at: OperationAt; document: ApiDocument }): VNode {
  const { method, path, operation } = at
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const { schemas } = document.components
  const baseUrl = document.servers[0]?.url ?? ''
  return (
    <details class="operation" id={operationId}>
      <summary>
        <span class="method">{method}</span> <code>{path}</code> <span class="soft">{summary}</span>
      </summary>
      <div class="stack">
        {description === undefined ? null : <p>{description}</p>}
        <Needs operation={operation} />
        {parameters.length === 0 ? null : (
          <>
            <h3>Parameters</h3>
            <ul>
              {parameters.map(({ name, in: place, required, description: what, schema }) => (
                <li key={`${place} ${name}`}>
                  <code>{name}</code> in the {place}
                  {required ? '' : ', optional'}: {what ?? schemaText(schema, schemas)}
                </li>
              ))}
            </ul>
          </>
        )}
        {Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => (
          <Shape key={type} title={`Body, ${type}`} schema={schema} schemas={schemas} />
        ))}
        <Answers operation={operation} schemas={schemas} />
        <CopyBlock id={`curl-${operationId}`} name="curl">
          {curlText(at, { baseUrl, schemas })}
        </CopyBlock>
      </div>
    </details>
  )
}

function Needs({ operation }: { operation: ApiOperation }): VNode | null {
  const needed = operation['x-permissions']
  if (needed === undefined) return operation.security.length === 0 ? <p>Open to everybody.</p> : null
  if (operation.description?.includes(needed[0]?.[0] ?? '')) return null
  return (
    <p>
      Permission:{' '}
      {needed.map((all, index) => (
        <span key={all.join(' ')}>
          {index === 0 ? '' : ' or '}
          <code>{all.join(' + ')}</code>
        </span>
      ))}
    </p>
  )
}

function Answers({ operation, schemas }: { operation: ApiOperation; schemas: Schemas }): VNode {
  const all = Object.entries(operation.responses).filter(([status]) => status !== 'default')
  const good = all.filter(([status]) => Number(status) < 400)
  const refusals = all.filter(([status]) => Number(status) >= 400)
  return (
    <>
      {good.map(([status, response]) => {
        const [type, content] = Object.entries('content' in response ? (response.content ?? {}) : {})[0] ?? []
        const title = `Answer ${status}, ${response.description ?? ''}`
        return type === 'application/json' && content !== undefined ? (
          <Shape key={status} title={title} schema={content.schema} schemas={schemas} />
        ) : (
          <h3 key={status}>{title}</h3>
        )
      })}
      <p class="fine">
        Refusals: {refusals.map(([status, { description }]) => `${status} ${description ?? ''}`).join(', ')}
      </p>
    </>
  )
}

function Shape({ title, schema, schemas }: { title: string; schema: object; schemas: Schemas }): VNode {
  return (
    <>
      <h3>{title}</h3>
      <pre>{schemaText(schema, schemas)}</pre>
    </>
  )
}

// One operation as a part of the page that opens: what it takes, what it answers, who may, and a call to copy.

import type { ComponentChildren, VNode } from 'preact'
import type { ApiDocument, ApiMedia, ApiOperation, ApiParameter } from '../../management/openapi/document-types.js'
import { displayName } from '../../web/pages/display-name.js'
import { CopyBlock } from '../copy.js'
import { curlText } from './curl.js'
import { EndNotice } from './end-notice.js'
import { type Schemas, schemaText } from './schema-text.js'

export interface OperationAt {
  method: string
  path: string
  operation: ApiOperation
}

const longestExample = 4_000

/** The operation, closed. Its id is its operationId, for links from elsewhere; `children` stand above what it takes. */
export function OperationView({
  at,
  document,
  curl,
  children,
}: {
  at: OperationAt
  document: ApiDocument
  /** How curl is called here: trustingCurl. */
  curl?: string
  children?: ComponentChildren
}): VNode {
  const { method, path, operation } = at
  const { operationId, summary, description, parameters = [], requestBody, deprecated } = operation
  const { schemas } = document.components
  const baseUrl = document.servers[0]?.url ?? ''
  return (
    <details class="operation" id={operationId}>
      <summary>
        <span class="method">{method}</span> <code>{path}</code>{' '}
        {deprecated === true ? <span class="tag warn">Deprecated</span> : null}
        <span class="soft">{displayName(summary, 200)}</span>
      </summary>
      <div class="stack">
        <EndNotice operation={operation} />
        {description === undefined ? null : <p class="said">{description}</p>}
        <Needs operation={operation} />
        {children}
        {parameters.length === 0 ? null : (
          <>
            <h3>Parameters</h3>
            <ul>
              {parameters.map((parameter) => (
                <Parameter key={`${parameter.in} ${parameter.name}`} parameter={parameter} schemas={schemas} />
              ))}
            </ul>
          </>
        )}
        {requestBody?.description === undefined ? null : <p class="said">{requestBody.description}</p>}
        {Object.entries(requestBody?.content ?? {}).map(([type, media]) => (
          <Shape key={type} title={`Body, ${type}`} media={media} schemas={schemas} />
        ))}
        <Answers operation={operation} schemas={schemas} />
        <CopyBlock id={`curl-${operationId}`} name="curl">
          {curlText(at, { baseUrl, schemas, ...(curl === undefined ? {} : { command: curl }) })}
        </CopyBlock>
      </div>
    </details>
  )
}

function Parameter({ parameter, schemas }: { parameter: ApiParameter; schemas: Schemas }): VNode {
  const { name, in: place, required, description, deprecated, schema, content, example } = parameter
  const [media] = Object.values(content ?? {})
  const shape = schemaText(schema ?? media?.schema ?? {}, schemas)
  const isPlain = shape === 'string' || shape.includes('\n')
  return (
    <li>
      <code>{name}</code> in the {place}
      {required ? '' : ', optional'}
      {deprecated === true ? ', deprecated' : ''}
      {isPlain && description !== undefined ? '' : `: ${shape}`}
      {description === undefined ? null : <span class="said">{isPlain ? `: ${description}` : `. ${description}`}</span>}
      {example === undefined ? null : (
        <>
          {' '}
          Such as <code>{typeof example === 'string' ? example : JSON.stringify(example)}</code>
        </>
      )}
    </li>
  )
}

function Needs({ operation }: { operation: ApiOperation }): VNode | null {
  const needed = operation['x-permissions']
  if (needed === undefined) return operation.security.length === 0 ? <p>Open to everybody.</p> : null
  // Operations of this server name it in a sentence.
  if (/^Takes the permission|\. Takes the permission/.test(operation.description ?? '')) return null
  return (
    <p>
      Permission:{' '}
      {needed.map((all, index) => (
        <span key={all.join(' ')}>
          {index === 0 ? '' : ' or '}
          <code>{all.join(' + ')}</code>
        </span>
      ))}
      {operation['x-resource'] === undefined ? null : (
        <>
          {' '}
          of <code>{operation['x-resource']}</code>
        </>
      )}
    </p>
  )
}

function Answers({ operation, schemas }: { operation: ApiOperation; schemas: Schemas }): VNode {
  const all = Object.entries(operation.responses).filter(([status]) => status !== 'default')
  const good = all.filter(([status]) => Number(status[0]) < 4)
  const refusals = all.filter(([status]) => Number(status[0]) >= 4)
  return (
    <>
      {good.map(([status, response]) => {
        const content = Object.entries('content' in response ? (response.content ?? {}) : {})
        const [type, media] = content.find(([one]) => /[/+]json\b/.test(one)) ?? content[0] ?? []
        const others = type === undefined || type === 'application/json' || type === '*/*' ? '' : `, ${type}`
        const title = `Answer ${status}, ${response.description ?? ''}${others}`
        return media !== undefined && /[/+]json\b/.test(type ?? '') ? (
          <Shape key={status} title={title} media={media} schemas={schemas} />
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

function Shape({ title, media, schemas }: { title: string; media: ApiMedia; schemas: Schemas }): VNode {
  const { schema, example } = media
  return (
    <>
      <h3>{title}</h3>
      <pre>{schemaText(schema, schemas)}</pre>
      {example === undefined ? null : (
        <details>
          <summary>Example</summary>
          <pre>{exampleText(example)}</pre>
        </details>
      )}
    </>
  )
}

function exampleText(example: unknown): string {
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return text.length > longestExample ? `${text.slice(0, longestExample)}\n…` : text
}

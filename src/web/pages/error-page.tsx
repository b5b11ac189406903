// The pages under /errors: what a number of ours means and how to fix it, for the developer who opened `error_uri`.
// The texts are oauth/errors/error-numbers.ts. Nothing of a request is ever shown, so they are the same for everybody.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { requestContext } from '../../http/requests/request-context.js'
import { type ErrorExplanation, explainError, explainedNumbers } from '../../oauth/errors/error-numbers.js'
import { refuseOtherMethods } from '../other-methods.js'
import { Page } from './layout.js'
import { sendPage } from './send-page.js'

/** Registers the index and one page for each number. */
export function registerErrorPages(scope: FastifyInstance): void {
  const name = async (request: FastifyRequest) => {
    requestContext(request).entry.route = 'errors'
  }
  scope.get('/errors', { onRequest: name }, async (_request, reply) => send(reply, 200, <Index />))
  scope.get<{ Params: { number: string } }>('/errors/:number', { onRequest: name }, async (request, reply) => {
    const { number } = request.params
    const explanation = /^[1-9]\d{4,6}$/.test(number) ? explainError(Number(number)) : undefined
    return explanation === undefined
      ? send(reply, 404, <Unknown />)
      : send(reply, 200, <Explanation explanation={explanation} />)
  })
  for (const path of ['/errors', '/errors/:number']) refuseOtherMethods(scope, path, 'errors', ['GET', 'HEAD'])
}

function send(reply: FastifyReply, status: number, page: VNode): FastifyReply {
  return sendPage(reply, status, page, { maxAgeSeconds: 300, forms: false, language: 'en' })
}

function Explanation({ explanation }: { explanation: ErrorExplanation }): VNode {
  const { number, title, meaning, remedy } = explanation
  return (
    <Page title={title} tab={`${title} (${number})`} eyebrow={`Error ${number}`} width="wide">
      <div class="card">
        <h2>What happened</h2>
        <p id="meaning">{meaning}</p>
        <h2>What to do</h2>
        <p id="remedy">{remedy}</p>
      </div>
      <Onward />
    </Page>
  )
}

function Index(): VNode {
  const explanations = explainedNumbers().flatMap((number) => explainError(number) ?? [])
  return (
    <Page title="Error numbers" intro="The numbers in error responses, and what each of them means." width="wide">
      <div class="card">
        <ul id="numbers" class="list">
          {explanations.map(({ number, title }) => (
            <li key={number}>
              <a href={`/errors/${number}`}>{title}</a>
              <span class="number">{number}</span>
            </li>
          ))}
        </ul>
      </div>
      <p>
        <a href="/docs/troubleshooting">Troubleshooting</a> · <a href="/docs">Documentation</a>
      </p>
    </Page>
  )
}

function Onward(): VNode {
  return (
    <p>
      <a href="/errors" id="all-errors">
        All error numbers
      </a>{' '}
      · <a href="/docs">Documentation</a>
    </p>
  )
}

function Unknown(): VNode {
  return (
    <Page title="Unknown error number" intro="No error has this number." width="wide">
      <Onward />
    </Page>
  )
}

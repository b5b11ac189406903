// What the official conformance suite expects a server to offer: tools, prompts and resources under the names that its
// scenarios call, made with the official library. The words of a result are free; its shape is not.

import {
  type CallToolResult,
  fromJsonSchema,
  type McpHttpHandler,
  McpServer,
  type PromptMessage,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { inputsByResults, promptByResults, requestStates } from './suite-inputs.js'

const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const audio = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='
const text = (said: string) => ({ type: 'text' as const, text: said })
const said = (...content: CallToolResult['content']): CallToolResult => ({ content })
const embedded = (uri: string, of: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: of },
})
const schemaOf = (properties: Record<string, object> = {}, required: readonly string[] = []) =>
  fromJsonSchema<Record<string, never>>({ type: 'object', properties, required: [...required] } as never)

/** Of JSON Schema 2020-12, all of which has to come through. */
const addressBook = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

/** A server with all of it. `notify` tells listeners of the modern era. */
export function suiteOffers(notify: () => McpHttpHandler['notify'] | undefined): McpServer {
  const server = new McpServer(
    { name: 'offers-all', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: requestStates.verify },
    },
  )
  offerTools(server, notify)
  offerInSession(server)
  offerPrompts(server)
  offerResources(server)
  const low = server.server
  low.setRequestHandler('resources/subscribe', () => ({}))
  low.setRequestHandler('resources/unsubscribe', () => ({}))
  low.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }))
  return server
}

function offerTools(server: McpServer, notify: () => McpHttpHandler['notify'] | undefined): void {
  const offer = (name: string, does: (ctx: ServerContext) => CallToolResult | Promise<CallToolResult>) =>
    server.registerTool(name, { description: `Shows ${name}.`, inputSchema: schemaOf() }, (_given, ctx) => does(ctx))
  offer('test_simple_text', () => said(text('A text.')))
  offer('test_image_content', () => said({ type: 'image', data: image, mimeType: 'image/png' }))
  offer('test_audio_content', () => said({ type: 'audio', data: audio, mimeType: 'audio/wav' }))
  offer('test_embedded_resource', () => said(embedded('test://embedded-resource', 'Inside.')))
  offer('test_multiple_content_types', () =>
    said(
      text('Several.'),
      { type: 'image', data: image, mimeType: 'image/png' },
      embedded('test://mixed-content-resource', '{}'),
    ),
  )
  offer('test_error_handling', () => {
    throw new Error('This tool always fails')
  })
  offer('test_tool_with_progress', async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0
    for (const progress of [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    }
    return said(text(String(progressToken)))
  })
  offer('test_logging_tool', async ({ mcpReq }) => {
    await mcpReq.log('info', 'it works')
    return said(text('Logged.'))
  })
  offer('test_streaming_elicitation', async ({ mcpReq }) => {
    const params = { progressToken: 'streaming', progress: 1, total: 2 }
    await mcpReq.notify({ method: 'notifications/progress', params })
    return said(text('Streamed.'))
  })
  offer('test_trigger_tool_change', () => {
    notify()?.toolsChanged()
    return said(text('Told.'))
  })
  offer('test_trigger_prompt_change', () => {
    notify()?.promptsChanged()
    return said(text('Told.'))
  })
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema of its own.', inputSchema: fromJsonSchema(addressBook as never) },
    () => said(text('Read.')),
  )
  server.registerTool(
    'test_x_mcp_header',
    {
      description: 'Has a parameter that a header field repeats.',
      inputSchema: schemaOf({ region: { type: 'string', 'x-mcp-header': 'Region' } }, ['region']),
    },
    () => said(text('Compared.')),
  )
  for (const [name, answer] of Object.entries(inputsByResults)) offer(name, answer as never)
}

type InputAsker = (
  given: Record<string, string>,
  request: ServerContext['mcpReq'],
  http: ServerContext['http'],
) => Promise<unknown>

/** What a server asks of its client, in sessions. */
function offerInSession(server: McpServer): void {
  const offer = (name: string, properties: Record<string, object>, does: InputAsker) =>
    server.registerTool(
      name,
      { description: `Asks by ${name}.`, inputSchema: schemaOf(properties) },
      async (given, { mcpReq, http }) => said(text(JSON.stringify(await does(given, mcpReq, http)))),
    )
  const form = (message: string, properties: object) => ({
    mode: 'form' as const,
    message,
    requestedSchema: { type: 'object' as const, properties, required: [] } as never,
  })
  const anyText = { type: 'string' }
  offer('test_tool_with_logging', {}, async (_given, { notify }) => {
    for (const data of ['begins', 'goes on', 'is done'])
      await notify({ method: 'notifications/message', params: { level: 'info', data } })
    return 'Logged.'
  })
  offer('test_sampling', { prompt: anyText }, ({ prompt = '' }, { requestSampling }) =>
    requestSampling({ messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 }),
  )
  offer('test_elicitation', { message: anyText }, ({ message = '' }, { elicitInput }) =>
    elicitInput(form(message, { response: anyText })),
  )
  offer('test_elicitation_sep1034_defaults', {}, (_given, { elicitInput }) =>
    elicitInput(
      form('Is that right?', {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      }),
    ),
  )
  const titled = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title }))
  offer('test_elicitation_sep1330_enums', {}, (_given, { elicitInput }) =>
    elicitInput(
      form('Which ones?', {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: titled },
        legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: titled } },
      }),
    ),
  )
  offer('test_reconnection', {}, async (_given, _request, http) => {
    http?.closeSSE?.()
    await new Promise((resolve) => setTimeout(resolve, 100))
    return 'Still here.'
  })
}

function offerPrompts(server: McpServer): void {
  const user = (...contents: PromptMessage['content'][]) => ({
    messages: contents.map((content) => ({ role: 'user' as const, content })),
  })
  const [asText, withImage] = [text('A prompt.'), { type: 'image' as const, data: image, mimeType: 'image/png' }]
  server.registerPrompt('test_simple_prompt', { description: 'Plain.' }, () => user(asText))
  server.registerPrompt('test_prompt_with_image', { description: 'Seen.' }, () => user(withImage, asText))
  const anyText = { type: 'string' }
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Filled.', argsSchema: schemaOf({ arg1: anyText, arg2: anyText }, ['arg1', 'arg2']) },
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Full.', argsSchema: schemaOf({ resourceUri: anyText }, ['resourceUri']) },
    ({ resourceUri }) => user(embedded(String(resourceUri), 'Inside.'), asText),
  )
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks.' }, promptByResults)
}

function offerResources(server: McpServer): void {
  const read = (uri: string, mimeType: string, what: { text: string } | { blob: string }) => ({
    contents: [{ uri, mimeType, ...what }],
  })
  for (const name of ['static-text', 'watched-resource']) {
    const uri = `test://${name}`
    server.registerResource(name, uri, { mimeType: 'text/plain' }, () => read(uri, 'text/plain', { text: 'Here.' }))
  }
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, (uri) =>
    read(uri.href, 'image/png', { blob: image }),
  )
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    (uri, { id }) => read(uri.href, 'application/json', { text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }),
  )
}

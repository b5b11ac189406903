// Tools of the modern era that ask their client for something by a result, as the official conformance suite calls them
// (MCP 2026-07-28, multi round-trip requests).

import { randomBytes } from 'node:crypto'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server'

/** Seals what comes back from a client. */
export const requestStates = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) })

const elicit = (message: string, name: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } as { type: 'string' } }, required: [name] },
  })
const sample = (text: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 })
const done = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

type Asking = (ctx: ServerContext) => Promise<CallToolResult | InputRequiredResult>

/** Whether a client brings an answer of this name. */
const brings = ({ mcpReq }: ServerContext, name: string): boolean => mcpReq.inputResponses?.[name] !== undefined
const bringsContent = ({ mcpReq }: ServerContext, name: string, member: string): boolean => {
  const content = (mcpReq.inputResponses?.[name] as { content?: Record<string, unknown> } | undefined)?.content
  return typeof content?.[member] === 'string'
}

/** Asks for one thing until it is there. */
const untilThere =
  (name: string, request: ReturnType<typeof elicit>): Asking =>
  async (ctx) =>
    brings(ctx, name) ? done('Thank you.') : inputRequired({ inputRequests: { [name]: request } })

const withState = async (ctx: ServerContext, round: number, inputRequests: Record<string, ReturnType<typeof elicit>>) =>
  inputRequired({ inputRequests, requestState: await requestStates.mint({ round }, ctx) })

const confirmed: Asking = async (ctx) =>
  ctx.mcpReq.requestState() !== undefined && brings(ctx, 'confirm')
    ? done('state-ok integrity-ok')
    : withState(ctx, 1, { confirm: elicit('Is that right?', 'ok', 'boolean') })

/** By the name of the tool. */
export const inputsByResults: Readonly<Record<string, Asking>> = {
  test_input_required_result_elicitation: async (ctx) =>
    bringsContent(ctx, 'user_name', 'name')
      ? done('Hello.')
      : inputRequired({ inputRequests: { user_name: elicit('What is your name?', 'name') } }),
  test_input_required_result_sampling: untilThere('capital_question', sample('Which city is it?')),
  test_input_required_result_list_roots: untilThere('client_roots', inputRequired.listRoots()),
  test_input_required_result_request_state: confirmed,
  test_input_required_result_tampered_state: confirmed,
  test_input_required_result_multiple_inputs: async (ctx) =>
    ['user_name', 'greeting', 'client_roots'].every((name) => brings(ctx, name))
      ? done('All there.')
      : withState(ctx, 1, {
          user_name: elicit('What is your name?', 'name'),
          greeting: sample('Greet'),
          client_roots: inputRequired.listRoots(),
        }),
  test_input_required_result_multi_round: async (ctx) => {
    if (brings(ctx, 'step2')) return done('Both.')
    return brings(ctx, 'step1')
      ? withState(ctx, 2, { step2: elicit('Which colour?', 'color') })
      : withState(ctx, 1, { step1: elicit('What is your name?', 'name') })
  },
  test_input_required_result_capabilities: async (ctx) => {
    const { inputResponses = {} } = ctx.mcpReq
    if (Object.keys(inputResponses).length > 0) return done('Thank you.')
    const able = capabilitiesOf(ctx)
    const inputRequests = {
      ...(able['elicitation'] === undefined ? {} : { elicit_input: elicit('Which one?', 'value') }),
      ...(able['sampling'] === undefined ? {} : { sample_input: sample('Greet') }),
    }
    return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : done('It can give nothing.')
  },
  // The library refuses to ask what its client cannot give.
  test_missing_capability: untilThere('sample', sample('Greet')),
}

/** The same of a prompt. */
export async function promptByResults(ctx: ServerContext): Promise<GetPromptResult | InputRequiredResult> {
  if (!brings(ctx, 'user_context'))
    return inputRequired({ inputRequests: { user_context: elicit('What is it about?', 'context') } })
  return { messages: [{ role: 'user', content: { type: 'text', text: 'About that.' } }] }
}

function capabilitiesOf({ mcpReq }: ServerContext): Record<string, unknown> {
  return ((mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<
    string,
    unknown
  >
}

// The parameters of a request beside its description. They come as texts; a text that looks like a number or a flag is
// also tried as one, and is good when either is.

import type { IncomingMessage } from 'node:http'
import type { DescribedParameter, FoundOperation, SchemaCheck, Wrong } from '../../openapi/service-description.js'
import { readJsonText } from './json-text.js'
import type { Problem } from './problem.js'

type Head = Pick<IncomingMessage, 'headersDistinct'>

/** Everything that is wrong with them, in the order of the document. Nothing of the values is in it. */
export function parameterProblems(found: FoundOperation, request: Head, query: string | undefined): Problem[] {
  const given = new URLSearchParams(query)
  return found.operation.parameters.flatMap((parameter) => {
    const texts = textsOf(parameter, found, request, given)
    const wrong = wrongWith(parameter, texts)
    return wrong === undefined ? [] : [{ target: `${parameter.in}.${parameter.name}`, message: wrong.message }]
  })
}

function textsOf(
  { in: place, name }: DescribedParameter,
  { values }: FoundOperation,
  { headersDistinct }: Head,
  query: URLSearchParams,
): readonly string[] {
  if (place === 'query') return query.getAll(name)
  if (place === 'header') return headersDistinct[name] ?? []
  const value = values.get(name)
  return value === undefined ? [] : [value]
}

function wrongWith(parameter: DescribedParameter, texts: readonly string[]): Wrong | undefined {
  const { form, required, check, checkItem } = parameter
  const [text] = texts
  // Parts of it have names of their own, such as filter[name].
  if (form === 'there') return undefined
  if (text === undefined) return required ? wrong('is missing') : undefined
  if (form === 'repeated') return listProblem(texts, check, checkItem)
  // The gate and the service could each take another one.
  if (texts.length > 1) return wrong('stands there more than once')
  if (form === 'one') return valueProblem(text, check)
  if (form === 'json') {
    const read = readJsonText(text)
    return 'wrong' in read ? wrong(read.wrong) : check(read.value, stepsFor(text.length))
  }
  return listProblem(text.split(form.separator), check, checkItem)
}

function valueProblem(text: string, check: SchemaCheck): Wrong | undefined {
  const problems: Wrong[] = []
  for (const candidate of candidates(text)) {
    const problem = check(candidate, stepsFor(text.length))
    if (problem === undefined) return undefined
    problems.push(problem)
  }
  // What is wrong with the one of the right kind is worth more than that others are of another.
  return problems.find(({ message }) => !/^must be (string|number|integer|boolean|null)/.test(message)) ?? problems[0]
}

function listProblem(texts: readonly string[], check: SchemaCheck, checkItem: SchemaCheck): Wrong | undefined {
  const items = texts.map((text) => {
    const good = candidates(text).find((candidate) => checkItem(candidate, stepsFor(text.length)) === undefined)
    return good ?? text
  })
  return check(items, stepsFor(texts.join('').length + texts.length))
}

function candidates(text: string): readonly unknown[] {
  if (text === 'true' || text === 'false') return [text, text === 'true']
  return /^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,3})?$/.test(text) ? [text, Number(text)] : [text]
}

function wrong(message: string): Wrong {
  return { pointer: '', message }
}

/** Work on a value, by its length. */
export function stepsFor(length: number): number {
  return 10_000 + length
}

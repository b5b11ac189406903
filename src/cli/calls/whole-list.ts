// A list of the management API from its first page to its last.

import { type LocalClient, pathOfLink } from './local-client.js'

/** Every row of the list at `path`, in its order. Throws CommandFailure. */
export async function wholeList<Row>(client: LocalClient, path: string): Promise<Row[]> {
  const found: Row[] = []
  let next: string | undefined = path
  while (next !== undefined) {
    const page = (await client.call('GET', next)) as {
      value: Row[]
      nextLink?: string
    }
    found.push(...page.value)
    next = page.nextLink === undefined ? undefined : pathOfLink(page.nextLink)
  }
  return found
}

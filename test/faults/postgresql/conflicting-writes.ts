// F12: many writers want the same rows at the same time, in every instance.

import { equal, ok } from 'node:assert/strict'
import { managed, newApplication, newTenant } from '../scene/provision.js'
import { type FaultStory, plainCluster } from '../story.js'

const writers = 50

export const conflictingWrites: FaultStory = {
  name: 'conflicting-writes',
  faults: ['F12'],
  expected:
    'each of 50 rotations of one secret and of the signing keys is done or answered 409 or 503, never 500; one secret is live and no key is doubled',
  cluster: plainCluster,
  async run(scene) {
    const { instances } = scene.cluster
    const [first] = instances
    if (first === undefined) throw new Error('no instance')
    const { applicationId } = await newApplication(first, await newTenant(first))
    const answers = await Promise.all(
      Array.from({ length: writers }, (_, at) => {
        const instance = instances[at % instances.length] ?? first
        if (at % 5 === 4) return instance.manage('POST', '/keys/rotate', { purpose: 'token' })
        return instance.manage('POST', `/applications/${applicationId}/secrets`, { rotate: true })
      }),
    )
    const statuses = answers.map(({ status }) => status)
    ok(
      statuses.every((status) => [200, 201, 409, 503].includes(status)),
      `answers ${[...new Set(statuses)]}`,
    )
    for (const answer of answers) if (answer.status === 503) ok(answer.headers['retry-after'] !== undefined)
    const shown = (await managed(first, 'GET', `/applications/${applicationId}`)) as { secrets: { endsAt: string }[] }
    const live = shown.secrets.filter(({ endsAt }) => Date.parse(endsAt) > Date.now() + 1_000)
    equal(live.length, 1, `${live.length} secrets are live`)
    const keys = (
      (await managed(first, 'GET', '/keys')) as { value: { purpose: string; alg: string; state: string }[] }
    ).value
    const pending = keys
      .filter(({ purpose, state }) => purpose === 'token' && state === 'pending')
      .map(({ alg }) => alg)
    equal(new Set(pending).size, pending.length, `successors of one key: ${pending}`)
    const done = statuses.filter((status) => status < 300).length
    return {
      text: `${done} of ${writers} done, the others ${[...new Set(statuses.filter((status) => status >= 300))].join(', ') || 'none'}; one secret live, ${pending.length} successor keys`,
    }
  },
}

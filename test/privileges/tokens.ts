// What is in the tokens that applications get for people: never more than the model says of that person.

import { simulateToken } from '../../src/identity/token/simulated-token.js'
import { definitionOf, isAtLeast, isServer } from './model.js'
import type { Chance } from './random.js'
import type { Snapshot } from './snapshot.js'
import type { World } from './world.js'

/** What a token of somebody, through an application, would have and must not; undefined when there is nothing. */
export async function beyondToken(
  { testApp, rules, tenants }: World,
  snapshot: Snapshot,
  dice: Chance,
): Promise<string | undefined> {
  const application = dice.pick([...snapshot.applications.values()])
  const person = dice.pick([...snapshot.people.values()])
  const tenantId = dice.pick(tenants)
  const registration = application && (await testApp.deps.directory.findRegistration(application.applicationId))
  if (application === undefined || registration === undefined) return undefined
  const { userId } = person
  const token = await simulateToken(testApp.deps, {
    ...{ registration, userId, tenantId, scope: undefined, resource: rules.own },
  })
  const role = person.roles.get(tenantId)
  const found = token.kind === 'granted' ? [...token.principal.permissions] : []
  const beyond = found.find((id) => {
    const ref = { kind: 'delegated' as const, resource: rules.own, id }
    const isAllowed =
      application.granted.get(tenantId)?.some((one) => one.kind === 'delegated' && one.id === id) === true ||
      application.consented.some(
        (one) => one.userId === userId && one.tenantId === tenantId && one.permission.id === id,
      )
    const isTheirs = role !== undefined && isAtLeast(role, definitionOf(rules, ref)?.role ?? 'owner')
    return !isAllowed || !isTheirs || !person.isEnabled || (isServer(rules, ref) && !person.isOperator)
  })
  return beyond && `a token of ${application.applicationId} for ${userId} in ${tenantId} would have ${beyond}`
}

// What the tenant of a caller says of tools (decision 156). It lies in memory; only the first call of a tenant after a
// start, or after a change, waits for it, and not for long: without it nothing is decided.

import type { TokenPrincipal } from '../../../access/principal.js'
import type { Directory } from '../../../directory/records.js'
import type { TenantToolRules } from '../../../directory/tools/tool-rules.js'
import { type Refusal, refusal } from '../../errors.js'

/** What a rule is looked up in. */
export type ToolRuleDeps = Pick<Directory, 'findToolRules'>

/** It cannot be known now what the tenant says. */
class RulesUnknown extends Error {}

const lookUpMs = 2_000
/** Of a tenant that is none of ours: the configuration alone speaks. */
const nothing: TenantToolRules = { of: () => 'allowed', all: [] }

/** At once what is known. Rejects with what refusalWithoutRules knows. */
export function tenantRulesOf(
  deps: ToolRuleDeps,
  principal: TokenPrincipal | undefined,
): TenantToolRules | Promise<TenantToolRules> {
  if (principal === undefined) return nothing
  const found = deps.findToolRules(principal.tenantId)
  return found instanceof Promise ? inTime(found) : (found ?? nothing)
}

async function inTime(found: Promise<TenantToolRules | undefined>): Promise<TenantToolRules> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the rules of the tenant did not come in time')), lookUpMs)
  })
  try {
    return (await Promise.race([found, late])) ?? nothing
  } catch (cause) {
    throw new RulesUnknown('the rules of the tenant for tools are not known', { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** What a call is answered for which that could not be known; undefined: something else is wrong. */
export function refusalWithoutRules(error: unknown): Refusal | undefined {
  return error instanceof RulesUnknown ? refusal('rules_unknown', error) : undefined
}

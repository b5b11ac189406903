// Makes sense of the errors of an `anyOf`: the validator reports every branch, though a person meant only one of them.

import type { ErrorObject } from 'ajv'

const NOT_THIS_KIND = new Set(['type', 'enum', 'const', 'pattern', 'minLength'])

/**
 * The errors a person wants to read. Of the branches of an `anyOf`, the one whose kind the value has is kept, and the
 * rest dropped; when the value fits no kind, one error for the whole remains, in the words of the schema around the
 * branches.
 */
export function branchErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let left = [...errors]
  // The validator reports an inner anyOf before the one around it, so going in order settles the inner ones first.
  for (const whole of errors) {
    if (whole.keyword !== 'anyOf' || !left.includes(whole)) continue
    const inside = left.filter((error) => error.schemaPath.startsWith(`${whole.schemaPath}/`) && isBelow(error, whole))
    const kept = meantBranch(inside, whole)
    left = left.filter((error) => !inside.includes(error) || kept.includes(error))
    if (kept.length > 0) left = left.filter((error) => error !== whole)
  }
  return left
}

function isBelow(error: ErrorObject, whole: ErrorObject): boolean {
  return error.instancePath === whole.instancePath || error.instancePath.startsWith(`${whole.instancePath}/`)
}

function meantBranch(inside: readonly ErrorObject[], whole: ErrorObject): readonly ErrorObject[] {
  const branches = new Map<string, ErrorObject[]>()
  for (const error of inside) {
    const index = error.schemaPath.slice(whole.schemaPath.length + 1).split('/', 1)[0] ?? ''
    branches.set(index, [...(branches.get(index) ?? []), error])
  }
  const own = (branch: readonly ErrorObject[]) =>
    branch.filter(({ instancePath }) => instancePath === whole.instancePath)
  // Of several objects the one that has most of these members is meant.
  const [meant = []] = [...branches.values()]
    .filter((branch) => !own(branch).some(isWrongKind))
    .sort((one, other) => own(one).length - own(other).length)
  return meant
}

function isWrongKind(error: ErrorObject): boolean {
  return NOT_THIS_KIND.has(error.keyword) || error.keyword === 'anyOf'
}

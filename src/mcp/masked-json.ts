// The shape of a value without what it says: names of members stay, values go. Names may say something too where they
// are data, so long ones go as well, and there is an end to all of it.

const mask = '***'
const longestName = 64
const mostMembers = 32
const deepest = 4
const longestText = 2_048

/** As a text of at most 2,048 code units; a longer one ends in `…`. */
export function maskedJson(value: unknown): string {
  const text = JSON.stringify(masked(value, deepest))
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`
}

function masked(value: unknown, depth: number): unknown {
  if (value === null) return null
  if (typeof value !== 'object' || depth === 0) return mask
  if (Array.isArray(value)) {
    const shown = value.slice(0, mostMembers).map((item) => masked(item, depth - 1))
    return value.length > mostMembers ? [...shown, `and ${value.length - mostMembers} more`] : shown
  }
  const members = Object.entries(value)
  const shown = members
    .slice(0, mostMembers)
    .map(([name, member]) => [name.length > longestName ? mask : name, masked(member, depth - 1)])
  const more = members.length > mostMembers ? { '…': `and ${members.length - mostMembers} more` } : {}
  return { ...Object.fromEntries(shown), ...more }
}

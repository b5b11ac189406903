// Numbers of things in a sentence.

/** `1 tenant`, `2 tenants`; undefined counts as none. */
export function counted(count: number | undefined, one: string, more: string): string {
  return `${count ?? 0} ${count === 1 ? one : more}`
}

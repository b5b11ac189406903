// What `acr` can say here (OpenID Connect Core §2, decision 8), and which of the values that a client names counts.
// Pure.

/** `1`: one factor, `2`: two. */
export const authenticationClasses = ['1', '2'] as const
/** The one that takes a second factor. */
export const secondFactorClass = '2'

/** The values that are served here, in the order in which they were named; what else was named is left out. */
export function servedClasses(values: readonly string[]): string[] {
  return values.filter((value) => authenticationClasses.some((served) => served === value))
}

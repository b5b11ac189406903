// Names that an operator chooses for things of the file.

/** What every section of named things has: names of one form. */
export const named = {
  propertyNames: {
    pattern: '^[a-z][a-z0-9-]{0,63}$',
    errorMessage: 'is not a name: lower-case letters, digits and hyphens, beginning with a letter',
  },
  maxProperties: 10_000,
  default: {},
}

// Text as one word of a shell.

/** In quotes where a shell would take it apart or obey it. */
export function shellQuoted(value: string): string {
  return /^[A-Za-z0-9_.,:/@%+=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}

// What is left of a list of permissions, or of OpenID Connect's words, as grants keep them. Pure.

/**
 * The words of a space-separated list, without those of `withdrawn`: what was taken from a grant never comes back to
 * it. Consent that is given later is for what is requested then.
 */
export function remainingWords(list: string, withdrawn = ''): string[] {
  const gone = new Set(withdrawn.split(' '))
  return list.split(' ').filter((word) => word !== '' && !gone.has(word))
}

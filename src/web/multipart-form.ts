// A form with a file (RFC 7578), read whole because it is bounded by its page. Nothing of it is kept but names and texts:
// no names of files, no types, no transfer encodings, which browsers do not send. Files that are no text, such as
// pictures, become base64: the page says in which fields they are.

const mostParts = 64
const type = /^multipart\/form-data[ \t]*;[ \t]*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))[ \t]*$/i

/** The boundary that a Content-Type header names; undefined for another type, or one with more parameters. */
export function multipartBoundary(contentType: string | undefined): string | undefined {
  const [, quoted, bare] = type.exec(contentType ?? '') ?? []
  return quoted ?? bare
}

/**
 * The parts as pairs of name and text, in their order; undefined for a body that is no such form. What is no UTF-8 has
 * U+FFFD in its place, except in the fields `asBase64`, whose bytes are given in base64.
 */
export function decodeMultipart(
  body: Uint8Array,
  boundary: string,
  asBase64: readonly string[] = [],
): [name: string, value: string][] | undefined {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const opening = Buffer.from(`--${boundary}`)
  const between = Buffer.from(`\r\n--${boundary}`)
  if (!bytes.subarray(0, opening.length).equals(opening)) return undefined
  const pairs: [string, string][] = []
  let at = opening.length
  while (bytes.subarray(at, at + 2).toString('latin1') !== '--') {
    const headEnds = bytes.indexOf('\r\n\r\n', at)
    const ends = headEnds < 0 ? -1 : bytes.indexOf(between, headEnds + 2)
    if (ends < 0 || headEnds - at > 1_024 || pairs.length >= mostParts) return undefined
    const { name, isFile } = partOf(bytes.subarray(at, headEnds).toString('utf8'))
    if (name === undefined) return undefined
    const content = bytes.subarray(Math.min(headEnds + 4, ends), ends)
    const isPicture = isFile && asBase64.includes(name)
    pairs.push([name, isPicture ? content.toString('base64') : new TextDecoder().decode(content)])
    at = ends + between.length
  }
  return pairs
}

/** A page that hands a form back has its pictures as texts, in base64 already: those are no files. */
function partOf(head: string): { name: string | undefined; isFile: boolean } {
  const line = head.split('\r\n').find((one) => /^content-disposition:/i.test(one)) ?? ''
  return { name: /;[ \t]*name="([\w-]{1,64})"/.exec(line)?.[1], isFile: /;[ \t]*filename="/.test(line) }
}

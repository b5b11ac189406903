// The kinds of value that a setting can have. `errorMessage` says what is expected, in editors and in our own messages;
// `between` bounds a quantity, both ends included.

import { type TObject, type TProperties, type TString, Type } from 'typebox'
import { DURATION_PATTERN, RATE_PATTERN, SIZE_PATTERN } from '../process/units.js'

/** A group of settings. Unknown keys are mistakes; a group that is left out has its defaults. */
export function section<P extends TProperties>(description: string, properties: P): TObject<P> {
  return Type.Object(properties, { description, default: {}, additionalProperties: false })
}

/** What stands under a name that the operator chooses, such as one upstream: no default as a whole. */
export function entry<P extends TProperties>(description: string, properties: P): TObject<P> {
  return Type.Object(properties, { description, additionalProperties: false })
}

/** One application by its identifier. */
export const applicationId: TString = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  errorMessage: 'must be the applicationId of an application, a GUID in lower case',
})

/** A setting that is one of a few words, or a text of a certain form. */
export const leaf = Object.freeze({
  /** `5s`, `24h`; `from` and `to` are such texts too. */
  duration(description: string, value: string | undefined, [from, to]: readonly [string, string]): TString {
    const errorMessage = `must be a duration with its unit, such as 500ms, 5s, 10min, 24h or 90d, from ${from} to ${to}`
    return text(description, { default: value, pattern: DURATION_PATTERN, between: [from, to], errorMessage })
  },

  /** `8KiB`, `1MiB`. */
  size(description: string, value: string | undefined, [from, to]: readonly [string, string]): TString {
    const errorMessage = `must be a size with its unit, such as 512B, 16KiB or 1MiB, from ${from} to ${to}`
    return text(description, { default: value, pattern: SIZE_PATTERN, between: [from, to], errorMessage })
  },

  /** `50/s`, `600/min`, `20/10s`. */
  rate(description: string, value?: string): TString {
    const errorMessage = 'must be a number per period, such as 50/s, 600/min, 20/10s or 1000000/day'
    return text(description, { default: value, pattern: RATE_PATTERN, errorMessage })
  },

  /** `20%`, from 1 % to 100 %. */
  percent(description: string, value: string): TString {
    const errorMessage = 'must be a whole number of percent from 1% to 100%'
    return text(description, { default: value, pattern: '^([1-9][0-9]?|100)%$', errorMessage })
  },

  /** `127.0.0.1:8443`, `[::1]:8443`. */
  address(description: string, value: string): TString {
    const pattern = '^(\\[[0-9A-Fa-f:.]+\\]|[A-Za-z0-9][A-Za-z0-9.-]*):[0-9]{1,5}$'
    return text(description, { default: value, pattern, errorMessage: 'must be host:port, such as 127.0.0.1:8443' })
  },

  /** Any text that is not empty. */
  text(description: string, value?: string): TString {
    return text(description, {
      default: value,
      minLength: 1,
      maxLength: 1024,
      errorMessage: 'must be a text that is not empty',
    })
  },

  /** A URL that may hold a password, so it is never shown; empty for none. Its form is checked when it is read. */
  connection(description: string): TString {
    const errorMessage = 'must be a URL of at most 4096 characters, or empty'
    return text(description, { default: '', maxLength: 4096, errorMessage })
  },

  /** Certificates in PEM. */
  certificates(description: string): TString {
    const pattern = '-----BEGIN CERTIFICATE-----'
    return text(description, {
      default: undefined,
      pattern,
      errorMessage: 'must be certificates in PEM, or file:/path of a file with them',
    })
  },

  /** The text of another product's document; the settings never show it. */
  document(description: string): TString {
    return text(description, { default: undefined, minLength: 1, errorMessage: 'must be a document; file:/path' })
  },

  /** A private key in PEM. */
  privateKey(description: string): TString {
    const pattern = '-----BEGIN [A-Z ]*PRIVATE KEY-----'
    return text(description, { default: undefined, pattern, errorMessage: 'must be a private key in PEM' })
  },

  /** One of these words. */
  word<const W extends string>(description: string, words: readonly W[], value?: W) {
    const expected = words.length === 1 ? `must be ${words[0]}` : `must be one of ${words.join(', ')}`
    const options = { description, errorMessage: expected, ...(value === undefined ? {} : { default: value }) }
    return Type.Unsafe<W>({ type: 'string', enum: [...words], ...options })
  },

  /** A whole number. */
  count(description: string, value: number | undefined, [minimum, maximum]: readonly [number, number]) {
    const errorMessage = `must be a whole number from ${minimum} to ${maximum}`
    const options = { description, errorMessage, ...(value === undefined ? {} : { default: value }) }
    return Type.Integer({ minimum, maximum, ...options })
  },

  /** `true` or `false`. */
  flag(description: string, value?: boolean) {
    const options = {
      description,
      errorMessage: 'must be true or false',
      ...(value === undefined ? {} : { default: value }),
    }
    return Type.Boolean(options)
  },

  /**
   * A list of texts, or one text whose parts are separated by commas or white space: so that a variable can hold it.
   */
  list(description: string, what: string, example: string) {
    const item = Type.String({ minLength: 1, maxLength: 1024, errorMessage: `must be ${what}, such as ${example}` })
    const errorMessage = `must be a list of ${what}s, such as [${example}]`
    return Type.Union([Type.Array(item, { maxItems: 256 }), Type.String()], { description, default: [], errorMessage })
  },
})

function text(description: string, options: Record<string, unknown> & { default: string | undefined }): TString {
  const { default: value, ...rest } = options
  return Type.String({ description, ...rest, ...(value === undefined ? {} : { default: value }) })
}

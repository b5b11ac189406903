// What a browser answers with when a passkey was made or used: WebAuthn Level 3 §5.1, as JSON.

import { type TSchema, type TString, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/**
 * A reader of such answers: undefined for what is none. `text` is the schema of every text in them, `response` of the
 * authenticator's own part.
 */
export function credentialReader<Response extends TSchema>(text: TString, response: Response) {
  const validator = Compile(
    Type.Object({
      id: text,
      rawId: text,
      type: Type.Literal('public-key'),
      response,
      authenticatorAttachment: Type.Optional(text),
      clientExtensionResults: Type.Optional(Type.Object({})),
    }),
  )
  return (json: string) => {
    try {
      const value: unknown = JSON.parse(json)
      return validator.Check(value) ? value : undefined
    } catch {
      return undefined
    }
  }
}

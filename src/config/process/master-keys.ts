// Master keys from outside: 32 bytes each, in base64url. No message ever shows one.

import { type SecretValue, secretValue } from '../read/secret-value.js'
import type { Report } from '../report/report.js'
import { textsOf } from '../report/texts.js'
import type { ConfigurationFile } from '../schema/file.js'

/** Reads `secrets.masterKeys`. Mistakes go to the report. */
export function compileMasterKeys({ secrets }: ConfigurationFile, report: Report): readonly SecretValue[] {
  const known = new Set<string>()
  return textsOf(secrets.masterKeys, ['secrets', 'masterKeys']).map(({ text, path }, index) => {
    const bytes = Buffer.from(text, 'base64url')
    // Decoding forgives; only the one spelling of 32 bytes is a key.
    if (bytes.length !== 32 || bytes.toString('base64url') !== text) {
      report.problem(
        path,
        `key ${index + 1} must be 32 random bytes in base64url, 43 characters: openssl rand 32 | basenc --base64url | tr -d =`,
      )
    } else if (known.has(text)) report.problem(path, `key ${index + 1} stands in this list already`)
    else if (new Set(bytes).size < 8) report.problem(path, `key ${index + 1} is not random`)
    known.add(text)
    if (report.places.isLiteral(path)) {
      report.warning(path, `key ${index + 1} stands in the configuration itself; refer to a variable or a file instead`)
    }
    return secretValue(text)
  })
}

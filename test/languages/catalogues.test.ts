// What all catalogues share: the same texts with the same parameters, each in its own language.

import t from 'tap'
import { languages } from '../../src/languages/language.js'
import { textsIn } from '../../src/languages/texts.js'
import { entriesOf, markedText } from '../support/people/catalogue-entries.js'

const english = new Map(entriesOf(textsIn('en')))

/** Words that are the same elsewhere: names, codes, and words that the languages share. */
const sameElsewhere: Readonly<Record<string, readonly string[]>> = {
  de: [
    'frame.organisation',
    'device.code',
    'account.name',
    'account.passkeys',
    'account.passkey.proposed',
    'consent.in',
    'consent.permissionsIn',
    'consent.requests.permissionsIn',
  ],
  fr: ['errors.nothingHere.documentation', 'frame.organisation', 'device.code'],
}

for (const language of languages) {
  t.test(`${language}: every text is there, says all that it is given, and is not empty`, async (t) => {
    const own = entriesOf(textsIn(language))
    t.same(own.map(([path]) => path).sort(), [...english.keys()].sort(), 'the same texts as in English')
    for (const [path, entry] of own) {
      const { text, said } = markedText(entry)
      if (text.trim() === '') t.fail(`${path} is empty`)
      t.same(said, markedText(english.get(path)).said, `${path}: ${text}`)
    }
  })
}

for (const language of languages.filter((each) => each !== 'en')) {
  t.test(`${language}: nothing is left in English`, async (t) => {
    const allowed = new Set(sameElsewhere[language] ?? [])
    const same = entriesOf(textsIn(language))
      .filter(([path, entry]) => markedText(entry).text === markedText(english.get(path)).text)
      // Without a letter of its own a text only puts others together.
      .filter(([, entry]) => /\p{L}/u.test(markedText(entry).text))
      .map(([path]) => path)
    t.same(
      same.filter((path) => !allowed.has(path)),
      [],
    )
  })
}

// The sentence of a permission in the language of the reader, and what stands there when nobody wrote one.

import t from 'tap'
import { managementPermissions } from '../../src/config/routes/management-permissions.js'
import type { PermissionDefinition } from '../../src/config/settings/settings.js'
import { sentenceOf } from '../../src/identity/consent/sentences.js'
import { type Language, languages } from '../../src/languages/language.js'
import { storedTranslations } from '../../src/languages/translations.js'
import { testCatalogue } from '../support/rooms/directory.js'
import { mistakesOf, settingsFrom } from '../support/settings/config-file.js'
import { documentedBlock } from '../support/settings/documentation.js'

const ref = { kind: 'delegated', id: 'User.Read' } as const

/** The sentence in `reader`, of a permission that a server in `server` describes so. */
function read(reader: Language, server: Language, described: Partial<PermissionDefinition>) {
  const catalogue = testCatalogue()
  const resource = catalogue.own.id
  const known = catalogue.permissions.find(({ id }) => id === ref.id)
  const definition = { ...(known as PermissionDefinition), ...described }
  const { text, lang } = sentenceOf(
    { ...catalogue, language: server, find: () => definition },
    { ...ref, resource },
    'own',
    reader,
  )
  return [text, lang]
}

t.test('in their language, else as it was written, which says its language', async (t) => {
  const written = { describe: 'Profil lesen', descriptions: { ja: 'プロフィールを読む' } }
  t.same(read('ja', 'de', written), ['プロフィールを読む', undefined])
  t.same(read('de', 'de', written), ['Profil lesen', undefined], 'that of the server needs no mark')
  t.same(read('fr', 'de', written), ['Profil lesen', 'de'])
  t.same(read('en', 'en', { describe: 'Read', descriptions: { en: 'Read it' } }), ['Read it', undefined])
  t.same(read('fr', 'de', { describe: '' }), ['User.Read', undefined], 'a name is of no language')
  const [disguised] = read('ja', 'en', { describe: 'Read', descriptions: { ja: '\u202e削除\u0007' } })
  t.notMatch(disguised, /[\u202e\u0007]/)
})

t.test('the permissions of the management API are in every language', async (t) => {
  for (const { id, describe, descriptions = {} } of managementPermissions('https://id.test/api/v2')) {
    t.same(Object.keys(descriptions), languages, id)
    t.equal(descriptions.en, describe)
    t.equal(new Set(Object.values(descriptions)).size, languages.length, id)
  }
})

t.test(
  'the configuration has them beside the text, as documented, and refuses languages that there are not',
  async (t) => {
    const block = documentedBlock('descriptions:') ?? ''
    const { permissions } = settingsFrom(t, block).catalogue
    const descriptions = { de: 'Bestellungen lesen', ja: '注文を読み取ります' }
    t.match(
      permissions.find(({ id }) => id === 'Orders.Read'),
      { describe: 'Read orders', descriptions },
    )
    t.match(mistakesOf(t, block.replace(' ja:', ' jp:')).join(), /jp.*ja/)
  },
)

t.test('a row that says other languages than there are is read without them', async (t) => {
  t.same(storedTranslations('{"de":"Lesen","tlh":"laD","ja":3}'), { de: 'Lesen' })
  t.same([storedTranslations(''), storedTranslations('{}')], [undefined, undefined])
})

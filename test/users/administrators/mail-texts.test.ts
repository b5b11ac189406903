// identity M9: whatever a mail is about, in whatever language, a tenant's name says nothing in it but a name. A new text
// does not compile without a line here.

import t from 'tap'
import type { Texts } from '../../../src/languages/english/texts.js'
import { languages } from '../../../src/languages/language.js'
import { textsIn } from '../../../src/languages/texts.js'
import { type MailText, nameInMail } from '../../../src/users/mail/mail-texts.js'

const [host, url] = ['portcullis.test', 'https://portcullis.test/some/path']
const counts = { origins: 3, applications: 2 }

type Mails = Texts['mails']
const written: {
  readonly [Text in Exclude<keyof Mails, 'changes' | 'moreChanges' | 'foot'>]: (
    mails: Mails,
    name: string | undefined,
  ) => MailText
} = {
  invitation: (mails, name) => mails.invitation(host, url, name),
  passwordReset: (mails) => mails.passwordReset(host, url),
  confirmEmail: (mails) => mails.confirmEmail(host, url),
  addressInUse: (mails) => mails.addressInUse(host),
  addressChanged: (mails) => mails.addressChanged(host),
  manyFailures: (mails) => mails.manyFailures(host, url),
  newSignIn: (mails) => mails.newSignIn(host, url, '21 Nov 2026, 10:00 UTC (203.0.113.9)'),
  accountChanged: (mails) => mails.accountChanged(host, url, mails.changes.passkeyAdded),
  consentGranted: (mails) => mails.consentGranted(host, url),
  consentWaits: (mails) => mails.consentWaits(host, url),
  secretEnds: (mails) => mails.secretEnds(host, url, 7),
  newOrigins: (mails, name) => mails.newOrigins(host, url, { name, ...counts }),
}

const wicked = [
  'Your Portcullis account is locked. Unlock: https://evil.example/unlock',
  'evil.example',
  'evil\u3002example',
  'Contoso\r\nBcc: all@evil.example',
  'Contoso\u2028Call 0800 123 456',
  'ring 0800 123 456 now',
  'Contoso <https://evil.example>',
  'write to help@evil.example',
  'www evil example',
  'Contoso, verified ✅',
  'x'.repeat(200),
  '\u202eelpmaxe.live',
]

for (const language of languages) {
  t.test(`identity M9, ${language}: no text of any mail has anything of a name that is more than one`, async (t) => {
    const { mails } = textsIn(language)
    for (const [about, write] of Object.entries(written)) {
      const plain = write(mails, undefined)
      for (const name of wicked) t.same(write(mails, nameInMail(name)), plain, `${about}: ${encodeURI(name)}`)
      const named = write(mails, 'Contoso')
      t.notMatch(named.subject, 'Contoso', `${about}: a subject is ours alone`)
      t.same(
        [...named.text.matchAll(/https?:\/\/[^\s/]+/g)].filter(([link]) => link !== 'https://portcullis.test'),
        [],
        `${about}: it leads nowhere but here`,
      )
      t.notMatch(named.subject, /[\r\n]/, about)
    }
    for (const about of ['invitation', 'newOrigins'] as const) {
      t.match(written[about](mails, 'Contoso').text, /[“„«「]\s?Contoso\s?[”“»」]/u, 'a name that is one is quoted')
    }
  })
}

t.test('identity M9: mail that tells how many says it in words that fit', async (t) => {
  const text = (origins: number, applications: number) =>
    textsIn('en').mails.newOrigins(host, url, { name: undefined, origins, applications }).text
  t.match(text(1, 1), /^Somebody gave one application of your organisation .* addresses on one new site\./)
  t.match(text(3, 2), /^Somebody gave 2 applications of your organisation .* addresses on 3 new sites\./)
})

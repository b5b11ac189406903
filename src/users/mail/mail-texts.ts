// What mails say stands in the catalogues (languages/*/mails.ts). They come from this server, so nothing in them may be
// somebody's who only wants it to be said: a subject is ours alone, and a name stands in the text only where it can be
// nothing but a name.

import type { Texts } from '../../languages/english/texts.js'
import type { Language } from '../../languages/language.js'
import { textsIn } from '../../languages/texts.js'
import type { UserWrites } from '../writes.js'

export interface MailText {
  subject: string
  text: string
}

/** What mails say to somebody who reads that language; none: the one that this server begins with. */
export function mailsIn(
  { settings }: Pick<UserWrites, 'settings'>,
  language: Language | null | undefined,
): Texts['mails'] {
  return textsIn(language ?? settings.language).mails
}

/**
 * What leads somewhere or asks for something: addresses, words with a dot between, anything that can be called or
 * written to.
 */
const suspicious =
  /[/\\@:<>[\]{}|!?;=%&#*_~^`"“”„«»「」『』]|[^\s.][.\u00b7\u2024\u3002\uff0e\uff61\ufe52][^\s.]|\d[\d\s()+.-]{4,}\d|www|https?/iu
/** Words of mails that people are warned of, and of our own. */
const official =
  /portcullis|password|passwort|account|konto|log[\s-]?in|sign[\s-]?in|security|sicherheit|verif|confirm|suspend|locked|unlock|urgent|invoice|payment|click|administrator|support|mot de passe|compte|connexion|sécurité|urgence|contraseña|cuenta|seguridad|パスワード|アカウント|サインイン|ログイン|セキュリティ|管理者/iu
const longest = 60

/**
 * The name of an organisation as a mail may say it; undefined for one that reads as an address, an
 * instruction or a word of ours: the mail then does without.
 */
export function nameInMail(name: string | undefined): string | undefined {
  // Before white space is made one: a line separator is among it.
  if (name === undefined || /[\p{C}\p{Zl}\p{Zp}\p{So}]/u.test(name)) return undefined
  const plain = name.normalize('NFKC').replace(/\s+/gu, ' ').trim()
  if (plain === '' || [...plain].length > longest) return undefined
  if (suspicious.test(plain) || official.test(plain)) return undefined
  return plain
}

// What mails say. They come from this server, so nothing in them may be somebody's who only wants it to be said: a
// subject is ours alone, and a name stands in the text only where it can be nothing but a name.

/**
 * What leads somewhere or asks for something: addresses, words with a dot between, anything that can be called or
 * written to.
 */
const suspicious =
  /[/\\@:<>[\]{}|!?;=%&#*_~^`"“”„«»]|[^\s.][.\u00b7\u2024\u3002\uff0e\uff61\ufe52][^\s.]|\d[\d\s()+.-]{4,}\d|www|https?/iu
/** Words of mails that people are warned of, and of our own. */
const official =
  /portcullis|password|passwort|account|konto|log[\s-]?in|sign[\s-]?in|security|sicherheit|verif|confirm|suspend|locked|unlock|urgent|invoice|payment|click|administrator|support/iu
const longest = 60

/**
 * The name of an organisation as a mail may say it, in quotes; undefined for one that reads as an address, an
 * instruction or a word of ours: the mail then does without.
 */
export function nameInMail(name: string | undefined): string | undefined {
  // Before white space is made one: a line separator is among it.
  if (name === undefined || /[\p{C}\p{Zl}\p{Zp}\p{So}]/u.test(name)) return undefined
  const plain = name.normalize('NFKC').replace(/\s+/gu, ' ').trim()
  if (plain === '' || [...plain].length > longest) return undefined
  if (suspicious.test(plain) || official.test(plain)) return undefined
  return `“${plain}”`
}

export interface MailText {
  subject: string
  text: string
}

const ignore = 'If you do not expect this, ignore it: nothing happens.'

/** By what they are about. `host`: where this server is. */
export const mailTexts = {
  invitation: (host: string, url: string, tenantName: string | undefined): MailText => {
    const name = nameInMail(tenantName)
    const where = name === undefined ? `an organisation at ${host}` : `the organisation ${name} at ${host}`
    return {
      subject: `Invitation to ${host}`,
      text: `You are invited to join ${where}.\n\nOpen this link to accept. It works once, for seven days:\n${url}\n\n${ignore}\n`,
    }
  },
  passwordReset: (host: string, url: string): MailText => ({
    subject: `A new password at ${host}`,
    text: `Somebody, probably you, requested a new password at ${host}.\n\nOpen this link to choose one. It works once, for an hour:\n${url}\n\nIf it was not you, ignore this: your password stays as it is.\n`,
  }),
  confirmEmail: (host: string, url: string): MailText => ({
    subject: `Confirm your e-mail address at ${host}`,
    text: `An account at ${host} asks for this e-mail address.\n\nIf the account is yours, open this link in the browser where you are signed in. It works for a day:\n${url}\n\nIf it is not, ignore this: nothing happens.\n`,
  }),
  addressInUse: (host: string): MailText => ({
    subject: `Your e-mail address at ${host}`,
    text: `Somebody tried at ${host} to use this e-mail address for another account. It belongs to an account already, so nothing was changed.\n\nIf it was you, sign in with this address instead.\n`,
  }),
  addressChanged: (host: string): MailText => ({
    subject: `Your e-mail address at ${host} was changed`,
    text: `Your account at ${host} has another e-mail address from now on; this one no longer signs in.\n\nIf it was not you, tell an administrator of your organisation at once.\n`,
  }),
  manyFailures: (host: string, url: string): MailText => ({
    subject: `Many failed sign-ins to your account at ${host}`,
    text: `Somebody has tried many wrong passwords for your account at ${host}. None of them was right. For an hour, browsers in which you have never signed in have to wait.\n\nYou sign in as always in a browser that you have used before, with a passkey, or with a link for a new password:\n${url}\n\nIf your password is short, or used elsewhere as well, change it.\n`,
  }),
  /** Without the origins themselves, and without names of applications: those who added them chose both. */
  newOrigins: (
    host: string,
    url: string,
    { tenantName, origins, applications }: { tenantName: string | undefined; origins: number; applications: number },
  ): MailText => {
    const name = nameInMail(tenantName)
    const where = name === undefined ? `your organisation at ${host}` : `the organisation ${name} at ${host}`
    const what = `${counted(applications, 'application')} of ${where}`
    return {
      subject: `New redirect addresses at ${host}`,
      text: `Somebody gave ${what} redirect addresses on ${counted(origins, 'new site')}. People who sign in there are sent to them, and the owner of such a site learns who they are.\n\nYou get this as an administrator. See which sites they are and who added them, and remove what you do not know:\n${url}\n`,
    }
  },
}

function counted(count: number, what: string): string {
  return count === 1 ? `one ${what}` : `${count} ${what}s`
}

// What mails say, in German.

import type { Texts } from '../english/texts.js'

export const mails: Texts['mails'] = {
  invitation: (host, url, name) => ({
    subject: `Einladung zu ${host}`,
    text: `Sie sind eingeladen, ${name === undefined ? `einer Organisation auf ${host}` : `der Organisation „${name}“ auf ${host}`} beizutreten.\n\nÖffnen Sie diesen Link, um anzunehmen. Er gilt einmal und sieben Tage lang:\n${url}\n\nWenn Sie das nicht erwarten, beachten Sie diese Nachricht nicht: Dann geschieht nichts.\n`,
  }),
  passwordReset: (host, url) => ({
    subject: `Ein neues Passwort auf ${host}`,
    text: `Jemand, vermutlich Sie, hat auf ${host} ein neues Passwort angefordert.\n\nÖffnen Sie diesen Link, um eines zu wählen. Er gilt einmal und eine Stunde lang:\n${url}\n\nWenn Sie es nicht waren, beachten Sie diese Nachricht nicht: Ihr Passwort bleibt, wie es ist.\n`,
  }),
  confirmEmail: (host, url) => ({
    subject: `Bestätigen Sie Ihre E-Mail-Adresse auf ${host}`,
    text: `Ein Konto auf ${host} möchte diese E-Mail-Adresse verwenden.\n\nWenn es Ihr Konto ist, öffnen Sie diesen Link in dem Browser, in dem Sie angemeldet sind. Er gilt einen Tag lang:\n${url}\n\nWenn nicht, beachten Sie diese Nachricht nicht: Dann geschieht nichts.\n`,
  }),
  addressInUse: (host) => ({
    subject: `Ihre E-Mail-Adresse auf ${host}`,
    text: `Jemand hat auf ${host} versucht, diese E-Mail-Adresse für ein anderes Konto zu verwenden. Sie gehört schon zu einem Konto, deshalb wurde nichts geändert.\n\nWenn Sie das waren, melden Sie sich stattdessen mit dieser Adresse an.\n`,
  }),
  addressChanged: (host) => ({
    subject: `Ihre E-Mail-Adresse auf ${host} wurde geändert`,
    text: `Ihr Konto auf ${host} hat ab jetzt eine andere E-Mail-Adresse; mit dieser können Sie sich nicht mehr anmelden.\n\nWenn Sie das nicht waren, sagen Sie es sofort der Administration Ihrer Organisation.\n`,
  }),
  manyFailures: (host, url) => ({
    subject: `Viele fehlgeschlagene Anmeldungen bei Ihrem Konto auf ${host}`,
    text: `Jemand hat für Ihr Konto auf ${host} viele falsche Passwörter probiert. Keines war richtig. Browser, in denen Sie sich noch nie angemeldet haben, müssen eine Stunde lang warten.\n\nSie selbst melden sich wie immer an: in einem Browser, den Sie schon benutzt haben, mit einem Passkey oder mit einem Link für ein neues Passwort:\n${url}\n\nWenn Ihr Passwort kurz ist oder auch anderswo gilt, ändern Sie es.\n`,
  }),
  newSignIn: (host, url, when) => ({
    subject: `Neue Anmeldung bei Ihrem Konto auf ${host}`,
    text: `Jemand hat sich mit einem neuen Browser bei Ihrem Konto auf ${host} angemeldet: ${when}.\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, wählen Sie ein neues Passwort und beenden Sie diese Sitzung:\n${url}\n`,
  }),
  accountChanged: (host, url, what) => ({
    subject: `Ihr Konto auf ${host} wurde geändert`,
    text: `${what}\n\nWaren Sie es, ist nichts zu tun. Wenn nicht, wählen Sie ein neues Passwort, melden Sie sich überall ab und sagen Sie der Administration Ihrer Organisation auf ${host} Bescheid:\n${url}\n`,
  }),
  changes: {
    secondFactorAdded: 'Als zweiter Faktor Ihres Kontos wurden Codes aus einer App eingerichtet.',
    secondFactorRemoved: 'Die Codes aus einer App gehören nicht mehr zu Ihrem Konto.',
    recoveryCodesRenewed: 'Ihr Konto hat neue Wiederherstellungscodes; die früheren gelten nicht mehr.',
    recoveryCodeUsed: 'Ein Wiederherstellungscode Ihres Kontos wurde verwendet.',
    passkeyAdded: 'Ihrem Konto wurde ein Passkey hinzugefügt.',
    passkeyRemoved: 'Ein Passkey wurde aus Ihrem Konto entfernt.',
    passwordChanged: 'Das Passwort Ihres Kontos wurde geändert.',
    providerLinked: 'Mit Ihrem Konto wurde ein weiterer Anbieter verknüpft: Er meldet von nun an bei ihm an.',
    providerUnlinked: 'Die Verknüpfung Ihres Kontos mit einem Anbieter wurde aufgehoben.',
  },
  moreChanges: 'Es gab weitere Änderungen wie diese; nicht jede wird gemeldet. Ihr Konto zeigt, was jetzt gilt.',
  consentGranted: (host, url) => ({
    subject: `Einer Anwendung wurde auf ${host} mehr erlaubt`,
    text: `Die Administration Ihrer Organisation auf ${host} hat für alle zugestimmt, was eine Anwendung tun darf.\n\nSehen Sie, welche Anwendungen Zugriff haben:\n${url}\n\nSie erhalten dies, weil Sie die Organisation verwalten; in den Angaben Ihres Kontos können Sie solche E-Mails abschalten.\n`,
  }),
  consentWaits: (host, url) => ({
    subject: `Auf ${host} wartet eine Bitte um Zustimmung`,
    text: `Jemand aus Ihrer Organisation auf ${host} bittet um Zustimmung zu dem, was eine Anwendung tun darf.\n\nEntscheiden Sie darüber:\n${url}\n\nSie erhalten dies, weil Sie die Organisation verwalten; in den Angaben Ihres Kontos können Sie solche E-Mails abschalten.\n`,
  }),
  secretEnds: (host, url, days) => ({
    subject: `Ein privater Schlüssel auf ${host} endet bald`,
    text: `Ein privater Schlüssel einer Anwendung auf ${host} endet in ${days === 1 ? 'einem Tag' : `${days} Tagen`}. Die Anwendung bekommt damit dann keine Token mehr.\n\nLegen Sie rechtzeitig einen neuen an:\n${url}\n\nSie erhalten dies, weil Sie für die Anwendung zuständig sind; in den Angaben Ihres Kontos können Sie solche E-Mails abschalten.\n`,
  }),
  newOrigins: (host, url, { name, origins, applications }) => ({
    subject: `Neue Rücksprungadressen auf ${host}`,
    text: `Jemand hat ${applications === 1 ? 'einer Anwendung' : `${applications} Anwendungen`} ${name === undefined ? `Ihrer Organisation auf ${host}` : `der Organisation „${name}“ auf ${host}`} Rücksprungadressen auf ${origins === 1 ? 'einer neuen Website' : `${origins} neuen Websites`} gegeben. Wer sich dort anmeldet, wird dorthin geschickt, und wem eine solche Website gehört, erfährt, wer diese Personen sind.\n\nSie bekommen diese Nachricht, weil Sie zur Administration gehören. Sehen Sie nach, welche Websites es sind und wer sie hinzugefügt hat, und entfernen Sie, was Sie nicht kennen:\n${url}\n`,
  }),
  foot: {
    from: (server, host) => `Diese Nachricht kommt von ${server} auf ${host}.`,
    about: (name) => `Es geht um die Organisation „${name}“.`,
    both: (from, about) => `${from} ${about}`,
    itsAddresses: 'Diese Adressen gibt die Organisation selbst an:',
    address: (label, url) => `${label}: ${url}`,
  },
}

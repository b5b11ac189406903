// Refusals that a person sees as a page, in German.

import type { Texts } from '../english/texts.js'
import { durationIn } from '../formats.js'

export const errors: Texts['errors'] = {
  contactDeveloper:
    'Schließen Sie diese Seite und wenden Sie sich an die Entwickler der Anwendung. Hier können Sie nichts tun.',
  tooLarge: {
    title: 'Dieses Formular ist zu groß',
    what: 'Ihr Browser hat mehr gesendet, als diese Seite annimmt.',
    remedy: 'Öffnen Sie die Seite noch einmal und senden Sie weniger.',
  },
  nothingHere: {
    title: 'Seite nicht gefunden',
    what: 'Unter dieser Adresse gibt es nichts.',
    remedy: 'Prüfen Sie die Schreibweise, oder gehen Sie von einer dieser Seiten aus weiter.',
    start: 'Zur Startseite',
    documentation: 'Dokumentation',
    numbers: 'Fehlernummern',
  },
  unexpected: {
    title: 'Etwas ist schiefgegangen',
    what: 'Ein unerwarteter Fehler ist aufgetreten. Das liegt nicht an Ihnen.',
    remedy: (request) =>
      `Versuchen Sie es später noch einmal. Wenn es immer wieder geschieht, nennen Sie denen, die diesen Server betreiben, diese Anfragenummer: ${request}`,
  },
  refused: {
    title: 'Diese Anfrage wurde abgelehnt',
    remedy: 'Gehen Sie dorthin zurück, woher Sie gekommen sind, und beginnen Sie von vorn.',
  },
  tooManyRequests: {
    title: 'Zu viele Anfragen',
    what: 'Aus Ihrem Netz kamen in kurzer Zeit zu viele Anfragen.',
    remedy: (seconds) => `Warten Sie ${durationIn('de', seconds)} und öffnen Sie die Seite dann noch einmal.`,
  },
  cannot: {
    title: 'Das geht nicht',
    remedy: 'Gehen Sie zurück, prüfen Sie Ihre Eingaben und versuchen Sie es noch einmal.',
    nothingChanged: 'Es wurde nichts geändert. Gehen Sie zurück und prüfen Sie es.',
  },
  unreadable: {
    title: 'Diese Anfrage ist nicht lesbar',
    what: 'Ihr Browser hat etwas gesendet, das dieser Server nicht lesen konnte.',
    remedy: 'Öffnen Sie die Seite noch einmal.',
  },
  away: {
    title: 'Dieser Dienst ist vorübergehend nicht verfügbar',
    what: 'Er erreicht seine Daten nicht. Deshalb konnte nichts angezeigt oder geändert werden.',
    remedy:
      'Warten Sie einen Moment und öffnen Sie die Seite dann noch einmal. Wenn Sie ein Formular gesendet haben, prüfen Sie zuerst, ob es angekommen ist.',
  },
  wrongMethod: {
    title: 'Diese Seite nimmt diese Methode nicht an',
    what: (methods) => `Diese Adresse beantwortet nur ${methods}.`,
    remedy: 'Öffnen Sie sie in einem Browser.',
  },
  notAForm: {
    title: 'Dieses Formular ist nicht lesbar',
    what: 'Der Inhalt muss application/x-www-form-urlencoded sein.',
    remedy: 'Öffnen Sie die Seite in einem Browser und senden Sie ihr Formular.',
  },
  malformedForm: {
    title: 'Dieses Formular ist nicht lesbar',
    what: 'Was Ihr Browser gesendet hat, ist kein Formular.',
    remedy: 'Öffnen Sie die Seite noch einmal und senden Sie es erneut.',
  },
  cookiesBlocked: {
    title: 'Cookies sind blockiert',
    started:
      'Ihr Browser hat das Cookie nicht zurückgesendet, das er von dieser Website bekommen hat. Deshalb ist nicht klar, was Sie begonnen hatten.',
    startAgain:
      'Erlauben Sie in den Einstellungen Ihres Browsers Cookies für diese Website, gehen Sie zur Anwendung zurück und beginnen Sie dort von vorn. Eine Adresse dieser Art funktioniert nur in dem Browser, in dem alles begann.',
    what: 'Ihr Browser hat das Cookie nicht zurückgesendet, das er von dieser Website bekommen hat. Ohne dieses Cookie kann hier niemand angemeldet werden.',
    remedy:
      'Erlauben Sie in den Einstellungen Ihres Browsers Cookies für diese Website und öffnen Sie die Seite dann noch einmal. Auch private Fenster und Erweiterungen können sie blockieren.',
  },
  expired: {
    title: 'Diese Anmeldung ist abgelaufen',
    what: 'Sie wurde schon abgeschlossen, vielleicht in einem anderen Tab, hat zu lange gedauert oder wurde in einem anderen Browser begonnen.',
    remedy:
      'Wenn die Anwendung funktioniert, schließen Sie diese Seite. Wenn nicht, gehen Sie zur Anwendung zurück und beginnen Sie dort von vorn.',
  },
  ended: {
    title: 'Diese Anmeldung ist abgelaufen',
    what: 'Sie wurde schon abgeschlossen, hat mehr als eine Stunde gewartet oder wurde in einem anderen Browser begonnen.',
    remedy: 'Gehen Sie zu der Anwendung zurück, von der Sie gekommen sind, und melden Sie sich dort erneut an.',
    link: 'Zu Ihrem Konto',
  },
  doubledCookie: {
    title: 'Dieser Browser hat ein Cookie doppelt gesendet',
    what: 'Ein Cookie dieser Website kam mit dieser Anfrage zweimal. Deshalb ist nicht klar, welches Ihres ist.',
    remedy: 'Löschen Sie in den Einstellungen Ihres Browsers die Cookies dieser Website und beginnen Sie von vorn.',
  },
  formExpired: {
    title: 'Dieses Formular ist abgelaufen',
    what: 'Seit Sie diese Seite geöffnet haben, haben Sie sich an- oder abgemeldet oder in einem anderen Tab weitergemacht. Es wurde nichts geändert.',
    remedy:
      'Laden Sie die Seite neu und versuchen Sie es noch einmal. Möglicherweise müssen Sie Ihre Eingaben wiederholen.',
  },
  foreignForm: {
    title: 'Diese Anfrage kam von einer anderen Website',
    what: 'Eine andere Website wollte hier in Ihrem Namen ein Formular senden. Es wurde nichts geändert.',
    remedy: 'Wenn Sie das tun wollten, öffnen Sie die Seite hier und senden Sie das Formular selbst.',
  },
  signedOut: {
    title: 'Sie sind abgemeldet',
    what: 'Ihre Sitzung endete, bevor dieses Formular gesendet wurde. Deshalb wurde nichts geändert.',
    remedy: 'Melden Sie sich erneut an. Sie kommen dann auf diese Seite zurück.',
  },
  tooOld: {
    title: 'Bestätigen Sie, dass Sie es sind',
    what: (seconds) =>
      `Sie haben sich vor mehr als ${durationIn('de', seconds)} angemeldet. Deshalb wurde nichts geändert.`,
    remedy: 'Melden Sie sich erneut an. Sie kommen dann auf diese Seite zurück.',
    link: 'Noch einmal anmelden',
  },
  secondStep: {
    title: 'Melden Sie sich erneut an',
    what: 'Diese Anmeldung hat im zweiten Schritt zu lange gedauert, hatte zu viele falsche Codes, wurde abgebrochen oder ist schon abgeschlossen.',
    remedy: 'Beginnen Sie von vorn.',
  },
  tooManyAttempts: {
    title: 'Zu viele Versuche',
    what: 'Für dieses Konto oder aus Ihrem Netz gab es zu viele fehlgeschlagene Anmeldungen.',
    remedy: (seconds) =>
      `Warten Sie ${durationIn('de', seconds)} und versuchen Sie es dann noch einmal. Mit einem Passkey können Sie sich weiterhin anmelden, und auch das Passwort lässt sich zurücksetzen.`,
  },
  busy: {
    title: 'Der Server ist ausgelastet',
    what: 'Gerade melden sich zu viele Menschen an. Ihr Passwort wurde nicht geprüft.',
    remedy: 'Warten Sie einige Sekunden und versuchen Sie es dann noch einmal.',
  },
  link: {
    title: 'Dieser Link funktioniert nicht',
    what: 'Er wurde schon verwendet, ist abgelaufen oder unvollständig. Jeder Link gilt nur einmal.',
    'set-up':
      'Wer diesen Server betreibt, erzeugt einen neuen mit: portcullis set-up-link. Wenn es schon eine Inhaberin oder einen Inhaber gibt, fragen Sie dort.',
    invitation:
      'Bitten Sie die Person, die Sie eingeladen hat, um einen neuen. Wenn Sie die Einladung schon angenommen haben, melden Sie sich an.',
    'provider-link':
      'Bitten Sie die Administration Ihrer Organisation um einen neuen. Wenn es schon erledigt ist, melden Sie sich auf diesem Weg an.',
    'password-reset':
      'Fordern Sie einen neuen an. Wenn Sie schon ein neues Passwort gewählt haben, melden Sie sich an.',
    another: 'Neuen Link anfordern',
  },
  confirmLink: {
    title: 'Dieser Link funktioniert nicht',
    what: 'Er wurde schon verwendet, ist abgelaufen oder gehört zu einem anderen Konto als dem, mit dem Sie angemeldet sind. Auch ein neues Passwort und das Abmelden überall beenden ihn.',
    remedy:
      'Wenn Sie diese Adresse angefordert haben, melden Sie sich mit jenem Konto an und fordern Sie sie erneut an.',
    details: 'Ihre Angaben',
  },
  notAdministrator: {
    title: 'Das kann nur die Administration entscheiden',
    what: 'Sie gehören nicht zur Administration dieser Organisation. Deshalb wurde nichts erlaubt.',
    remedy: 'Wenden Sie sich auf der Seite, von der Sie gekommen sind, an die Administration.',
  },
  noTenant: {
    title: 'Sie können diese Anwendung nicht nutzen',
    what: (application) =>
      `Sie sind angemeldet, gehören aber zu keiner Organisation, in der ${application} genutzt werden kann.`,
    remedy:
      'Bitten Sie die Administration Ihrer Organisation, die Anwendung zu installieren oder Sie einzuladen. Wenn Sie ein anderes Konto haben, melden Sie sich ab und verwenden Sie dieses.',
  },
  clientNotKnown: {
    title: 'Diese Anfrage kann nicht fortgesetzt werden',
    what: (host, why) =>
      `Eine Anwendung von ${host}, die hier niemand registriert hat, hat Sie hierher geschickt. ${why}`,
    itself: (why) => `Eine Anwendung, die sich selbst registriert hat, hat Sie hierher geschickt. ${why}`,
    remedy:
      'Sie wurden nicht zu ihr zurückgeschickt, weil sie in Ihrer Organisation noch niemand zugelassen hat. Was falsch ist, steht oben für ihre Entwickler.',
  },
  misconfigured: {
    title: 'Diese Anwendung ist falsch eingerichtet',
    noClient: 'Die Anfrage sagt nicht, von welcher Anwendung sie kommt: client_id fehlt.',
    unknownClient: 'Unter der client_id der Anfrage ist hier keine Anwendung registriert.',
    disabled: 'Die Anwendung ist deaktiviert.',
    disabledRemedy: 'Fragen Sie diejenigen, die die Anwendung betreiben.',
    noRedirect: 'Die Anfrage sagt nicht, wohin es zurückgehen soll: redirect_uri fehlt.',
    otherRedirect: 'Die Rücksprungadresse (redirect_uri) ist keine, die die Anwendung registriert hat (50011).',
    sent: (known, address) => `${known} Sie hat ${address} gesendet.`,
    noneRegistered: 'Es ist keine registriert.',
    nearest: (address) => `Die ähnlichste registrierte ist ${address}.`,
    compared: (nearest) =>
      `${nearest} Adressen werden Zeichen für Zeichen verglichen. Sie sehen das, weil Sie in dieser Organisation entwickeln.`,
    document: (url, why) => `Das Dokument, das die Anwendung beschreibt, ${url}, kann nicht verwendet werden. ${why}`,
    documentUntrusted: (host) => `Anwendungen von ${host}, die hier niemand registriert hat, werden nicht angenommen.`,
    documentUntrustedRemedy:
      'Wenden Sie sich an die Administration dieses Servers oder verwenden Sie eine hier registrierte Anwendung.',
    goneRedirect: 'Die Rücksprungadresse ist nicht mehr registriert.',
  },
  requestTooLarge: {
    title: 'Diese Anfrage ist zu groß',
    what: (parameter, most) => `${parameter}, wie die Anwendung es gesendet hat, ist länger als ${most} Bytes.`,
  },
  requestUnreadable: { title: 'Diese Anfrage ist nicht lesbar' },
  consentRequest: {
    title: 'Diese Anfrage nach Zustimmung kann nicht angezeigt werden',
    otherRedirect:
      'Die Rücksprungadresse (redirect_uri) ist keine, die die Anwendung für die Zustimmung der Administration registriert hat (50011).',
  },
  consentNotPossible: {
    title: 'Zustimmung ist nicht möglich',
    remedy: 'Wenden Sie sich an die Entwickler der Anwendung; sie können ändern, was sie verlangt.',
    link: 'Was das bedeutet',
  },
  addressGone: {
    title: 'Die Rücksprungadresse ist nicht mehr registriert',
    what: 'Seit Sie hierher gekommen sind, hat die Anwendung die Adresse entfernt, zu der Sie zurückkehren würden.',
    remedy: 'Schließen Sie diese Seite. Ihre Entscheidung ist gespeichert.',
  },
  notAMember: {
    title: 'Das können Sie nicht entscheiden',
    what: (application) => `Sie gehören zu keiner Organisation, die ${application} zustimmen kann.`,
    remedy:
      'Wenn Sie dort ein anderes Konto haben, melden Sie sich damit an. Sonst schicken Sie diese Adresse jemandem dort.',
    link: 'Anderes Konto verwenden',
  },
  logout: {
    title: 'Diese Abmeldeanfrage ist ungültig',
    what: (reason) => `${reason} Niemand wurde abgemeldet.`,
    unreadable: 'Die Anfrage der Anwendung war nicht lesbar. Niemand wurde abgemeldet.',
    remedy:
      'Um sich hier abzumelden, verwenden Sie die Schaltfläche. Um sich von der Anwendung abzumelden, gehen Sie zu ihr zurück.',
    button: 'Um sich hier abzumelden, verwenden Sie die Schaltfläche.',
    here: 'Hier abmelden',
  },
}

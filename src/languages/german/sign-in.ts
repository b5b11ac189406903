// Signing in, in German.

import type { Texts } from '../english/texts.js'

export const signIn: Texts['signIn'] = {
  title: 'Anmelden',
  again: 'Bestätigen Sie, dass Sie es sind',
  againIntro: 'Melden Sie sich erneut an, um fortzufahren.',
  or: 'oder',
  orWith: 'oder mit',
  forgot: 'Passwort vergessen?',
  wrong: 'E-Mail-Adresse und Passwort passen nicht zusammen. Prüfen Sie beides und versuchen Sie es noch einmal.',
  wrongPasskey:
    'Dieser Passkey wurde nicht angenommen. Melden Sie sich mit Ihrem Passwort an oder versuchen Sie es noch einmal.',
  passkey: 'Passkey verwenden',
  noPasskey: 'Es wurde kein Passkey verwendet.',
  tryOrPassword: 'Versuchen Sie es noch einmal oder melden Sie sich mit Ihrem Passwort an.',
  choose: 'Konto auswählen',
  continueAs: (person) => `Weiter als ${person}`,
  useAnother: 'Anderes Konto verwenden',
  asSomebodyElse: 'Mit einem anderen Konto anmelden',
  moment: 'Einen Moment',
  signedIn: 'Sie sind angemeldet.',
  goOn: 'Weiter',
  nobodyYet: {
    title: 'Dieser Server hat noch keine Inhaberin und keinen Inhaber',
    printed:
      'Das erste Konto wird mit einem Einrichtungslink angelegt. Der Server hat beim ersten Start einen ausgegeben; für einen neuen führen Sie dies dort aus, wo der Server läuft:',
    notPrinted:
      'Das erste Konto wird mit einem Einrichtungslink angelegt. Um ihn zu bekommen, führen Sie dies dort aus, wo der Server läuft:',
  },
  secondStep: {
    title: 'Zweiter Schritt',
    intro: 'Geben Sie den Code ein, den Ihre Authenticator-App für Portcullis anzeigt.',
    confirm: 'Bestätigen',
    useRecovery: 'Stattdessen einen Wiederherstellungscode verwenden',
    recovery: 'Wiederherstellungscode',
    recoveryHint:
      'Einer der Codes, die Sie beim Einrichten des zweiten Schritts aufbewahrt haben. Jeder gilt nur einmal.',
    wrong:
      'Dieser Code ist falsch, wurde schon verwendet oder gilt nicht mehr. Warten Sie auf den nächsten und versuchen Sie es noch einmal.',
  },
  stepUp: {
    title: 'Mit dem zweiten Faktor bestätigen',
    intro: 'Sie sind angemeldet. Hierfür wird zusätzlich Ihr zweiter Faktor gebraucht.',
    useCode: 'Code aus Ihrer App verwenden',
    goWithout: 'Ohne fortfahren',
    onlyPasskey:
      'Ihr zweiter Faktor ist ein Passkey. Dafür brauchen Sie einen Browser, der ihn kennt und in dem Skripte erlaubt sind.',
    none: 'Sie haben noch keinen. Richten Sie in einem anderen Fenster einen ein: eine App, die Codes anzeigt, oder einen Passkey. Was Sie begonnen haben, wartet hier.',
    setUpCode: 'Codes aus einer App einrichten',
    setUpPasskey: 'Passkey einrichten',
    isSetUp: 'Ich habe ihn eingerichtet: weiter',
    setUp: 'Zweiten Faktor einrichten',
    demanded: 'Ihr Konto braucht einen zweiten Faktor, bevor Sie fortfahren: Codes aus einer App oder einen Passkey.',
    demandedBy: (tenant) =>
      `${tenant} verlangt einen zweiten Faktor, bevor Sie fortfahren: Codes aus einer App oder einen Passkey.`,
    until: (when) => ['Bis ', when, ' geht es auch ohne.'],
    later: 'Nicht jetzt',
  },
  ways: {
    title: 'Auf anderem Weg anmelden',
    what: (tenant, ways) =>
      ways === ''
        ? `${tenant} lässt den Weg nicht zu, auf dem Sie sich angemeldet haben. Es wurde nichts geöffnet.`
        : `${tenant} möchte, dass sich alle mit ${ways} anmelden. Sie haben sich anders angemeldet, deshalb wurde nichts geöffnet.`,
    remedy:
      'Melden Sie sich auf diesem Weg an; was Sie begonnen haben, wartet hier. Ist dort noch kein Konto mit Ihrem verknüpft, bitten Sie die Administration um einen Link.',
    nothing: (tenant) =>
      `Dieser Server hat zurzeit keinen solchen Weg. Fragen Sie Inhaber von ${tenant}: Sie können sich hier weiterhin mit Passwort oder Passkey anmelden.`,
    own: 'Mit Passwort oder Passkey anmelden',
    only: (tenant) => `${tenant} möchte, dass sich alle auf diesem Weg anmelden:`,
    owners: 'Inhaber können sich mit Passwort oder Passkey anmelden',
  },
  signOut: {
    title: 'Abmelden?',
    intro: 'Sie werden in diesem Browser abgemeldet. Anwendungen, denen Sie Zugriff erlaubt haben, behalten ihn.',
    stay: 'Angemeldet bleiben',
    done: 'Sie sind abgemeldet',
    doneIntro: 'In diesem Browser ist niemand angemeldet.',
    sentHere: 'Sie wurden zum Abmelden hierher geleitet.',
    sentBy: (application) => `${application} hat Sie zum Abmelden hierher geleitet.`,
    who: (person) => ['Sie sind angemeldet als ', person, '. Anwendungen, die Sie anderswo nutzen, bleiben verbunden.'],
    close: 'In diesem Browser ist niemand angemeldet. Sie können diese Seite schließen.',
    again: 'Wieder anmelden',
  },
  invitation: {
    title: (tenant) => `${tenant} beitreten`,
    intro: 'Sie sind eingeladen.',
    role: 'Rolle',
    join: 'Beitreten',
    hasAccount:
      'Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich damit an und öffnen Sie den Link der Einladung dann noch einmal.',
    name: 'Ihr Name',
    choosePassword: 'Wählen Sie ein Passwort',
  },
  setUp: {
    title: 'Portcullis einrichten',
    intro:
      'Sie werden erste Inhaberin oder erster Inhaber: Sie können andere einladen, Anwendungen registrieren und für alle zustimmen.',
    organisationHint: 'Die erste; weitere können Sie später hinzufügen.',
    organisationNamed:
      'Dieser Server hat für den Anfang eine angelegt: Geben Sie ihr den Namen Ihrer Organisation oder behalten Sie diesen.',
    emailHint: 'Damit melden Sie sich an.',
    create: 'Konto anlegen',
  },
  reset: {
    title: 'Passwort zurücksetzen',
    noMail: 'Dieser Server verschickt keine E-Mails.',
    askAdministrator:
      'Bitten Sie die Administration Ihrer Organisation um einen Link für ein neues Passwort. Links gelten einmal und eine Stunde lang.',
    intro: 'Wir schicken Ihnen per E-Mail einen Link, mit dem Sie ein neues wählen.',
    send: 'Link senden',
    check: 'Sehen Sie in Ihr Postfach',
    onItsWay:
      'Wenn es zu dieser Adresse ein Konto gibt, ist ein Link für ein neues Passwort unterwegs. Er gilt einmal und eine Stunde lang.',
    noMailAsk:
      'Dieser Server verschickt keine E-Mails. Bitten Sie die Administration Ihrer Organisation um einen Link für ein neues Passwort.',
    choose: 'Neues Passwort wählen',
    chooseIntro: 'Sie werden dadurch überall abgemeldet, und der Zugriff von Anwendungen endet.',
    newPassword: 'Neues Passwort',
    set: 'Passwort festlegen',
    done: 'Ihr Passwort ist festgelegt',
    doneIntro: 'Melden Sie sich jetzt damit an.',
  },
}

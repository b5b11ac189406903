// Approving a single call of an agent, in German.

import type { Texts } from '../english/texts.js'

export const approval: Texts['approval'] = {
  title: 'Diesen Aufruf genehmigen?',
  intro: 'Ein Agent möchte in Ihrem Namen ein Werkzeug benutzen. Es geht nur weiter, wenn Sie es hier zulassen.',
  tool: 'Werkzeug',
  server: 'Dienst',
  with: 'Angaben',
  hidden: 'Was man nicht sehen kann, steht als \\u mit einer Zahl da.',
  limits: (minutes) =>
    `Sie erlauben diesen einen Aufruf, einmal, innerhalb von ${minutes} Minuten. Für einen anderen Aufruf, oder denselben später, werden Sie wieder gefragt.`,
  decideUntil: 'Entscheiden bis',
  refuse: 'Ablehnen',
  allow: 'Einmal zulassen',
  allowed: 'Aufruf zugelassen',
  allowedText: (time) => [
    'Der Agent darf diesen Aufruf einmal ausführen, bis ',
    time,
    '. Gehen Sie zu ihm zurück; vielleicht muss er es noch einmal versuchen.',
  ],
  refused: 'Aufruf abgelehnt',
  refusedText:
    'Es wurde nichts ausgeführt. Wenn Sie diesen Aufruf nicht erwartet haben, nehmen Sie dem Agenten den Zugriff.',
  used: 'Aufruf ausgeführt',
  usedText:
    'Sie haben diesen Aufruf zugelassen, und der Agent hat ihn ausgeführt. Ohne Sie geht das nicht noch einmal.',
  over: 'Diese Anfrage ist abgelaufen',
  overText:
    'Sie wurde nicht rechtzeitig entschieden oder genutzt, oder der Zugriff des Agenten wurde zurückgenommen. Der Aufruf findet nicht statt. Wird er noch gebraucht, fragt der Agent erneut.',
  none: {
    title: 'Diese Anfrage gibt es nicht',
    what: 'Unter dieser Adresse wartet nichts auf Sie. Vielleicht ist die Anfrage längst abgelaufen oder für jemand anderen.',
    remedy:
      'Melden Sie sich als die Person an, für die der Agent arbeitet, oder lassen Sie ihn es noch einmal versuchen und öffnen Sie die neue Adresse.',
  },
}

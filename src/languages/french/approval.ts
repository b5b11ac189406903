// Approving a single call of an agent, in French.

import type { Texts } from '../english/texts.js'

export const approval: Texts['approval'] = {
  title: 'Approuver cet appel ?',
  intro: 'Un agent veut utiliser un outil en votre nom. Rien ne se fait sans votre autorisation ici.',
  tool: 'Outil',
  server: 'Serveur',
  with: 'Avec ces arguments',
  hidden: 'Ce qui ne se voit pas est écrit \\u suivi d’un nombre.',
  limits: (minutes) =>
    `Vous autorisez ce seul appel, une fois, dans les ${minutes} minutes. Un autre appel, ou le même plus tard, vous sera de nouveau soumis.`,
  decideUntil: 'À décider avant',
  refuse: 'Refuser',
  allow: 'Autoriser une fois',
  allowed: 'Appel autorisé',
  allowedText: (time) => [
    'L’agent peut faire cet appel une fois, jusqu’au ',
    time,
    '. Retournez à l’agent ; il devra peut-être réessayer.',
  ],
  refused: 'Appel refusé',
  refusedText: 'Rien n’a été fait. Si vous n’attendiez pas cet appel, retirez son accès à l’agent.',
  used: 'Appel effectué',
  usedText: 'Vous avez autorisé cet appel et l’agent l’a effectué. Il ne peut pas le refaire sans vous.',
  over: 'Cette demande n’est plus valable',
  overText:
    'Elle n’a pas été traitée ou utilisée à temps, ou l’accès de l’agent a été retiré. L’appel n’est pas effectué. S’il est encore utile, l’agent le redemandera.',
  none: {
    title: 'Cette demande n’existe pas',
    what: 'Rien ne vous attend à cette adresse. La demande est peut-être terminée depuis longtemps, ou destinée à une autre personne.',
    remedy:
      'Connectez-vous avec le compte de la personne pour qui l’agent travaille, ou laissez l’agent réessayer et ouvrez la nouvelle adresse.',
  },
}

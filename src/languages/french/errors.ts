// Refusals that a person sees as a page, in French.

import type { Texts } from '../english/texts.js'
import { durationIn } from '../formats.js'

export const errors: Texts['errors'] = {
  contactDeveloper: 'Fermez cette page et contactez le développeur de l’application. Vous ne pouvez rien faire ici.',
  tooLarge: {
    title: 'Ce formulaire est trop volumineux',
    what: 'Votre navigateur a envoyé plus que cette page n’accepte.',
    remedy: 'Ouvrez de nouveau la page et envoyez-en moins.',
  },
  nothingHere: {
    title: 'Page introuvable',
    what: 'Il n’y a rien à cette adresse.',
    remedy: 'Vérifiez l’orthographe de l’adresse ou continuez à partir de l’une de ces pages.',
    start: 'Aller à la page d’accueil',
    documentation: 'Documentation',
    numbers: 'Numéros d’erreur',
  },
  unexpected: {
    title: 'Une erreur est survenue',
    what: 'Une erreur inattendue s’est produite. Vous n’y êtes pour rien.',
    remedy: (request) =>
      `Réessayez un peu plus tard. Si cela se reproduit, communiquez ce numéro de demande à l’exploitant du serveur : ${request}`,
  },
  refused: {
    title: 'Cette demande a été refusée',
    remedy: 'Retournez à la page d’où vous venez et recommencez.',
  },
  tooManyRequests: {
    title: 'Trop de demandes',
    what: 'Trop de demandes sont venues de votre réseau en peu de temps.',
    remedy: (seconds) => `Attendez ${durationIn('fr', seconds)}, puis ouvrez de nouveau la page.`,
  },
  cannot: {
    title: 'Opération impossible',
    remedy: 'Revenez en arrière, vérifiez votre saisie et réessayez.',
    nothingChanged: 'Rien n’a été modifié. Revenez en arrière et vérifiez.',
  },
  unreadable: {
    title: 'Nous n’avons pas pu lire cette demande',
    what: 'Votre navigateur a envoyé quelque chose que ce serveur n’a pas pu lire.',
    remedy: 'Ouvrez de nouveau la page.',
  },
  away: {
    title: 'Ce service est momentanément indisponible',
    what: 'Il ne peut pas accéder à ses données ; rien n’a donc pu être affiché ni modifié.',
    remedy:
      'Patientez un instant, puis ouvrez de nouveau la page. Si vous étiez en train d’envoyer un formulaire, vérifiez d’abord s’il est arrivé.',
  },
  wrongMethod: {
    title: 'Cette page n’accepte pas cette méthode',
    what: (methods) => `Cette adresse ne répond qu’à ${methods}.`,
    remedy: 'Ouvrez-la dans un navigateur.',
  },
  notAForm: {
    title: 'Nous n’avons pas pu lire ce formulaire',
    what: 'Le contenu doit être au format application/x-www-form-urlencoded.',
    remedy: 'Ouvrez la page dans un navigateur et envoyez son formulaire.',
  },
  malformedForm: {
    title: 'Nous n’avons pas pu lire ce formulaire',
    what: 'Ce que votre navigateur a envoyé n’est pas un formulaire.',
    remedy: 'Ouvrez de nouveau la page et renvoyez-le.',
  },
  cookiesBlocked: {
    title: 'Les cookies sont bloqués',
    started:
      'Votre navigateur n’a pas renvoyé le cookie que ce site lui a donné ; on ne sait donc pas ce que vous aviez commencé.',
    startAgain:
      'Autorisez les cookies de ce site dans les paramètres de votre navigateur, puis retournez à l’application et recommencez-y. Une adresse de ce type ne fonctionne que dans le navigateur où tout a commencé.',
    what: 'Votre navigateur n’a pas renvoyé le cookie que ce site lui a donné. Sans lui, personne ne peut se connecter ici.',
    remedy:
      'Autorisez les cookies de ce site dans les paramètres de votre navigateur, puis ouvrez de nouveau la page. Les fenêtres privées et les extensions peuvent aussi les bloquer.',
  },
  expired: {
    title: 'Cette connexion a expiré',
    what: 'Elle est déjà terminée, peut-être dans un autre onglet, elle a duré trop longtemps ou elle a commencé dans un autre navigateur.',
    remedy: 'Si l’application fonctionne, fermez cette page. Sinon, retournez à l’application et recommencez-y.',
  },
  ended: {
    title: 'Cette connexion a expiré',
    what: 'Elle est déjà terminée, elle a attendu plus d’une heure ou elle a commencé dans un autre navigateur.',
    remedy: 'Retournez à l’application d’où vous venez et connectez-vous de nouveau.',
    link: 'Accéder à votre compte',
  },
  doubledCookie: {
    title: 'Ce navigateur a envoyé un cookie deux fois',
    what: 'Un cookie de ce site est arrivé deux fois avec cette demande ; on ne sait donc pas lequel est le vôtre.',
    remedy: 'Supprimez les cookies de ce site dans les paramètres de votre navigateur, puis recommencez.',
  },
  formExpired: {
    title: 'Ce formulaire a expiré',
    what: 'Depuis l’ouverture de cette page, vous vous êtes connecté ou déconnecté, ou vous avez continué dans un autre onglet. Rien n’a été modifié.',
    remedy: 'Rechargez la page et réessayez. Vous devrez peut-être saisir de nouveau vos informations.',
  },
  foreignForm: {
    title: 'Cette demande provient d’un autre site',
    what: 'Un autre site web a tenté d’envoyer ici un formulaire en votre nom. Rien n’a été modifié.',
    remedy: 'Si telle était votre intention, ouvrez la page ici et envoyez le formulaire vous-même.',
  },
  signedOut: {
    title: 'Vous êtes déconnecté',
    what: 'Votre session s’est terminée avant l’envoi de ce formulaire ; rien n’a donc été modifié.',
    remedy: 'Connectez-vous de nouveau. Vous reviendrez à cette page.',
  },
  tooOld: {
    title: 'Confirmez que c’est bien vous',
    what: (seconds) => `Votre connexion remonte à plus de ${durationIn('fr', seconds)} ; rien n’a donc été modifié.`,
    remedy: 'Connectez-vous de nouveau. Vous reviendrez à cette page.',
    link: 'Se connecter de nouveau',
  },
  secondStep: {
    title: 'Connectez-vous de nouveau',
    what: 'Cette connexion a expiré à la seconde étape, a reçu trop de codes erronés, a été annulée ou est déjà terminée.',
    remedy: 'Recommencez.',
  },
  tooManyAttempts: {
    title: 'Trop de tentatives',
    what: 'Il y a eu trop de tentatives de connexion infructueuses pour ce compte ou depuis votre réseau.',
    remedy: (seconds) =>
      `Attendez ${durationIn('fr', seconds)}, puis réessayez. Vous pouvez toujours utiliser une clé d’accès ou réinitialiser votre mot de passe.`,
  },
  busy: {
    title: 'Le serveur est occupé',
    what: 'Trop de personnes se connectent en ce moment. Votre mot de passe n’a pas été vérifié.',
    remedy: 'Attendez quelques secondes, puis réessayez.',
  },
  link: {
    title: 'Ce lien ne fonctionne pas',
    what: 'Il a déjà été utilisé, il a expiré ou il est incomplet. Chaque lien ne fonctionne qu’une fois.',
    'set-up':
      'L’exploitant de ce serveur en crée un nouveau avec : portcullis set-up-link. S’il y a déjà un propriétaire, adressez-vous à lui.',
    invitation:
      'Demandez un nouveau lien à la personne qui vous a invité. Si vous avez déjà accepté l’invitation, connectez-vous.',
    'provider-link':
      'Demandez-en un nouveau à un administrateur de votre organisation. Si c’est déjà fait, connectez-vous de cette façon.',
    'password-reset': 'Demandez-en un autre. Si vous avez déjà choisi un nouveau mot de passe, connectez-vous.',
    another: 'Demander un autre lien',
  },
  confirmLink: {
    title: 'Ce lien ne fonctionne pas',
    what: 'Il a déjà été utilisé, il a expiré ou il appartient à un autre compte que celui avec lequel vous êtes connecté. Un nouveau mot de passe et la déconnexion de tous les appareils y mettent fin aussi.',
    remedy: 'Si vous avez demandé cette adresse, connectez-vous avec le compte en question et demandez-la de nouveau.',
    details: 'Vos informations',
  },
  notAdministrator: {
    title: 'Seul un administrateur peut en décider',
    what: 'Vous n’êtes pas administrateur de cette organisation ; rien n’a donc été autorisé.',
    remedy: 'Adressez une demande à un administrateur sur la page d’où vous venez.',
  },
  noTenant: {
    title: 'Vous ne pouvez pas utiliser cette application',
    what: (application) =>
      `Vous êtes connecté, mais vous n’appartenez à aucune organisation dans laquelle ${application} peut être utilisée.`,
    remedy:
      'Demandez à un administrateur de votre organisation d’installer l’application ou de vous inviter. Si vous avez un autre compte, déconnectez-vous et utilisez-le.',
  },
  clientNotKnown: {
    title: 'Cette demande ne peut pas continuer',
    what: (host, why) => `Une application de ${host}, que personne n’a enregistrée ici, vous a envoyé. ${why}`,
    itself: (why) => `Une application qui s’est enregistrée elle-même vous a envoyé. ${why}`,
    remedy:
      'Vous n’y avez pas été renvoyé, car personne dans votre organisation ne l’a encore autorisée. Son développeur peut lire ci-dessus ce qui ne va pas.',
  },
  misconfigured: {
    title: 'Cette application est mal configurée',
    noClient: 'La demande n’indique pas de quelle application elle provient : client_id est absent.',
    unknownClient: 'Aucune application n’est enregistrée ici avec le client_id de la demande.',
    disabled: 'L’application est désactivée.',
    disabledRemedy: 'Adressez-vous aux personnes qui exploitent l’application.',
    noRedirect: 'La demande n’indique pas où revenir : redirect_uri est absent.',
    otherRedirect:
      'L’adresse de retour (redirect_uri) ne fait pas partie de celles que l’application a enregistrées (50011).',
    sent: (known, address) => `${known} Elle a envoyé ${address}.`,
    noneRegistered: 'Elle n’en a enregistré aucune.',
    nearest: (address) => `L’adresse enregistrée la plus proche est ${address}.`,
    compared: (nearest) =>
      `${nearest} Les adresses sont comparées caractère par caractère. Vous voyez cela parce que vous êtes développeur dans cette organisation.`,
    document: (url, why) => `Le document qui décrit l’application, ${url}, est inutilisable. ${why}`,
    documentUntrusted: (host) => `Les applications de ${host} que personne n’a enregistrées ici ne sont pas acceptées.`,
    documentUntrustedRemedy:
      'Adressez-vous à un administrateur de ce serveur, ou utilisez une application enregistrée ici.',
    goneRedirect: 'L’adresse de retour n’est plus enregistrée.',
  },
  requestTooLarge: {
    title: 'Cette demande est trop volumineuse',
    what: (parameter, most) => `La valeur ${parameter} envoyée par l’application dépasse ${most} octets.`,
  },
  requestUnreadable: { title: 'Cette demande est illisible' },
  consentRequest: {
    title: 'Cette demande d’accord ne peut pas être affichée',
    otherRedirect:
      'L’adresse de retour (redirect_uri) ne fait pas partie de celles que l’application a enregistrées pour l’accord d’un administrateur (50011).',
  },
  consentNotPossible: {
    title: 'Impossible de donner un accord',
    remedy: 'Contactez le développeur de l’application, qui peut modifier ce qu’elle demande.',
    link: 'Ce que cela signifie',
  },
  addressGone: {
    title: 'L’adresse de retour n’est plus enregistrée',
    what: 'Depuis votre arrivée ici, l’application a supprimé l’adresse à laquelle vous deviez revenir.',
    remedy: 'Fermez cette page. Votre décision est enregistrée.',
  },
  notAMember: {
    title: 'Vous ne pouvez pas en décider',
    what: (application) => `Vous n’êtes membre d’aucune organisation qui puisse donner son accord à ${application}.`,
    remedy:
      'Si vous y avez un autre compte, connectez-vous avec celui-ci. Sinon, envoyez cette adresse à quelqu’un qui en fait partie.',
    link: 'Utiliser un autre compte',
  },
  logout: {
    title: 'Cette demande de déconnexion n’est pas valide',
    what: (reason) => `${reason} Personne n’a été déconnecté.`,
    unreadable: 'La demande de l’application n’a pas pu être lue. Personne n’a été déconnecté.',
    remedy:
      'Pour vous déconnecter ici, utilisez le bouton. Pour vous déconnecter de l’application, retournez à celle-ci.',
    button: 'Pour vous déconnecter ici, utilisez le bouton.',
    here: 'Se déconnecter ici',
  },
}

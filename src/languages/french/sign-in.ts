// Signing in, in French.

import type { Texts } from '../english/texts.js'

export const signIn: Texts['signIn'] = {
  title: 'Se connecter',
  again: 'Confirmez que c’est bien vous',
  againIntro: 'Connectez-vous de nouveau pour continuer.',
  or: 'ou',
  orWith: 'ou avec',
  forgot: 'Mot de passe oublié ?',
  wrong: 'Cette adresse e-mail et ce mot de passe ne correspondent pas. Vérifiez les deux, puis réessayez.',
  wrongPasskey: 'Cette clé d’accès n’a pas été acceptée. Connectez-vous avec votre mot de passe ou réessayez.',
  passkey: 'Utiliser une clé d’accès',
  noPasskey: 'Aucune clé d’accès n’a été utilisée.',
  tryOrPassword: 'Réessayez ou connectez-vous avec votre mot de passe.',
  choose: 'Choisissez un compte',
  continueAs: (person) => `Continuer en tant que ${person}`,
  useAnother: 'Utiliser un autre compte',
  asSomebodyElse: 'Se connecter avec un autre compte',
  moment: 'Un instant',
  signedIn: 'Vous êtes connecté.',
  goOn: 'Continuer',
  nobodyYet: {
    title: 'Ce serveur n’a pas encore de propriétaire',
    printed:
      'Le premier compte se crée avec un lien d’installation. Le serveur en a affiché un à son premier démarrage ; pour en obtenir un autre, exécutez ceci là où le serveur fonctionne :',
    notPrinted:
      'Le premier compte se crée avec un lien d’installation. Pour l’obtenir, exécutez ceci là où le serveur fonctionne :',
  },
  secondStep: {
    title: 'Seconde étape',
    intro: 'Saisissez le code que votre application d’authentification affiche pour Portcullis.',
    confirm: 'Confirmer',
    useRecovery: 'Utiliser plutôt un code de récupération',
    recovery: 'Code de récupération',
    recoveryHint:
      'L’un de ceux que vous avez conservés en configurant la seconde étape. Chacun ne fonctionne qu’une fois.',
    wrong: 'Ce code est erroné, a déjà été utilisé ou n’est plus valable. Attendez le suivant et réessayez.',
  },
  stepUp: {
    title: 'Confirmez avec votre second facteur',
    intro: 'Vous êtes connecté. Cette action requiert en plus votre second facteur.',
    useCode: 'Utiliser un code de votre application',
    goWithout: 'Continuer sans',
    onlyPasskey:
      'Votre second facteur est une clé d’accès. Il faut un navigateur qui la possède et où les scripts sont autorisés.',
    none: 'Vous n’en avez pas encore. Configurez-en un dans une autre fenêtre, une application qui affiche des codes ou une clé d’accès ; ce que vous avez commencé attend ici.',
    setUpCode: 'Configurer les codes d’une application',
    setUpPasskey: 'Configurer une clé d’accès',
    isSetUp: 'C’est fait : continuer',
    setUp: 'Configurer un second facteur',
    demanded:
      'Votre compte a besoin d’un second facteur avant de continuer : un code d’une application ou une clé d’accès.',
    demandedBy: (tenant) =>
      `${tenant} exige un second facteur avant de continuer : un code d’une application ou une clé d’accès.`,
    until: (when) => ['Vous pouvez continuer sans lui jusqu’au ', when, '.'],
    later: 'Pas maintenant',
  },
  ways: {
    title: 'Se connecter autrement',
    what: (tenant, ways) =>
      ways === ''
        ? `${tenant} n’accepte pas la façon dont vous vous êtes connecté ; rien n’a été ouvert.`
        : `${tenant} souhaite que ses membres se connectent avec ${ways}. Vous vous êtes connecté autrement ; rien n’a été ouvert.`,
    remedy:
      'Connectez-vous de cette façon ; ce que vous avez commencé attend ici. Si aucun compte n’y est encore lié au vôtre, demandez un lien à un administrateur.',
    nothing: (tenant) =>
      `Ce serveur ne propose actuellement aucune de ces façons. Adressez-vous à un propriétaire de ${tenant}, qui peut toujours se connecter ici avec un mot de passe ou une clé d’accès.`,
    own: 'Se connecter avec un mot de passe ou une clé d’accès',
    only: (tenant) => `${tenant} souhaite que ses membres se connectent ainsi :`,
    owners: 'Les propriétaires peuvent se connecter avec un mot de passe ou une clé d’accès',
  },
  signOut: {
    title: 'Se déconnecter ?',
    intro: 'Vous serez déconnecté dans ce navigateur. Les applications que vous avez autorisées gardent leur accès.',
    stay: 'Rester connecté',
    done: 'Vous êtes déconnecté',
    doneIntro: 'Personne n’est connecté dans ce navigateur.',
    sentHere: 'Vous avez été envoyé ici pour vous déconnecter.',
    sentBy: (application) => `${application} vous a envoyé ici pour vous déconnecter.`,
    who: (person) => [
      'Vous êtes connecté en tant que ',
      person,
      '. Les applications que vous utilisez ailleurs restent connectées.',
    ],
    close: 'Personne n’est connecté dans ce navigateur. Vous pouvez fermer cette page.',
    again: 'Se connecter de nouveau',
  },
  invitation: {
    title: (tenant) => `Rejoindre ${tenant}`,
    intro: 'Vous avez été invité.',
    role: 'Rôle',
    join: 'Rejoindre',
    hasAccount:
      'Un compte existe déjà avec cette adresse. Connectez-vous avec celui-ci, puis ouvrez de nouveau le lien de l’invitation.',
    name: 'Votre nom',
    choosePassword: 'Choisissez un mot de passe',
  },
  setUp: {
    title: 'Configurer Portcullis',
    intro:
      'Vous devenez le premier propriétaire : vous pourrez inviter d’autres personnes, enregistrer des applications et donner votre accord pour tout le monde.',
    organisationHint: 'La première ; vous pourrez en ajouter d’autres plus tard.',
    organisationNamed: 'Ce serveur en a créé une pour commencer : donnez-lui le nom de la vôtre ou gardez celui-ci.',
    emailHint: 'Elle vous sert à vous connecter.',
    create: 'Créer le compte',
  },
  reset: {
    title: 'Réinitialiser votre mot de passe',
    noMail: 'Ce serveur n’envoie pas d’e-mails.',
    askAdministrator:
      'Demandez à un administrateur de votre organisation un lien pour choisir un nouveau mot de passe. Un lien fonctionne une seule fois, pendant une heure.',
    intro: 'Nous vous enverrons par e-mail un lien pour en choisir un nouveau.',
    send: 'Envoyer le lien',
    check: 'Consultez votre messagerie',
    onItsWay:
      'S’il existe un compte avec cette adresse, un lien pour choisir un nouveau mot de passe est en route. Il fonctionne une seule fois, pendant une heure.',
    noMailAsk:
      'Ce serveur n’envoie pas d’e-mails. Demandez à un administrateur de votre organisation un lien pour choisir un nouveau mot de passe.',
    choose: 'Choisissez un nouveau mot de passe',
    chooseIntro: 'Cela vous déconnecte partout et met fin à l’accès des applications.',
    newPassword: 'Nouveau mot de passe',
    set: 'Définir le mot de passe',
    done: 'Votre mot de passe est défini',
    doneIntro: 'Connectez-vous maintenant avec celui-ci.',
  },
}

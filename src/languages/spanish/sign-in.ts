// Signing in, in Spanish.

import type { Texts } from '../english/texts.js'

export const signIn: Texts['signIn'] = {
  title: 'Iniciar sesión',
  again: 'Confirme que es usted',
  againIntro: 'Inicie sesión de nuevo para continuar.',
  or: 'o',
  orWith: 'o con',
  forgot: '¿Ha olvidado su contraseña?',
  wrong: 'Ese correo electrónico y esa contraseña no coinciden. Revise ambos y vuelva a intentarlo.',
  wrongPasskey: 'No se ha aceptado esa llave de acceso. Inicie sesión con su contraseña o vuelva a intentarlo.',
  passkey: 'Usar una llave de acceso',
  noPasskey: 'No se ha usado ninguna llave de acceso.',
  tryOrPassword: 'Vuelva a intentarlo o inicie sesión con su contraseña.',
  choose: 'Elija una cuenta',
  continueAs: (person) => `Continuar como ${person}`,
  useAnother: 'Usar otra cuenta',
  asSomebodyElse: 'Iniciar sesión con otra cuenta',
  moment: 'Un momento',
  signedIn: 'Ha iniciado sesión.',
  goOn: 'Continuar',
  nobodyYet: {
    title: 'Este servidor aún no tiene propietario',
    printed:
      'La primera cuenta se crea con un enlace de configuración. El servidor mostró uno al iniciarse por primera vez; para obtener otro, ejecute esto donde funciona el servidor:',
    notPrinted:
      'La primera cuenta se crea con un enlace de configuración. Para obtenerlo, ejecute esto donde funciona el servidor:',
  },
  secondStep: {
    title: 'Segundo paso',
    intro: 'Escriba el código que su aplicación de autenticación muestra para Portcullis.',
    confirm: 'Confirmar',
    useRecovery: 'Usar en su lugar un código de recuperación',
    recovery: 'Código de recuperación',
    recoveryHint: 'Uno de los que guardó al configurar el segundo paso. Cada uno funciona una sola vez.',
    wrong: 'Ese código no es correcto, ya se usó o ya no es válido. Espere al siguiente y vuelva a intentarlo.',
  },
  stepUp: {
    title: 'Confirme con su segundo factor',
    intro: 'Ha iniciado sesión. Esta acción requiere además su segundo factor.',
    useCode: 'Usar un código de su aplicación',
    goWithout: 'Continuar sin él',
    onlyPasskey:
      'Su segundo factor es una llave de acceso. Necesita un navegador que la tenga y que permita ejecutar scripts.',
    none: 'Aún no tiene ninguno. Configure uno en otra ventana, una aplicación que muestre códigos o una llave de acceso; lo que ha empezado espera aquí.',
    setUpCode: 'Configurar los códigos de una aplicación',
    setUpPasskey: 'Configurar una llave de acceso',
    isSetUp: 'Ya lo he configurado: continuar',
    setUp: 'Configurar un segundo factor',
    demanded:
      'Su cuenta necesita un segundo factor antes de continuar: un código de una aplicación o una llave de acceso.',
    demandedBy: (tenant) =>
      `${tenant} exige un segundo factor antes de continuar: un código de una aplicación o una llave de acceso.`,
    until: (when) => ['Puede continuar sin él hasta el ', when, '.'],
    later: 'Ahora no',
  },
  ways: {
    title: 'Iniciar sesión de otra forma',
    what: (tenant, ways) =>
      ways === ''
        ? `${tenant} no acepta la forma en que ha iniciado sesión; no se ha abierto nada.`
        : `${tenant} quiere que sus miembros inicien sesión con ${ways}. Usted lo ha hecho de otra forma; no se ha abierto nada.`,
    remedy:
      'Inicie sesión de esa forma; lo que ha empezado espera aquí. Si allí aún no hay ninguna cuenta vinculada a la suya, pida un enlace a un administrador.',
    nothing: (tenant) =>
      `Este servidor no ofrece ahora ninguna de esas formas. Pregunte a un propietario de ${tenant}, que aún puede iniciar sesión aquí con una contraseña o una llave de acceso.`,
    own: 'Iniciar sesión con una contraseña o una llave de acceso',
    only: (tenant) => `${tenant} quiere que sus miembros inicien sesión de esta forma:`,
    owners: 'Los propietarios pueden iniciar sesión con una contraseña o una llave de acceso',
  },
  signOut: {
    title: '¿Cerrar sesión?',
    intro: 'Se cerrará su sesión en este navegador. Las aplicaciones que haya permitido conservan su acceso.',
    stay: 'Mantener la sesión iniciada',
    done: 'Ha cerrado la sesión',
    doneIntro: 'En este navegador no hay ninguna sesión iniciada.',
    sentHere: 'Se le ha enviado aquí para cerrar sesión.',
    sentBy: (application) => `${application} le ha enviado aquí para cerrar sesión.`,
    who: (person) => [
      'Ha iniciado sesión como ',
      person,
      '. Las aplicaciones que use en otros lugares seguirán conectadas.',
    ],
    close: 'En este navegador no hay ninguna sesión iniciada. Puede cerrar esta página.',
    again: 'Iniciar sesión de nuevo',
  },
  invitation: {
    title: (tenant) => `Unirse a ${tenant}`,
    intro: 'Ha recibido una invitación.',
    role: 'Función',
    join: 'Unirse',
    hasAccount:
      'Ya existe una cuenta con esta dirección. Inicie sesión con ella y vuelva a abrir el enlace de la invitación.',
    name: 'Su nombre',
    choosePassword: 'Elija una contraseña',
  },
  setUp: {
    title: 'Configurar Portcullis',
    intro:
      'Será el primer propietario: podrá invitar a otras personas, registrar aplicaciones y dar el consentimiento para todas las personas.',
    organisationHint: 'La primera; más adelante puede añadir otras.',
    organisationNamed: 'Este servidor ha creado una para empezar: dele el nombre de la suya o conserve este.',
    emailHint: 'Con él iniciará sesión.',
    create: 'Crear la cuenta',
  },
  reset: {
    title: 'Restablecer su contraseña',
    noMail: 'Este servidor no envía correo.',
    askAdministrator:
      'Pida a un administrador de su organización un enlace para elegir una contraseña nueva. Los enlaces funcionan una sola vez, durante una hora.',
    intro: 'Le enviaremos por correo electrónico un enlace para elegir una nueva.',
    send: 'Enviar el enlace',
    check: 'Revise su correo',
    onItsWay:
      'Si existe una cuenta con esta dirección, ya va en camino un enlace para elegir una contraseña nueva. Funciona una sola vez, durante una hora.',
    noMailAsk:
      'Este servidor no envía correo. Pida a un administrador de su organización un enlace para elegir una contraseña nueva.',
    choose: 'Elija una contraseña nueva',
    chooseIntro: 'Se cerrará su sesión en todas partes y terminará el acceso de las aplicaciones.',
    newPassword: 'Contraseña nueva',
    set: 'Establecer la contraseña',
    done: 'Su contraseña se ha establecido',
    doneIntro: 'Inicie sesión con ella ahora.',
  },
}

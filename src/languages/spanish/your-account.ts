// The account page and those below it, in Spanish.

import type { Texts } from '../english/texts.js'
import { plural } from '../plural.js'

export const account: Texts['account'] = {
  title: 'Su cuenta',
  aboutYou: 'Sobre usted',
  change: 'Cambiar',
  name: 'Nombre',
  none: 'ninguno',
  verified: 'verificado',
  accountFrom: 'Cuenta de',
  signingIn: 'Inicio de sesión',
  manage: 'Gestionar',
  turnOn: 'Activar',
  passwordSet: 'Establecida',
  passwordNone: 'Ninguna',
  secondStep: 'Segundo paso',
  secondStepOn: 'Activado: un código de su aplicación de autenticación',
  secondStepOff: 'Desactivado',
  passkeys: 'Llaves de acceso',
  countedPasskeys: (count) =>
    count === 0
      ? 'Ninguna llave de acceso'
      : plural('es', count, { one: `${count} llave de acceso`, other: `${count} llaves de acceso` }),
  providers: 'Proveedores vinculados',
  countedProviders: (count) =>
    count === 0
      ? 'Ningún proveedor'
      : plural('es', count, { one: `${count} proveedor`, other: `${count} proveedores` }),
  sessions: 'Sesiones',
  countedSessions: (count) =>
    plural('es', count, {
      one: `Sesión iniciada en ${count} navegador`,
      other: `Sesión iniciada en ${count} navegadores`,
    }),
  applications: 'Aplicaciones',
  applicationsText: 'Lo que ha permitido que las aplicaciones hagan en su nombre y cómo retirarlo.',
  consentRequests: 'Solicitudes de consentimiento a los administradores',
  organisations: 'Organizaciones',
  noOrganisation: 'Todavía no pertenece a ninguna organización.',
  roleHere: (role) => `Su función aquí: ${role}`,
  toPortal: 'Ir al portal',
  portalOf: (tenant) => `Portal de ${tenant}`,
  delete: 'Eliminar esta cuenta',
  language: 'Idioma',
  languageHint: 'Para las páginas que ve tras iniciar sesión y para los correos que recibe.',
  ofBrowser: 'El del navegador',
  save: 'Guardar',
  done: {
    details: 'Sus datos se han guardado.',
    requested:
      'Sus datos se han guardado. La dirección cambiará cuando abra el enlace que se le ha enviado a ella; hasta entonces se mantiene la actual.',
    waiting:
      'Sus datos se han guardado. La dirección cambiará cuando un administrador de su organización la confirme; hasta entonces se mantiene la actual.',
    email: 'Su dirección está confirmada.',
    password:
      'Su contraseña se ha cambiado. Se ha cerrado la sesión en todos los demás navegadores, y las aplicaciones tendrán que volver a pedirle permiso.',
    'second-factor-off':
      'El segundo paso está desactivado. Se ha cerrado la sesión en todos los demás navegadores, y las aplicaciones tendrán que volver a pedirle permiso.',
    passkey: 'La llave de acceso se ha guardado.',
    'passkey-renamed': 'La llave de acceso tiene su nuevo nombre.',
    'passkey-removed':
      'La llave de acceso se ha eliminado. Se ha cerrado la sesión en otros navegadores que la habían iniciado con una llave de acceso.',
    'provider-linked': 'El proveedor está vinculado: a partir de ahora puede iniciar sesión con él.',
    'provider-unlinked':
      'El proveedor se ha desvinculado. Se ha cerrado la sesión en otros navegadores que la habían iniciado mediante un proveedor.',
    session: 'Se ha cerrado la sesión en ese navegador.',
  },
  details: {
    workMail:
      'Mensajes sobre lo que me espera: solicitudes de consentimiento, consentimientos dados, claves privadas que terminan',
    emailHint: 'Con él inicia sesión. Uno nuevo es válido cuando se confirma.',
    unconfirmed:
      'Nadie ha confirmado todavía esta dirección, por lo que no se comunica a las aplicaciones. Guarde para que se confirme.',
  },
  confirmEmail: {
    title: 'Confirme su dirección',
    intro: 'A partir de entonces iniciará sesión con ella.',
    becomes: (email) => ['La dirección de esta cuenta pasa a ser ', email, '.'],
    replaces: (email, former) => ['La dirección de esta cuenta pasa a ser ', email, ' en lugar de ', former, '.'],
    confirm: 'Confirmar la dirección',
  },
  deletion: {
    intro: 'Esto no se puede deshacer.',
    consequence:
      'Se cerrará su sesión en todas partes, las aplicaciones perderán lo que usted les permitió, y se eliminarán sus pertenencias a organizaciones, sus llaves de acceso y su perfil.',
    type: 'Para confirmar, escriba esto',
    wrong: 'Esto no es lo que figura arriba.',
    delete: 'Eliminar la cuenta',
    onlyOwner:
      'Usted es el único propietario de una organización. Antes, otra persona debe convertirse en su propietaria.',
  },
  password: {
    title: 'Cambiar su contraseña',
    intro:
      'Se cerrará la sesión en todos los demás navegadores, y las aplicaciones tendrán que volver a pedirle permiso.',
    current: 'Contraseña actual',
    change: 'Cambiar la contraseña',
    none: 'Esta cuenta no tiene contraseña. Pida a un administrador un enlace para establecer una.',
  },
  passkey: {
    intro:
      'Una llave de acceso inicia su sesión con su huella, su cara o una llave de seguridad: nada que recordar, nada que robar.',
    notSaved: 'No se ha podido guardar esa llave de acceso. Vuelva a intentarlo.',
    none: 'Todavía no tiene ninguna llave de acceso.',
    add: 'Añadir una llave de acceso',
    unavailable: 'Este navegador no admite llaves de acceso o no ejecuta scripts.',
    nameHint: 'Para que la reconozca, por ejemplo «Teléfono».',
    notMade: 'No se ha creado ninguna llave de acceso. Vuelva a intentarlo.',
    made: (when) => ['Creada el ', when, ' · aún sin usar'],
    madeAndUsed: (when, used) => ['Creada el ', when, ' · último uso el ', used],
    rename: 'Cambiar el nombre',
    newName: 'Nombre nuevo',
    saveName: 'Guardar el nombre',
    remove: 'Eliminar',
    proposed: 'Llave de acceso',
  },
  secondFactor: {
    turnOnTitle: 'Activar el segundo paso',
    turnOnIntro:
      'Después de su contraseña escribirá un código que muestra una aplicación de autenticación en su teléfono.',
    first: '1. Añada Portcullis a su aplicación',
    scan: 'Escanee esta imagen con la aplicación o escriba la clave a mano.',
    key: 'Clave',
    picture: 'Código QR de la clave',
    second: '2. Escriba el código que muestra',
    isOn: 'El segundo paso está activado',
    newCodes: 'Códigos de recuperación nuevos',
    keep: 'Guarde estos códigos de recuperación',
    keepText:
      'Con cada uno puede iniciar sesión una vez cuando no tenga su teléfono a mano. Se muestran ahora y nunca más: imprímalos o guárdelos en su gestor de contraseñas.',
    formerCodes: 'Sus códigos anteriores ya no funcionan.',
    kept: 'Los he guardado',
    copy: 'Copiar',
    copied: 'Copiado',
    download: 'Descargar',
    manageIntro: 'Está activado: para iniciar sesión se necesitan su contraseña y un código.',
    codes: 'Códigos de recuperación',
    codesText: 'Los nuevos sustituyen a los que tiene.',
    showNew: 'Mostrar códigos de recuperación nuevos',
    off: 'Desactivarlo',
    offText:
      'Entonces bastará con la contraseña. Se cerrará la sesión en todos los demás navegadores, y las aplicaciones tendrán que volver a pedirle permiso.',
    turnOff: 'Desactivar el segundo paso',
  },
  session: {
    intro: 'Los navegadores en los que ha iniciado sesión.',
    thisBrowser: 'este navegador',
    lastUsed: (when, address) => ['Último uso el ', when, ` desde ${address}`],
    signedIn: (when) => ['Sesión iniciada el ', when],
    signOutOf: (browser) => `Cerrar sesión en ${browser}`,
    everywhere: 'En todas partes',
    everywhereText: 'Termina todas estas sesiones, también esta, y lo que las aplicaciones tienen en su nombre.',
    signOutEverywhere: 'Cerrar sesión en todas partes',
    someBrowser: 'Un navegador',
    browserOn: (browser, system) => `${browser} en ${system}`,
  },
  provider: {
    intro: 'Otros proveedores con los que puede iniciar sesión.',
    none: 'Todavía no hay ningún proveedor vinculado.',
    linked: (when) => ['Vinculado el ', when],
    link: 'Vincular',
    unlink: 'Desvincular',
    byLink: {
      title: 'Iniciar sesión con la cuenta de su organización',
      intro: (tenant, address) =>
        `Un administrador de ${tenant} indica que usted es ${address} en un proveedor. Inicie sesión allí una vez con esa cuenta; desde entonces le abrirá ${tenant}.`,
      none: 'Ahora no hay ningún proveedor así. Pregunte a un administrador.',
    },
    kept: (tenant) => `Lo gestiona ${tenant}: sus administradores indican cuál es su cuenta allí.`,
    linkTitle: (provider) => `Vincular ${provider}`,
    linkIntro: (host) => `Inicia sesión en ${host} y vuelve aquí.`,
    goOn: (provider) => `Continuar a ${provider}`,
  },
}

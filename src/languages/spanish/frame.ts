// What stands around pages, in Spanish.

import type { Texts } from '../english/texts.js'

export const frame: Texts['frame'] = {
  skip: 'Ir al contenido',
  you: 'Usted',
  languages: 'Idioma',
  signOut: 'Cerrar sesión',
  signIn: 'Iniciar sesión',
  backToSignIn: 'Volver a la página de inicio de sesión',
  back: 'Volver',
  cancel: 'Cancelar',
  goOn: 'Continuar',
  openAgain: 'Volver a abrir la página',
  yourAccount: 'Su cuenta',
  backToAccount: 'Volver a su cuenta',
  request: 'Solicitud',
  or: 'o',
  email: 'Correo electrónico',
  password: 'Contraseña',
  organisation: 'Organización',
  verified: 'Verificada',
  unverified: 'Sin verificar',
  signingInTo: (application) => ['Inicio de sesión en ', application],
  registeredBy: (home) => ['Registrada por ', home],
  lookalikes: '(algunas letras de este nombre se parecen a otras: mírelo dos veces)',
  signedInAs: (person) => `Sesión iniciada como ${person}`,
  code: 'Código de seis cifras',
  passwordHint: (length) =>
    `Al menos ${length} caracteres. Unas cuantas palabras sin relación entre sí son una buena opción.`,
  show: 'Mostrar',
  hide: 'Ocultar',
  tryAgain: 'Vuelva a intentarlo.',
  roles: { member: 'miembro', developer: 'desarrollador', administrator: 'administrador', owner: 'propietario' },
}

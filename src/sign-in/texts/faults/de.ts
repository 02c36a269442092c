import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY =
  'Ihr Gerät hat den Passkey nicht bestätigt. Versuchen Sie es erneut oder verwenden Sie eine andere Methode.';

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: 'Dieser Code ist falsch oder wurde bereits verwendet. Geben Sie den Code ein, den die App jetzt anzeigt.',
  BackupCode: 'Dieser Backup-Code ist falsch oder wurde bereits verwendet. Geben Sie einen anderen ein.',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: 'einen gültigen Benutzernamen',
  email: 'eine gültige E-Mail-Adresse',
  phone: 'eine gültige Telefonnummer',
};

export const deFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `Geben Sie ${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      ' oder ',
    )} ein.`,
  'session.invalid_credentials': 'Benutzername oder Passwort ist falsch.',
  'user.invalid_phone':
    'Geben Sie die vollständige Telefonnummer mit Ländervorwahl ein, zum Beispiel +49 151 12345678.',
  'user.suspended': 'Dieses Konto ist gesperrt. Wenden Sie sich an den Support.',
  'user.username_already_in_use': 'Dieser Benutzername ist vergeben. Wählen Sie einen anderen.',
  'user.email_already_in_use': 'Diese E-Mail-Adresse gehört zu einem anderen Konto. Verwenden Sie eine andere.',
  'user.phone_already_in_use': 'Diese Telefonnummer gehört zu einem anderen Konto. Verwenden Sie eine andere.',
  'user.identity_already_in_use': ({ provider }) =>
    `Dieses Konto${provider ? ` bei ${provider}` : ''} ist bereits mit einem anderen Benutzer verknüpft. Verwenden Sie ein anderes.`,
  'verification_code.invalid':
    'Dieser Code ist falsch oder abgelaufen. Prüfen Sie ihn oder fordern Sie einen neuen an.',
  'verification_code.unavailable': 'Hier können keine Codes gesendet werden. Verwenden Sie eine andere Methode.',
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held':
    'Sie haben bereits einen zweiten Faktor dieser Art. Auf Ihrer Kontoseite können Sie ihn ersetzen.',
  'factor.is_last':
    'Ein zweiter Faktor ist vorgeschrieben, deshalb können Sie den letzten nicht entfernen. Fügen Sie zuerst einen anderen hinzu.',
  'password.too_short': ({ minPasswordLength }) => `Verwenden Sie mindestens ${minPasswordLength} Zeichen.`,
  'password.too_long': ({ maxPasswordLength }) => `Verwenden Sie höchstens ${maxPasswordLength} Zeichen.`,
  'password.too_common': 'Dieses Passwort ist zu leicht zu erraten. Wählen Sie ein anderes.',
  'session.social_failed': ({ provider = 'Der Identitätsanbieter' }) =>
    `${provider} konnte Ihre Identität nicht bestätigen. Versuchen Sie es erneut.`,
  'session.email_not_verified': ({ provider = 'Ihr Identitätsanbieter' }) =>
    `${provider} hat Ihre E-Mail-Adresse nicht bestätigt. Wenden Sie sich an die Administration Ihrer Organisation.`,
  'session.sso_required': 'Ihre Organisation verwaltet dieses Konto. Melden Sie sich mit deren Identitätsanbieter an.',
  'session.not_allowed': 'Das ist hier nicht verfügbar.',
  'session.conflict': 'Dieses Formular wurde zweimal gesendet. Fahren Sie hier fort.',
  'request.unavailable': 'Der Dienst ist ausgelastet. Versuchen Sie es in einigen Sekunden erneut.',
};

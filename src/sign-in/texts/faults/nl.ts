import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY =
  'Je apparaat heeft de passkey niet bevestigd. Probeer het opnieuw of gebruik een andere methode.';

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: 'Deze code is onjuist of al gebruikt. Voer de code in die de app nu toont.',
  BackupCode: 'Deze back-upcode is onjuist of al gebruikt. Voer een andere in.',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: 'een geldige gebruikersnaam',
  email: 'een geldig e-mailadres',
  phone: 'een geldig telefoonnummer',
};

export const nlFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `Voer ${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      ' of ',
    )} in.`,
  'session.invalid_credentials': 'Onjuiste gebruikersnaam of onjuist wachtwoord.',
  'user.invalid_phone': 'Voer het volledige telefoonnummer met landcode in, bijvoorbeeld +31 6 12345678.',
  'user.suspended': 'Dit account is geblokkeerd. Neem contact op met support.',
  'user.username_already_in_use': 'Deze gebruikersnaam is al in gebruik. Kies een andere.',
  'user.email_already_in_use': 'Dit e-mailadres hoort bij een ander account. Gebruik een ander adres.',
  'user.phone_already_in_use': 'Dit telefoonnummer hoort bij een ander account. Gebruik een ander nummer.',
  'user.identity_already_in_use': ({ provider }) =>
    `Dit account${provider ? ` van ${provider}` : ''} is al gekoppeld aan een andere gebruiker. Gebruik een ander account.`,
  'verification_code.invalid': 'Deze code is onjuist of verlopen. Controleer de code of vraag een nieuwe aan.',
  'verification_code.unavailable': 'Hier kunnen geen codes worden verzonden. Gebruik een andere methode.',
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held': 'Je hebt al een tweede factor van deze soort. Je kunt deze vervangen op je accountpagina.',
  'factor.is_last':
    'Een tweede factor is verplicht, dus je kunt de laatste niet verwijderen. Voeg eerst een andere toe.',
  'password.too_short': ({ minPasswordLength }) => `Gebruik minstens ${minPasswordLength} tekens.`,
  'password.too_long': ({ maxPasswordLength }) => `Gebruik hoogstens ${maxPasswordLength} tekens.`,
  'password.too_common': 'Dit wachtwoord is te makkelijk te raden. Kies een ander wachtwoord.',
  'session.social_failed': ({ provider = 'De identiteitsprovider' }) =>
    `${provider} kon je identiteit niet bevestigen. Probeer het opnieuw.`,
  'session.email_not_verified': ({ provider = 'Je identiteitsprovider' }) =>
    `${provider} heeft je e-mailadres niet geverifieerd. Neem contact op met de beheerder van je organisatie.`,
  'session.sso_required': 'Je organisatie beheert dit account. Log in met de identiteitsprovider van je organisatie.',
  'session.not_allowed': 'Dit is hier niet beschikbaar.',
  'session.conflict': 'Dit formulier is twee keer verzonden. Ga hier verder.',
  'request.unavailable': 'De service is bezet. Probeer het over een paar seconden opnieuw.',
};

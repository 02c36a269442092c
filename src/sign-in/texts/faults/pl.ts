import type { FactorType, IdentifierType } from '../../settings.ts';
import { alternatives, type FaultTexts } from '../facts.ts';

export const UNCONFIRMED_PASSKEY =
  'Urządzenie nie potwierdziło klucza dostępu. Spróbuj ponownie lub użyj innej metody.';

const INVALID_FACTOR: Record<FactorType, string> = {
  Totp: 'Ten kod jest nieprawidłowy lub został już użyty. Wpisz kod, który aplikacja pokazuje teraz.',
  BackupCode: 'Ten kod zapasowy jest nieprawidłowy lub został już użyty. Wpisz inny.',
  WebAuthn: UNCONFIRMED_PASSKEY,
};

const IDENTIFIERS: Record<IdentifierType, string> = {
  username: 'prawidłową nazwę użytkownika',
  email: 'prawidłowy adres e-mail',
  phone: 'prawidłowy numer telefonu',
};

export const plFaults: FaultTexts = {
  'identifier.invalid': ({ identifiers }) =>
    `Wpisz ${alternatives(
      identifiers.map((type) => IDENTIFIERS[type]),
      ' lub ',
    )}.`,
  'session.invalid_credentials': 'Nieprawidłowa nazwa użytkownika lub hasło.',
  'user.invalid_phone': 'Wpisz pełny numer telefonu z numerem kierunkowym kraju, na przykład +48 512 345 678.',
  'user.suspended': 'To konto jest zablokowane. Skontaktuj się z pomocą techniczną.',
  'user.username_already_in_use': 'Ta nazwa użytkownika jest zajęta. Wybierz inną.',
  'user.email_already_in_use': 'Ten adres e-mail należy do innego konta. Użyj innego.',
  'user.phone_already_in_use': 'Ten numer telefonu należy do innego konta. Użyj innego.',
  'user.identity_already_in_use': ({ provider }) =>
    `To konto${provider ? ` ${provider}` : ''} jest już połączone z innym użytkownikiem. Użyj innego.`,
  'verification_code.invalid': 'Ten kod jest nieprawidłowy lub wygasł. Sprawdź go lub poproś o nowy.',
  'verification_code.unavailable': 'Nie można tu wysyłać kodów. Użyj innej metody.',
  'factor.invalid_code': ({ factor = 'Totp' }) => INVALID_FACTOR[factor],
  'factor.already_held': 'Masz już drugi składnik tego rodzaju. Możesz go zastąpić na stronie swojego konta.',
  'factor.is_last': 'Drugi składnik jest wymagany, więc nie możesz usunąć ostatniego. Najpierw dodaj inny.',
  'password.too_short': ({ minPasswordLength }) => `Minimalna liczba znaków: ${minPasswordLength}.`,
  'password.too_long': ({ maxPasswordLength }) => `Maksymalna liczba znaków: ${maxPasswordLength}.`,
  'password.too_common': 'To hasło jest zbyt łatwe do odgadnięcia. Wybierz inne.',
  'session.social_failed': ({ provider = 'Dostawca tożsamości' }) =>
    `Nie udało się potwierdzić Twojej tożsamości (${provider}). Spróbuj ponownie.`,
  'session.email_not_verified': ({ provider = 'Dostawca tożsamości' }) =>
    `Twój adres e-mail nie został zweryfikowany (${provider}). Skontaktuj się z administratorem organizacji.`,
  'session.sso_required': 'Tym kontem zarządza Twoja organizacja. Zaloguj się przez jej dostawcę tożsamości.',
  'session.not_allowed': 'Ta operacja nie jest tu dostępna.',
  'session.conflict': 'Ten formularz został wysłany dwa razy. Kontynuuj od tego miejsca.',
  'request.unavailable': 'Usługa jest przeciążona. Spróbuj ponownie za kilka sekund.',
};
